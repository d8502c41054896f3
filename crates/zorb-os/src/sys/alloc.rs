//! The system allocator with counts.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::alloc::{CountingAllocator, count_allocation, count_free};

// SAFETY: every method hands its arguments unchanged to `System`, which is a sound global
// allocator, and returns what it returns. Counting neither allocates nor panics.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_allocation(layout.size());
        // SAFETY: the caller promises what `GlobalAlloc::alloc` asks for, and no more is needed.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_allocation(layout.size());
        // SAFETY: the caller promises what `GlobalAlloc::alloc_zeroed` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count_allocation(new_size);
        count_free();
        // SAFETY: `block` came from `System` through us, and the caller promises the rest.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count_free();
        // SAFETY: `block` came from `System` through us with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}
