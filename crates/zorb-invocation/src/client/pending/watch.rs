//! Telling the program how many pending calls there are.

use std::fmt;
use std::sync::Arc;

use zorb_base::callback::call_back;
use zorb_os::lock::Lock;

use super::super::jobs::{Job, Run};
use crate::flow::{FlowEvent, FlowLimits, Watermark};

type OnEvent = dyn Fn(&FlowEvent) + Send + Sync;
/// Runs a job on a thread for functions of the program.
type RunLater = dyn Fn(Job) + Send + Sync;

/// Tells the program when the pending calls of the process are many, and when they are few again.
pub(in crate::client) struct PendingWatch {
    run_later: Box<RunLater>,
    limits: FlowLimits,
    watermark: Lock<Watermark>,
    on_event: Box<OnEvent>,
}

impl PendingWatch {
    /// Tells of pending calls that are many in comparison with `limits`.
    pub(in crate::client) fn new(
        limits: FlowLimits,
        run_later: Box<RunLater>,
        on_event: impl Fn(&FlowEvent) + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            run_later,
            limits,
            watermark: Lock::new(Watermark::default()),
            on_event: Box::new(on_event),
        })
    }

    /// A call has begun, on the calling thread, which holds no lock.
    #[cold]
    pub(super) fn has_begun(&self, calls: usize, octets: usize) {
        if let Some(event) = self.event(calls, octets) {
            self.tell(&event);
        }
    }

    /// A call counts no more. The thread may have locked its connection, so another one tells the program.
    #[cold]
    pub(super) fn has_ended(self: &Arc<Self>, calls: usize, octets: usize) {
        let Some(event) = self.event(calls, octets) else { return };
        let watch = Arc::clone(self);
        let tell = move |run| match run {
            // Not on this thread.
            Run::WithoutThread => watch.watermark.lock().take_back(&event),
            _ => watch.tell(&event),
        };
        (self.run_later)(Job::new(None, tell));
    }

    fn event(&self, calls: usize, octets: usize) -> Option<FlowEvent> {
        self.watermark.lock().event(&self.limits, calls, octets)
    }

    fn tell(&self, event: &FlowEvent) {
        call_back("a function for many pending calls", || (self.on_event)(event));
    }
}

impl fmt::Debug for PendingWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingWatch").field("limits", &self.limits).finish_non_exhaustive()
    }
}
