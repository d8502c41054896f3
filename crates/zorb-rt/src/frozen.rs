//! Detection of events that are forbidden in steady state.

use std::sync::Arc;

use zorb_core::Error;
use zorb_core::lanes::LaneViolations;

use super::RtOrb;

impl RtOrb {
    /// Begins the steady state (`rt_freeze`): from now on the lanes of all pools count operations of their threads
    /// whose duration is not bounded: [allocations](super::CountingAllocator), page faults, started threads, opened
    /// connections, and changes of the tables that calls use. [`violations`](Self::violations) returns the counts; the
    /// first violation of each lane is logged. Calling it again resets the counts.
    ///
    /// Activate the objects, open the connections (`validate_connection`), and make a few calls of each kind before, so
    /// that buffers have their final sizes. Requests that are being processed are not counted.
    ///
    /// # Errors
    /// The system does not report the page faults of threads.
    #[doc(alias = "rt_freeze")]
    pub fn freeze(&self) -> Result<(), Error> {
        self.orb.freeze_pools(None)
    }

    /// Begins the steady state, as [`freeze`](Self::freeze) does. The lane's thread calls `report` after each request with
    /// violations, with the violations of that request; they do not include page faults, which only
    /// [`violations`](Self::violations) counts.
    ///
    /// # Errors
    /// As [`freeze`](Self::freeze).
    pub fn freeze_with(
        &self,
        report: impl Fn(&LaneViolations) + Send + Sync + 'static,
    ) -> Result<(), Error> {
        self.orb.freeze_pools(Some(Arc::new(report)))
    }

    /// Ends the steady state; the counts remain until the next [`freeze`](Self::freeze).
    pub fn thaw(&self) {
        self.orb.thaw_pools();
    }

    /// The violations since [`freeze`](Self::freeze), by lane.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let orb = zorb_core::Orb::builder().without_environment().build()?;
    /// # let rt = zorb_rt::RtOrb::builder().attach(&orb)?;
    /// rt.freeze()?;
    /// // ... calls ...
    /// for lane in rt.violations() {
    ///     if lane.total() > 0 {
    ///         eprintln!("{lane}");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn violations(&self) -> Vec<LaneViolations> {
        self.orb.pool_violations()
    }
}
