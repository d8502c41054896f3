//! The progress of lanes, for checks whether a server is alive.

use std::sync::atomic::Ordering;

use crate::lane::Lane;
use crate::server_core::ServerCore;

/// How far the threads of a lane have come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneProgress {
    /// The number of its pool.
    pub pool: usize,
    /// Its name.
    pub name: String,
    /// Whether a thread waits for requests, or can be started for them.
    pub has_free_thread: bool,
    /// A number that changes whenever a thread has completed something.
    pub completed: u64,
}

impl ServerCore {
    /// The progress of the lanes of pools, except those whose connections have threads of their own.
    pub fn progress(&self) -> Vec<LaneProgress> {
        let pools = self.pools.all();
        pools.iter().flat_map(|pool| pool.lanes()).filter_map(|lane| lane.progress()).collect()
    }
}

impl Lane {
    fn progress(&self) -> Option<LaneProgress> {
        let (has_free_thread, completed) = match (self.queue(), &self.reactor) {
            (Some(queue), _) => queue.progress(),
            (None, Some(reactor)) => reactor.progress(),
            (None, None) => return None,
        };
        let may_grow = self.threads.load(Ordering::Acquire) < self.settings.max_threads();
        Some(LaneProgress {
            pool: self.core.pool(),
            name: self.core.name().to_owned(),
            has_free_thread: has_free_thread || may_grow,
            completed,
        })
    }
}
