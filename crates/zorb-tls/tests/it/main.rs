//! The transport over TLS.
#![allow(clippy::unwrap_used)]

mod call_path;
mod conformance;
mod handshakes;
#[path = "../support/mod.rs"]
mod support;

use zorb_os::alloc::CountingAllocator;

/// Some tests count the allocations of their threads.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
