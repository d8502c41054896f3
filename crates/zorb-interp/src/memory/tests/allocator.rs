//! An allocator that has no memory for a thread while a test wants it.

extern crate std;

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;

std::thread_local! {
    static IS_EMPTY: Cell<bool> = const { Cell::new(false) };
}

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: it is the allocator of the system, or allocates nothing.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if IS_EMPTY.get() {
            return core::ptr::null_mut();
        }
        // SAFETY: as the caller guarantees.
        unsafe { std::alloc::System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller guarantees.
        unsafe { std::alloc::System.dealloc(at, layout) };
    }
}

/// Runs something for which there is no memory.
pub(super) fn without_memory<T>(run: impl FnOnce() -> T) -> T {
    IS_EMPTY.set(true);
    let result = run();
    IS_EMPTY.set(false);
    result
}
