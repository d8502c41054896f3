//! Process-wide counts of calls: allocations, and writes to memory that threads share. One test runs at a
//! time.
#![allow(clippy::unwrap_used)]

mod allocations;
mod counters;
mod default_servants;
mod deferred;
#[cfg(target_env = "gnu")]
mod large_values;
mod no_memory;
mod preallocation;
#[path = "../it/support/mod.rs"]
mod support;

use std::sync::{Mutex, MutexGuard, PoisonError};

use zorb_os::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Held by the test that counts.
static COUNTING: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    COUNTING.lock().unwrap_or_else(PoisonError::into_inner)
}
