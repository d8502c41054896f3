//! Bridges between protocols.
#![allow(clippy::unwrap_used)]

mod conversion;
mod ends;
mod handling;
mod messages;
mod support;
#[path = "support/watched.rs"]
mod watched;
