//! An allocator that counts allocations.
//!
//! Install it in a test or benchmark, and take the difference of two counts:
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
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The system allocator, with counts of allocations and bytes per thread and in total.
///
/// Counting costs two additions in thread-local storage and two relaxed atomic additions. All
/// counts stay 0 unless it is installed as `#[global_allocator]`.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

/// The number of allocations, since the start of the thread or process, or between two counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AllocationCount {
    /// Blocks allocated. A reallocation counts as one allocation and one free.
    pub allocations: u64,
    /// Blocks freed.
    pub frees: u64,
    /// Bytes requested, without the overhead of the allocator. Never decreases.
    pub bytes: u64,
}

thread_local! {
    // Has no destructor and a constant initial value: the allocator may use it at any time in a
    // thread's life, and using it never allocates.
    static HERE: Cell<AllocationCount> = const { Cell::new(AllocationCount::ZERO) };
    static LARGEST: Cell<usize> = const { Cell::new(usize::MAX) };
    static IS_SPARED: Cell<bool> = const { Cell::new(false) };
}

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static FREES: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The size above which blocks are counted in [`LARGE`]; see [`Refusal`].
static LARGE_ABOVE: AtomicUsize = AtomicUsize::new(usize::MAX);
static LARGE: AtomicU64 = AtomicU64::new(0);
static FIRST_REFUSED: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);

impl AllocationCount {
    const ZERO: Self = Self { allocations: 0, frees: 0, bytes: 0 };

    /// The allocations of the calling thread since it started.
    #[must_use]
    pub fn this_thread() -> Self {
        HERE.get()
    }

    /// The allocations of all threads since the process started. The three numbers are read one
    /// after the other, so they are consistent only while no other thread allocates.
    #[must_use]
    pub fn total() -> Self {
        Self {
            allocations: ALLOCATIONS.load(Ordering::Relaxed),
            frees: FREES.load(Ordering::Relaxed),
            bytes: BYTES.load(Ordering::Relaxed),
        }
    }

    /// The difference between `earlier` and this count.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            allocations: self.allocations.wrapping_sub(earlier.allocations),
            frees: self.frees.wrapping_sub(earlier.frees),
            bytes: self.bytes.wrapping_sub(earlier.bytes),
        }
    }

    /// Runs `work`; returns its result and the allocations of the calling thread meanwhile.
    pub fn of<T>(work: impl FnOnce() -> T) -> (T, Self) {
        let before = Self::this_thread();
        let result = work();
        (result, Self::this_thread().since(before))
    }
}

/// Whether [`CountingAllocator`] is installed, determined by an allocation.
#[must_use]
pub fn is_counting() -> bool {
    let ((), used) = AllocationCount::of(|| drop(std::hint::black_box(Box::new(0_u64))));
    used.allocations > 0
}

/// Refuses the calling thread blocks of more than this many octets, as if there were no memory for them, until it
/// is called again; `usize::MAX`, the default, refuses none. For tests, with [`CountingAllocator`] installed: code
/// that allocates such a block and cannot handle its absence ends the process.
pub fn refuse_above(octets: usize) {
    LARGEST.set(octets);
}

/// Large blocks that the process does not get, as if there were no memory for them, except the calling thread. For
/// tests, as [`refuse_above`].
#[derive(Debug, Clone, Copy)]
pub struct Refusal {
    /// The size in octets above which a block is large.
    pub above: usize,
    /// The number of large blocks that are allocated before.
    pub after: u64,
    /// The number of large blocks that are refused.
    pub count: u64,
}

impl Refusal {
    /// Starts counting large blocks, in place of an earlier refusal.
    pub fn begin(self) {
        Self::end();
        Self::spare();
        LARGE.store(0, Ordering::SeqCst);
        FIRST_REFUSED.store(self.after, Ordering::SeqCst);
        REFUSED.store(self.count, Ordering::SeqCst);
        LARGE_ABOVE.store(self.above, Ordering::SeqCst);
    }

    /// Spares the calling thread: it gets all blocks, which are not counted.
    pub fn spare() {
        IS_SPARED.set(true);
    }

    /// Ends the refusal that has begun. Returns the number of large blocks that were asked for.
    pub fn end() -> u64 {
        LARGE_ABOVE.store(usize::MAX, Ordering::SeqCst);
        LARGE.load(Ordering::SeqCst)
    }
}

pub(crate) fn is_refused(size: usize) -> bool {
    size > LARGEST.get() || (size > LARGE_ABOVE.load(Ordering::Relaxed) && is_large_refused())
}

#[cold]
fn is_large_refused() -> bool {
    if IS_SPARED.get() {
        return false;
    }
    let number = LARGE.fetch_add(1, Ordering::SeqCst);
    let first = FIRST_REFUSED.load(Ordering::SeqCst);
    number.checked_sub(first).is_some_and(|since| since < REFUSED.load(Ordering::SeqCst))
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
