//! The system allocator with counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;

use crate::alloc::{CountingAllocator, count_allocation, count_free, is_refused};

// SAFETY: every method passes its arguments unchanged to `System`, a sound global allocator, and
// returns its result; or it returns null, which is how an allocation fails. Counting neither allocates nor panics.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return null_mut();
        }
        count_allocation(layout.size());
        // SAFETY: the caller fulfils the contract of `GlobalAlloc::alloc`, which is that of
        // `System::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return null_mut();
        }
        count_allocation(layout.size());
        // SAFETY: the caller fulfils the contract of `GlobalAlloc::alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if is_refused(new_size) {
            return null_mut();
        }
        count_allocation(new_size);
        count_free();
        // SAFETY: `block` came from `System` through this allocator; the caller fulfils the rest of
        // the contract.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count_free();
        // SAFETY: `block` came from `System` through this allocator, with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}
