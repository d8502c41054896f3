//! The lane for which a thread makes calls: calls of its servants use connections of their own.

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use zorb_os::thread;

/// The most lanes of the process that have connections of their own at a time. Further lanes share
/// the connections of threads without a lane.
pub const MAX_LANES: usize = u64::BITS as usize;
/// One more than the highest number of a thread; lanes are counted in multiples of it.
const THREADS: usize = 1 << 16;
/// A thread that has not called yet.
const UNKNOWN: usize = usize::MAX;

thread_local! {
    /// The thread's number, plus [`THREADS`] times one more than the number of the lane for which it calls.
    static CALLER: Cell<usize> = const { Cell::new(UNKNOWN) };
}

/// The number of the calling thread, if it calls for no lane and has called before; otherwise a number
/// above those of threads.
#[inline]
pub fn caller() -> usize {
    CALLER.get()
}

/// The number of the calling thread, and that of the lane for which it calls.
pub fn thread_and_lane() -> (usize, Option<usize>) {
    if CALLER.get() == UNKNOWN {
        CALLER.set(thread::number() % THREADS);
    }
    let caller = CALLER.get();
    (caller % THREADS, (caller / THREADS).checked_sub(1))
}

/// A lane whose threads make calls. Its number identifies its connections; no other lane has it at the
/// same time.
#[derive(Debug)]
pub struct CallingLane {
    number: usize,
    ended: AtomicBool,
}

/// The numbers in use.
static TAKEN: AtomicU64 = AtomicU64::new(0);

impl CallingLane {
    /// A lane with the lowest free number; `None` if none is free.
    pub fn new() -> Option<Self> {
        let take = |taken: u64| (taken != u64::MAX).then(|| taken | (taken + 1));
        let before = TAKEN.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).ok()?;
        Some(Self { number: before.trailing_ones() as usize, ended: AtomicBool::new(false) })
    }

    /// Its number, below [`MAX_LANES`].
    pub fn number(&self) -> usize {
        self.number
    }

    /// Makes the calling thread call for this lane, until the result is dropped.
    pub fn enter(&self) -> Entered {
        let (thread, lane) = thread_and_lane();
        CALLER.set(thread + (self.number + 1) * THREADS);
        Entered { before: lane }
    }

    /// Gives the number back: no thread calls for the lane any more.
    pub fn end(&self) {
        if !self.ended.swap(true, Ordering::AcqRel) {
            TAKEN.fetch_and(!(1 << self.number), Ordering::AcqRel);
        }
    }
}

impl Drop for CallingLane {
    fn drop(&mut self) {
        self.end();
    }
}

/// A thread that calls for a lane, until dropped.
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
