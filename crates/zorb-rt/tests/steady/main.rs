//! Counts of the steady state of lanes: allocations, page faults, connections.
#![allow(clippy::unwrap_used, clippy::use_self)]

mod calls;
#[path = "../../../zorb-tls/tests/support/mod.rs"]
mod certificates;
mod fixture;
mod frozen;
#[path = "../../src/log/gated.rs"]
mod gated;
mod log;
mod nested;
#[path = "../it/probe.rs"]
mod probe;

use zorb_rt::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
