//! Creates thread pools, and counts their steady-state violations.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use zorb_base::error::Error;
use zorb_serving::{LaneViolations, Pool, PoolSettings, ViolationReport};

use super::handle::Orb;

impl Orb {
    /// Creates a pool: opens its endpoints and starts its threads. Adapters with its
    /// [`ThreadpoolPolicy`](zorb_base::policy::ThreadpoolPolicy) use it.
    ///
    /// # Errors
    /// Invalid settings; an endpoint that cannot be opened; a thread that cannot be started or
    /// [prepared](crate::lanes::LaneThreads::begin); an ORB that has shut down. No part of the pool
    /// remains then.
    #[doc(hidden)]
    pub fn create_pool(&self, settings: PoolSettings) -> Result<Pool, Error> {
        self.inner.server.create_pool(settings)
    }

    /// Starts counting steady-state violations in all lanes: allocations, page faults, threads started,
    /// connections opened and tables changed while a thread works for a lane. Counts start at zero.
    ///
    /// Before it freezes the pools, a program should create its objects, open its connections
    /// ([`validate_connection`](crate::ObjectRef::validate_connection); a lane has its own, which only an
    /// upcall in the lane opens), and make a few calls of each kind in each lane, so that buffers have
    /// their final sizes. Work that is in progress is not counted, nor are threads before their first wait.
    ///
    /// Pools that are created later count from their creation, including the connections of their first
    /// clients.
    ///
    /// `report` is called after every work interval with violations; the first of each lane is also logged.
    ///
    /// # Errors
    /// The system does not report the page faults of threads.
    #[doc(hidden)]
    pub fn freeze_pools(&self, report: Option<Arc<ViolationReport>>) -> Result<(), Error> {
        self.inner.server.freeze_pools(report)
    }

    /// Stops counting; the counts remain.
    #[doc(hidden)]
    pub fn thaw_pools(&self) {
        self.inner.server.thaw_pools();
    }

    /// The counts since the pools were [frozen](Self::freeze_pools), by lane.
    #[doc(hidden)]
    pub fn pool_violations(&self) -> Vec<LaneViolations> {
        self.inner.server.violations()
    }
}
