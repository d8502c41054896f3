//! The facade: its protocols, and options where they meet.

mod anys;
#[cfg(feature = "tls")]
#[path = "../../../zorb-tls/tests/support/mod.rs"]
mod certificates;
mod configured;
mod diop;
mod five_files;
mod initial;
mod local;
mod precedence;
mod processes;
mod protocol_policies;
mod protocols;
mod published;
mod short;
mod short_routes;
mod ssliop;
#[path = "../support/mod.rs"]
mod support;
mod to_all;
mod ziop;
