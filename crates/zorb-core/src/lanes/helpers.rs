//! Threads that work for a lane and serve no requests.

use std::sync::Arc;

use zorb_os::priority;
use zorb_transport::WorkerThreads;

use super::LaneThreads;
use super::frozen::Frozen;

/// Has the calling thread be as those of a lane that serve requests, at their priority and on their
/// processors, and be counted with them. The threads that it starts are so from their beginning, whoever
/// else wants the processor.
pub(super) fn assist(frozen: &Frozen, threads: &dyn LaneThreads) {
    frozen.watch_for_good();
    priority::bequeath();
    if let Err(error) = threads.assist() {
        tracing::warn!(%error, lane = frozen.lane(), "a thread is not as those of its lane");
        threads.adopt();
    }
}

/// The threads that transports have of their own for a lane's endpoints.
#[derive(Debug)]
pub(super) struct Helpers {
    pub(super) frozen: Arc<Frozen>,
    pub(super) threads: Arc<dyn LaneThreads>,
}

impl WorkerThreads for Helpers {
    fn begin(&self) {
        assist(&self.frozen, &*self.threads);
    }

    fn turn_begins(&self) {
        self.frozen.turn_begins();
    }

    fn turn_ends(&self) {
        self.frozen.turn_ends();
    }
}
