//! Counts within the process. One test runs at a time.
#![allow(clippy::unwrap_used)]

mod allocations;
mod copies;
mod dynamic;
mod skeletons;
mod upcalls;
mod values;

use std::sync::{Mutex, MutexGuard, PoisonError};

use zorb_os::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Held by the test that counts.
static COUNTING: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    COUNTING.lock().unwrap_or_else(PoisonError::into_inner)
}
