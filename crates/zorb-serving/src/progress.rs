//! What lanes do: their progress, for checks whether a server is alive, and their counts.

use std::sync::atomic::Ordering;

use crate::lane::Lane;
use crate::server_core::ServerCore;
use crate::settings::LaneCounts;

/// The progress of the threads of a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneProgress {
    /// The number of its pool.
    pub pool: usize,
    /// Its name.
    pub name: String,
    /// Whether a thread waits for requests, or can be started for them. Of connections with threads of their own: whether
    /// none of them makes an upcall.
    pub has_free_thread: bool,
    /// A number that changes whenever a thread has completed something.
    pub completed: u64,
}

impl ServerCore {
    /// The progress of all lanes. Call it in the [upcall of the probe](zorb_base::upcall_thread::ProbeUpcall) that asks
    /// for it.
    pub fn progress(&self) -> Vec<LaneProgress> {
        let pools = self.pools.all();
        let of_pools = pools.iter().flat_map(|pool| pool.lanes());
        self.default_lane().into_iter().chain(of_pools).map(|lane| lane.progress()).collect()
    }
}

/// The counts of a lane, and its names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneMetrics {
    /// The name of its thread pool; empty for the ORB's own lane, which serves the endpoints outside pools.
    pub pool: String,
    /// Its name, with which those of its threads begin.
    pub lane: String,
    /// The CORBA priority that it serves; `None` for any.
    pub priority: Option<i16>,
    /// Its counts.
    pub counts: LaneCounts,
}

impl ServerCore {
    /// The counts of all lanes: first the ORB's own, if it listens, then those of pools.
    pub fn lane_metrics(&self) -> Vec<LaneMetrics> {
        let own = self.default_lane().map(|lane| lane.metrics(""));
        let pools = self.pools.all();
        let of_pools =
            pools.iter().flat_map(|pool| pool.lanes().iter().map(|lane| lane.metrics(pool.name())));
        own.into_iter().chain(of_pools).collect()
    }

    /// The number of requests that wait for deferred replies.
    pub fn deferred_requests(&self) -> usize {
        self.context.deferred_requests()
    }
}

impl Lane {
    fn metrics(&self, pool: &str) -> LaneMetrics {
        LaneMetrics {
            pool: pool.to_owned(),
            lane: self.core.name().to_owned(),
            priority: self.settings.priority,
            counts: self.counts(),
        }
    }

    fn progress(&self) -> LaneProgress {
        let may_grow = self.threads.load(Ordering::Acquire) < self.settings.max_threads();
        let (has_free_thread, completed) = match (self.queue(), &self.reactor) {
            (Some(queue), _) => queue.progress(),
            (None, Some(reactor)) => reactor.progress(),
            (None, None) => self.progress_of_own_threads(),
        };
        LaneProgress {
            pool: self.core.pool(),
            name: self.core.name().to_owned(),
            has_free_thread: has_free_thread || (may_grow && self.reactor.is_some()),
            completed,
        }
    }
}
