//! The program, as users run it.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

mod bench;
#[cfg(feature = "probes")]
mod bench_probes;
mod bench_protocols;
mod bench_report;
mod bench_rt;
mod bridge;
mod call;
#[path = "../../../zorb-tls/tests/support/mod.rs"]
mod certificates;
mod config;
mod demo;
mod idl;
mod ifr;
mod imr;
mod ior;
mod names;
mod ping;
mod program;
mod rt;
mod sched;
mod serve;
mod store;
mod top;
mod usage;
mod writers;
