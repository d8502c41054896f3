//! Analysis, dispatching and the simulator.
#![allow(clippy::unwrap_used)]

mod allocations;
mod properties;
mod schedules;

use zorb_os::alloc::CountingAllocator;

/// Some tests count the allocations of their threads.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
