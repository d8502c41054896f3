//! The engines against Zorb's own, and the benchmark.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod bench;
mod conventional;
mod octets;
mod sample;
