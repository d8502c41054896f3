//! Pools in the steady state: they count what their threads must not do then.

use std::sync::Arc;

use zorb_base::error::{Error, Phase};
use zorb_os::alloc;

use crate::lane::steady_state::{LaneViolations, ViolationReport};
use crate::server_core::{Freezing, ServerCore};

impl ServerCore {
    /// Has the lanes of all pools count violations from now on, those of pools that are made later too.
    ///
    /// # Errors
    /// Where the system does not tell how many page faults threads have had.
    pub fn freeze_pools(&self, report: Option<Arc<ViolationReport>>) -> Result<(), Error> {
        if !alloc::is_counting() {
            tracing::info!("allocations are not counted: CountingAllocator is not installed");
        }
        // Before the pools are gone through: one that is not among them yet looks here when it is.
        *self.freezing.lock() = Some(Freezing { report: report.clone() });
        let frozen = self.pools.all().iter().try_for_each(|pool| pool.freeze(report.as_ref()));
        frozen.map_err(|error| {
            Error::new(Phase::Configure, "counting the page faults of lanes").with_source(error)
        })
    }

    /// Ends the counting; the counts stay.
    pub fn thaw_pools(&self) {
        *self.freezing.lock() = None;
        self.pools.all().iter().for_each(|pool| pool.thaw());
    }

    /// What has been counted, lane by lane.
    pub fn violations(&self) -> Vec<LaneViolations> {
        self.pools.all().iter().flat_map(|pool| pool.violations().collect::<Vec<_>>()).collect()
    }
}
