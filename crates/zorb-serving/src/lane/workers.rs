//! Auxiliary threads of a lane, which serve no requests.

use std::sync::Arc;

use zorb_base::callback::call_back;
use zorb_os::priority;
use zorb_transport::WorkerThreads;

use super::steady_state::SteadyState;
use crate::settings::LaneThreads;

/// Gives the calling thread, and so the threads that it starts, the priority and processors of the lane's
/// worker threads, and counts its violations.
pub(crate) fn assist(steady_state: &SteadyState, threads: &dyn LaneThreads) {
    steady_state.watch_for_good();
    priority::enable_inheritance();
    call_back("preparing an auxiliary thread", || {
        if let Err(error) = threads.assist() {
            let lane = steady_state.lane();
            tracing::warn!(%error, lane, "cannot set the priority or processors of an auxiliary thread");
            threads.adopt();
        }
    });
}

/// The transports' own threads for a lane's endpoints.
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
