//! Connections of lanes: the calls that servants make go over connections of their lane alone, or of the
//! lane that has borrowed their thread.

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use zorb_os::thread;

use super::pool::EndpointPool;

/// The most lanes of the process that have connections of their own at a time. Those beyond them share
/// the connections of threads without a lane.
const MOST: usize = u64::BITS as usize;
/// One more than the highest number of a thread here, from where on lanes' numbers are.
const THREADS: usize = 1 << 16;
/// A thread that has not called yet.
const UNKNOWN: usize = usize::MAX;

thread_local! {
    /// The thread's number, and times [`THREADS`] one more than that of the lane for which it calls.
    static CALLER: Cell<usize> = const { Cell::new(UNKNOWN) };
}

/// The number of the calling thread, if it calls for no lane and has called before: all others have
/// numbers beyond those of places.
#[inline]
pub(super) fn caller() -> usize {
    CALLER.get()
}

/// The number of the calling thread, and the lane for which it calls.
fn thread_and_lane() -> (usize, Option<usize>) {
    if CALLER.get() == UNKNOWN {
        CALLER.set(thread::number() % THREADS);
    }
    let caller = CALLER.get();
    (caller % THREADS, (caller / THREADS).checked_sub(1))
}

/// A lane's number, which no other living one has: its place among the connections to each endpoint.
#[derive(Debug)]
pub(crate) struct LaneConnections {
    number: usize,
    ended: AtomicBool,
}

/// Those that are taken.
static TAKEN: AtomicU64 = AtomicU64::new(0);

impl LaneConnections {
    /// The lowest that is free; `None` where none is.
    pub(crate) fn new() -> Option<Self> {
        let take = |taken: u64| (taken != u64::MAX).then(|| taken | (taken + 1));
        let before = TAKEN.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).ok()?;
        Some(Self { number: before.trailing_ones() as usize, ended: AtomicBool::new(false) })
    }

    /// Has the calling thread call for this lane, until what it returns is dropped.
    pub(crate) fn enter(&self) -> Entered {
        let (thread, lane) = thread_and_lane();
        CALLER.set(thread + (self.number + 1) * THREADS);
        Entered { before: lane }
    }

    /// No thread calls for it any more: another lane may have the number.
    pub(crate) fn end(&self) {
        if !self.ended.swap(true, Ordering::AcqRel) {
            TAKEN.fetch_and(!(1 << self.number), Ordering::AcqRel);
        }
    }
}

impl Drop for LaneConnections {
    fn drop(&mut self) {
        self.end();
    }
}

/// A thread that calls for a lane, until dropped.
#[derive(Debug)]
pub(crate) struct Entered {
    before: Option<usize>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let (thread, _) = thread_and_lane();
        CALLER.set(thread + self.before.map_or(0, |lane| (lane + 1) * THREADS));
    }
}

/// The connections of each lane to one endpoint.
#[derive(Debug, Default)]
pub(super) struct ByLane {
    /// By the lanes' numbers; made when the first thread of a lane calls.
    pools: OnceLock<Box<[OnceLock<Arc<EndpointPool>>]>>,
}

impl ByLane {
    fn of(&self, lane: usize) -> Option<&OnceLock<Arc<EndpointPool>>> {
        let pools = self.pools.get_or_init(|| (0..MOST).map(|_| OnceLock::new()).collect());
        pools.get(lane)
    }

    /// Those that there are.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<EndpointPool>> {
        self.pools.get().into_iter().flatten().filter_map(OnceLock::get)
    }

    /// Those of a lane that has come to its end.
    pub(super) fn left_by(&self, lane: &LaneConnections) -> Option<&Arc<EndpointPool>> {
        self.pools.get()?.get(lane.number)?.get()
    }
}

impl EndpointPool {
    /// The connections that are for calls of the calling thread, and its number: those here, or those of
    /// its lane.
    pub(super) fn for_caller(&self) -> (&Self, usize) {
        let (thread, lane) = thread_and_lane();
        let of_lane = lane.and_then(|lane| self.by_lane.of(lane));
        let Some(of_lane) = of_lane else { return (self, thread) };
        match of_lane.get() {
            Some(pool) => (pool, thread),
            None => (self.open_lane(of_lane), thread),
        }
    }

    #[cold]
    fn open_lane<'p>(&'p self, of_lane: &'p OnceLock<Arc<Self>>) -> &'p Self {
        let pool = of_lane.get_or_init(|| self.for_lane());
        if self.state().closed {
            // Who has closed the others may not have seen it.
            pool.close();
        }
        pool
    }
}
