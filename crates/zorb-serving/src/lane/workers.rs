//! Threads that work for a lane and serve no requests.

use std::sync::Arc;

use zorb_os::priority;
use zorb_transport::WorkerThreads;

use super::steady_state::SteadyState;
use crate::settings::LaneThreads;

/// Has the calling thread be as those of a lane that serve requests, at their priority and on their
/// processors, and be counted with them. The threads that it starts are so from their beginning, whoever
/// else wants the processor.
pub(crate) fn assist(steady_state: &SteadyState, threads: &dyn LaneThreads) {
    steady_state.watch_for_good();
    priority::enable_inheritance();
    if let Err(error) = threads.assist() {
        tracing::warn!(%error, lane = steady_state.lane(), "a thread is not as those of its lane");
        threads.adopt();
    }
}

/// The threads that transports have of their own for a lane's endpoints.
#[derive(Debug)]
pub(crate) struct LaneWorkers {
    pub(crate) steady_state: Arc<SteadyState>,
    pub(crate) threads: Arc<dyn LaneThreads>,
}

impl WorkerThreads for LaneWorkers {
    fn begin(&self) {
        assist(&self.steady_state, &*self.threads);
    }

    fn work_begins(&self) {
        self.steady_state.work_begins();
    }

    fn work_ends(&self) {
        self.steady_state.work_ends();
    }
}
