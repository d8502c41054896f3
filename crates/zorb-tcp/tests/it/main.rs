//! The transport over TCP.
#![allow(clippy::unwrap_used)]

mod call_path;
mod conformance;
mod sockets;

use zorb_os::alloc::CountingAllocator;

/// Some tests count the allocations of their threads.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
