//! An allocator that counts.
//!
//! Install it in a test or benchmark program, then take the difference of two counts:
//!
//! ```
//! use zorb_os::alloc::{AllocationCount, CountingAllocator};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! let before = AllocationCount::this_thread();
//! let boxed = Box::new([0_u8; 100]);
//! let used = AllocationCount::this_thread().since(before);
//! assert_eq!((used.allocations, used.frees, used.bytes), (1, 0, 100));
//! # drop(boxed);
//! ```

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator, which counts allocations and their bytes by thread and in total.
///
/// Counting costs two additions in thread-local storage and two relaxed atomic additions. Where
/// it is not installed as `#[global_allocator]`, all counts stay 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

/// How much was allocated, since the thread or process began or between two such moments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AllocationCount {
    /// Blocks asked for. A block that is resized counts as one allocation and one free.
    pub allocations: u64,
    /// Blocks given back.
    pub frees: u64,
    /// Bytes asked for, without what the allocator adds. Never goes down.
    pub bytes: u64,
}

thread_local! {
    // Without a destructor and with a constant start value, so that the allocator may use it
    // at any moment of a thread's life and using it never allocates.
    static HERE: Cell<AllocationCount> = const { Cell::new(AllocationCount::ZERO) };
}

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static FREES: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

impl AllocationCount {
    const ZERO: Self = Self { allocations: 0, frees: 0, bytes: 0 };

    /// What the calling thread has allocated since it began.
    #[must_use]
    pub fn this_thread() -> Self {
        HERE.get()
    }

    /// What all threads have allocated since the process began. The three numbers are read one
    /// after the other, so they belong to one moment only while no other thread allocates.
    #[must_use]
    pub fn total() -> Self {
        Self {
            allocations: ALLOCATIONS.load(Ordering::Relaxed),
            frees: FREES.load(Ordering::Relaxed),
            bytes: BYTES.load(Ordering::Relaxed),
        }
    }

    /// What was allocated between `earlier` and this count.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            allocations: self.allocations.wrapping_sub(earlier.allocations),
            frees: self.frees.wrapping_sub(earlier.frees),
            bytes: self.bytes.wrapping_sub(earlier.bytes),
        }
    }

    /// What the calling thread allocates while `work` runs, with its result.
    pub fn of<T>(work: impl FnOnce() -> T) -> (T, Self) {
        let before = Self::this_thread();
        let result = work();
        (result, Self::this_thread().since(before))
    }
}

/// Whether [`CountingAllocator`] is the program's allocator, found out by trying.
#[must_use]
pub fn is_counting() -> bool {
    let ((), used) = AllocationCount::of(|| drop(std::hint::black_box(Box::new(0_u64))));
    used.allocations > 0
}

pub(crate) fn count_allocation(size: usize) {
    let size = size as u64;
    let mut here = HERE.get();
    here.allocations = here.allocations.wrapping_add(1);
    here.bytes = here.bytes.wrapping_add(size);
    HERE.set(here);
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    BYTES.fetch_add(size, Ordering::Relaxed);
}

pub(crate) fn count_free() {
    let mut here = HERE.get();
    here.frees = here.frees.wrapping_add(1);
    HERE.set(here);
    FREES.fetch_add(1, Ordering::Relaxed);
}
