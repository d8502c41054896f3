//! Tests of programs that run services.
#![allow(clippy::unwrap_used, clippy::panic)]

mod binding;
#[cfg(feature = "console")]
mod console;
mod metrics;
mod readiness;
mod support;
mod writers;
