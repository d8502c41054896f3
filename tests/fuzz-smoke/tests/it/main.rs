//! Bounded runs of the fuzz targets.
#![allow(clippy::print_stdout)]

mod client;
mod server;
mod targets;

use zorb_os::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
