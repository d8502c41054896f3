//! The lane that a thread belongs to when it makes calls. Threads of a lane share client connections with no
//! other lane.

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use zorb_os::thread;

/// The maximum number of lanes in the process that have client connections of their own. Further lanes share
/// the connections of threads without a lane.
pub const MAX_LANES: usize = u64::BITS as usize;
/// Thread numbers are below this; lanes are encoded as multiples of it.
const THREADS: usize = 1 << 16;
/// The value of [`CALLER`] before the thread's first call.
const UNKNOWN: usize = usize::MAX;

thread_local! {
    /// The thread's number + [`THREADS`] * (the number of its lane + 1), without the second term if it has none.
    static CALLER: Cell<usize> = const { Cell::new(UNKNOWN) };
}

/// The number of the calling thread, if it belongs to no lane and has made a call before; otherwise a number
/// above all thread numbers.
#[inline]
pub fn caller() -> usize {
    CALLER.get()
}

/// The number of the calling thread, and that of its lane.
#[inline]
pub fn thread_and_lane() -> (usize, Option<usize>) {
    let caller = CALLER.get();
    // Most threads belong to no lane.
    if caller < THREADS { (caller, None) } else { known_thread_and_lane() }
}

#[inline(never)]
fn known_thread_and_lane() -> (usize, Option<usize>) {
    if CALLER.get() == UNKNOWN {
        CALLER.set(thread::number() % THREADS);
    }
    let caller = CALLER.get();
    (caller % THREADS, (caller / THREADS).checked_sub(1))
}

/// A lane whose threads make calls. Its number, unique among the lanes of the process, identifies its
/// connections.
#[derive(Debug)]
pub struct CallingLane {
    number: usize,
    ended: AtomicBool,
}

/// The numbers in use.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// How many values stand for the lane with each number.
static VALUES: [AtomicU32; MAX_LANES] = [const { AtomicU32::new(0) }; MAX_LANES];

impl CallingLane {
    /// Creates a lane with the lowest free number; `None` if all [`MAX_LANES`] are in use.
    pub fn new() -> Option<Self> {
        let take = |taken: u64| (taken != u64::MAX).then(|| taken | (taken + 1));
        let before = TAKEN.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).ok()?;
        Some(Self::with_number(before.trailing_ones() as usize))
    }

    /// The lane of the calling thread, for a thread that makes calls in its place; `None` if it has none.
    pub fn of_caller() -> Option<Self> {
        thread_and_lane().1.map(Self::with_number)
    }

    fn with_number(number: usize) -> Self {
        VALUES[number].fetch_add(1, Ordering::AcqRel);
        Self { number, ended: AtomicBool::new(false) }
    }

    /// The lane's number, below [`MAX_LANES`].
    pub fn number(&self) -> usize {
        self.number
    }

    /// Adds the calling thread to this lane until the result is dropped, and then returns it to its previous lane.
    pub fn enter(&self) -> Entered {
        let (thread, lane) = thread_and_lane();
        CALLER.set(thread + (self.number + 1) * THREADS);
        Entered { before: lane }
    }

    /// Frees the number if no other value stands for the lane. No thread that has entered it by this value may make calls
    /// afterwards.
    pub fn end(&self) {
        let is_last = || VALUES[self.number].fetch_sub(1, Ordering::AcqRel) == 1;
        if !self.ended.swap(true, Ordering::AcqRel) && is_last() {
            TAKEN.fetch_and(!(1 << self.number), Ordering::AcqRel);
        }
    }
}

impl Drop for CallingLane {
    fn drop(&mut self) {
        self.end();
    }
}

/// The calling thread's membership in a lane, until dropped.
#[derive(Debug)]
pub struct Entered {
    before: Option<usize>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let (thread, _) = thread_and_lane();
        CALLER.set(thread + self.before.map_or(0, |lane| (lane + 1) * THREADS));
    }
}
