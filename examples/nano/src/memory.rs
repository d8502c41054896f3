//! All the memory there is.
#![expect(unsafe_code, reason = "an allocator is")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Memory that is allocated from its start to its end, and never freed: the ORB allocates at start. Unlike that of
/// `static-alloc`, its code has no place that could panic.
pub(crate) struct Memory<const SIZE: usize> {
    octets: UnsafeCell<[u8; SIZE]>,
    used: AtomicUsize,
}

impl<const SIZE: usize> Memory<SIZE> {
    pub(crate) const fn new() -> Self {
        Self { octets: UnsafeCell::new([0; SIZE]), used: AtomicUsize::new(0) }
    }
}

// SAFETY: each octet is given to one allocation, and only the number of them changes here.
unsafe impl<const SIZE: usize> Sync for Memory<SIZE> {}

// SAFETY: allocations are aligned, inside of the octets, and do not overlap, as `used` only grows.
unsafe impl<const SIZE: usize> GlobalAlloc for Memory<SIZE> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let octets = self.octets.get().cast::<u8>();
        let mut used = self.used.load(Ordering::Relaxed);
        loop {
            let free = octets.wrapping_add(used);
            let padding = free.addr().wrapping_neg() & (layout.align() - 1);
            let start = used.saturating_add(padding);
            let end = start.saturating_add(layout.size());
            if end > SIZE {
                return null_mut();
            }
            let order = Ordering::Relaxed;
            match self.used.compare_exchange_weak(used, end, order, order) {
                Ok(_) => return octets.wrapping_add(start),
                Err(now) => used = now,
            }
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
