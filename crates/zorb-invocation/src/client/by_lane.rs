//! Connections of lanes: the calls that servants make go over connections of their lane alone, or of the
//! lane that has borrowed their thread.

use std::sync::{Arc, OnceLock};

use zorb_base::calling_lane::{CallingLane, MAX_LANES, thread_and_lane};

use super::pool::EndpointPool;

/// The connections of each lane to one endpoint.
#[derive(Debug, Default)]
pub(super) struct ByLane {
    /// By the lanes' numbers; made when the first thread of a lane calls.
    pools: OnceLock<Box<[OnceLock<Arc<EndpointPool>>]>>,
}

impl ByLane {
    fn of(&self, lane: usize) -> Option<&OnceLock<Arc<EndpointPool>>> {
        let pools = self.pools.get_or_init(|| (0..MAX_LANES).map(|_| OnceLock::new()).collect());
        pools.get(lane)
    }

    /// Those that there are.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<EndpointPool>> {
        self.pools.get().into_iter().flatten().filter_map(OnceLock::get)
    }

    /// Those of a lane that has come to its end.
    pub(super) fn left_by(&self, lane: &CallingLane) -> Option<&Arc<EndpointPool>> {
        self.pools.get()?.get(lane.number())?.get()
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
