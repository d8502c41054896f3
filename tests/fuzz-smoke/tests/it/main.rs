//! Bounded runs of the fuzz targets.
#![allow(clippy::print_stdout)]

mod attacker;
mod client;
mod hostile_server;
mod imr;
mod naming;
mod peers;
mod server;
mod targets;
mod without_memory;

use zorb_os::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
