//! Thread pools: making, freezing and watching them.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use zorb_base::error::Error;
use zorb_serving::{LaneViolations, Pool, PoolSettings, ViolationReport};

use super::handle::Orb;

impl Orb {
    /// Makes a pool: opens its endpoints and starts its threads. Adapters with its
    /// [`ThreadpoolPolicy`](zorb_base::policy::ThreadpoolPolicy) use it.
    ///
    /// # Errors
    /// Settings that cannot be; endpoints that cannot be opened; threads that cannot be had, or are
    /// not [fit](crate::lanes::LaneThreads::begin); an ORB that has shut down. Nothing is left of the
    /// pool then.
    pub fn create_pool(&self, settings: PoolSettings) -> Result<Pool, Error> {
        self.inner.server.create_pool(settings)
    }

    /// Has the lanes of all pools count from now on what their threads are not to do while calls are
    /// urgent: allocations, page faults, threads started, connections opened, tables changed. Whoever
    /// freezes has made what is needed before: objects, connections
    /// ([`validate_connection`](crate::ObjectRef::validate_connection); those that a lane's servants call by
    /// are the lane's own, and made by an upcall in it), and a few calls of each kind to each lane, so that
    /// buffers have their sizes. Counts begin at zero. What is under way is left out, of every kind:
    /// turns, and threads that have not come to their first wait.
    ///
    /// Pools that are made later are frozen from their beginning, so that the connections of their first
    /// clients count.
    ///
    /// `report` is called after every turn with violations; the first of a lane is logged, too.
    ///
    /// # Errors
    /// Where the system does not tell how many page faults threads have had.
    pub fn freeze_pools(&self, report: Option<Arc<ViolationReport>>) -> Result<(), Error> {
        self.inner.server.freeze_pools(report)
    }

    /// Ends the counting; the counts stay.
    pub fn thaw_pools(&self) {
        self.inner.server.thaw_pools();
    }

    /// What has been counted since pools were [frozen](Self::freeze_pools), lane by lane.
    pub fn pool_violations(&self) -> Vec<LaneViolations> {
        self.inner.server.violations()
    }
}
