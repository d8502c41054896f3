//! Tests of programs that run services.
#![allow(clippy::unwrap_used, clippy::panic)]

mod binding;
mod metrics;
mod readiness;
mod support;
mod writers;
