//! Pools that have found their pace.

use std::sync::Arc;

use zorb_core::Error;
use zorb_core::lanes::LaneViolations;

use super::RtOrb;

impl RtOrb {
    /// Says that everything is set up (`rt_freeze`): from now on the lanes of all pools count what their
    /// threads do that takes time which nobody has bounded: [allocations](super::CountingAllocator),
    /// page faults, threads started, connections opened, and changes of the tables that calls look
    /// into. [`violations`](Self::violations) says how many there were; the first of each lane is
    /// logged. Calling it again begins anew.
    ///
    /// Before it, activate the objects, open the connections (`validate_connection`), and make a few
    /// calls of each kind, so that buffers have their sizes. A request that is under way is left out.
    ///
    /// # Errors
    /// Where the system does not tell how many page faults threads have had.
    #[doc(alias = "rt_freeze")]
    pub fn freeze(&self) -> Result<(), Error> {
        self.orb.freeze_pools(None)
    }

    /// The same; `report` is called after each request with violations, by the lane's thread, with
    /// those of that request. Page faults are not among it, which are only known when they are asked
    /// for.
    ///
    /// # Errors
    /// As [`freeze`](Self::freeze).
    pub fn freeze_with(
        &self,
        report: impl Fn(&LaneViolations) + Send + Sync + 'static,
    ) -> Result<(), Error> {
        self.orb.freeze_pools(Some(Arc::new(report)))
    }

    /// Ends the counting; the counts stay until lanes are frozen again.
    pub fn thaw(&self) {
        self.orb.thaw_pools();
    }

    /// What the lanes of all pools have counted since they were [frozen](Self::freeze), lane by lane.
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
