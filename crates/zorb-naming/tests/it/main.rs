//! The naming service, as its clients see it.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

mod federation;
mod hostile;
mod import;
mod operations;
mod stored;
mod support;

use zorb_os::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
