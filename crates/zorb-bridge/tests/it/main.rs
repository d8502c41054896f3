//! Bridges between protocols.
#![allow(clippy::unwrap_used, clippy::panic)]

mod conversion;
mod ends;
mod handling;
mod messages;
mod support;
#[path = "support/watched.rs"]
mod watched;
