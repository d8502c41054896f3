//! Pools in the steady state count violations.

use std::sync::Arc;

use zorb_base::error::{Error, Phase};
use zorb_os::alloc;

use crate::lane::steady_state::{LaneViolations, ViolationReport};
use crate::server_core::{Freezing, ServerCore};

impl ServerCore {
    /// Makes the lanes of all pools, including later ones, count violations from now on.
    ///
    /// # Errors
    /// The system does not report page faults of threads.
    pub fn freeze_pools(&self, report: Option<Arc<ViolationReport>>) -> Result<(), Error> {
        if !alloc::is_counting() {
            tracing::info!("allocations are not counted: CountingAllocator is not installed");
        }
        // Before the pools are listed: a pool that is added later reads this.
        *self.freezing.lock() = Some(Freezing { report: report.clone() });
        let frozen = self.pools.all().iter().try_for_each(|pool| pool.freeze(report.as_ref()));
        frozen.map_err(|error| {
            Error::new(Phase::Configure, "counting the page faults of lanes").with_source(error)
        })
    }

    /// Stops counting; the counts remain.
    pub fn thaw_pools(&self) {
        *self.freezing.lock() = None;
        self.pools.all().iter().for_each(|pool| pool.thaw());
    }

    /// The violations of each lane.
    pub fn violations(&self) -> Vec<LaneViolations> {
        self.pools.all().iter().flat_map(|pool| pool.violations().collect::<Vec<_>>()).collect()
    }
}
