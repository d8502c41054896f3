//! Threads that go from node to node.

use std::sync::Arc;
use std::time::Duration;

use zorb::Orb;
use zorb::poa::{Poa, PoaPolicies};
use zorb_dsrt::{Deadline, EarliestDeadline, Parameters, RtScheduling, SchedulingError};

/// Attaches dynamic scheduling to an ORB, and creates a POA for distributable threads.
pub fn attach(orb: &Orb) -> Result<(RtScheduling, Poa), zorb::Error> {
    let scheduling = RtScheduling::attach(orb, Arc::new(EarliestDeadline::new()));
    let policies = PoaPolicies::new().with(scheduling.policy());
    let poa = orb.root_poa().create("distributable", policies)?;
    Ok((scheduling, poa))
}

/// Runs `calls` in a scheduling segment with a deadline of 20 ms.
pub fn track<T>(
    scheduling: &RtScheduling,
    calls: impl FnOnce() -> T,
) -> Result<T, SchedulingError> {
    let current = scheduling.current();
    let deadline = Parameters::Deadline(Deadline::after(Duration::from_millis(20)));
    current.within("track", Some(deadline), calls)
}

/// The same on a new distributable thread, which is then cancelled.
pub fn cancelled(
    scheduling: &RtScheduling,
    calls: impl FnOnce() + Send + 'static,
) -> Result<(), SchedulingError> {
    let deadline = Parameters::Deadline(Deadline::after(Duration::from_millis(20)));
    let spawned = scheduling.current().spawn("track", Some(deadline), None, 0, calls)?;
    spawned.thread.cancel();
    let _ = spawned.handle.join();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_come_and_go() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let (scheduling, poa) = attach(&orb).unwrap();
        let current = scheduling.current();
        assert!(track(&scheduling, || current.id()).unwrap().is_some());
        cancelled(&scheduling, || ()).unwrap();
        assert_eq!(scheduling.count(), 0);
        poa.destroy();
    }
}
