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

/// Tells the program when the pending calls of an ORB are many, and when they are few again.
pub(in crate::client) struct PendingWatch {
    run_later: Box<RunLater>,
    limits: FlowLimits,
    state: Lock<State>,
    on_event: Box<OnEvent>,
}

#[derive(Debug, Default)]
struct State {
    calls: usize,
    octets: usize,
    watermark: Watermark,
    /// The event to tell next. A later one replaces it.
    next: Option<FlowEvent>,
    /// Whether a thread reports events, or is about to: only one thread at a time does.
    has_teller: bool,
}

impl State {
    /// Notes the event after a change, if there is one. Returns whether the caller has to have it told.
    fn note(&mut self, limits: &FlowLimits) -> bool {
        if let Some(event) = self.watermark.event(limits, self.calls, self.octets) {
            self.next = Some(event);
        }
        let needs_teller = self.next.is_some() && !self.has_teller;
        self.has_teller |= needs_teller;
        needs_teller
    }
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
            state: Lock::new(State::default()),
            on_event: Box::new(on_event),
        })
    }

    /// A call has begun, on the calling thread, which holds no lock.
    #[cold]
    pub(super) fn has_begun(&self) {
        let needs_teller = {
            let mut state = self.state.lock();
            state.calls += 1;
            state.note(&self.limits)
        };
        if needs_teller {
            self.tell();
        }
    }

    /// Counts the octets of the arguments of a call.
    #[cold]
    pub(super) fn retain(&self, octets: usize) {
        self.state.lock().octets += octets;
    }

    /// Stops counting the octets of the arguments of a call.
    #[cold]
    pub(super) fn release(&self, octets: usize) {
        self.state.lock().octets -= octets;
    }

    /// Stops counting a call. Another thread reports an event, as this one may hold the lock of the connection.
    #[cold]
    pub(super) fn has_ended(self: &Arc<Self>) {
        let needs_teller = {
            let mut state = self.state.lock();
            state.calls -= 1;
            state.note(&self.limits)
        };
        if !needs_teller {
            return;
        }
        let watch = Arc::clone(self);
        let tell = move |run| match run {
            // Not on this thread: after the next call.
            Run::WithoutThread => watch.state.lock().has_teller = false,
            _ => watch.tell(),
        };
        (self.run_later)(Job::new(None, tell));
    }

    /// Reports events until there are none left. The caller has set `has_teller`.
    fn tell(&self) {
        loop {
            let event = {
                let mut state = self.state.lock();
                let Some(event) = state.next.take() else {
                    state.has_teller = false;
                    return;
                };
                event
            };
            call_back("a function for many pending calls", || (self.on_event)(&event));
        }
    }
}

impl fmt::Debug for PendingWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingWatch").field("limits", &self.limits).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Ends a call, whose event the test has told when it wants.
    fn end(watch: &Arc<PendingWatch>, jobs: &mpsc::Receiver<Job>) -> Option<Job> {
        watch.has_ended();
        jobs.try_recv().ok()
    }

    #[test]
    fn the_latest_event_is_told_last() {
        let (later, jobs) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let run_later = Box::new(move |job| later.send(job).unwrap());
        let limits = FlowLimits::default().max_calls(4);
        let watch = PendingWatch::new(limits, run_later, move |event: &FlowEvent| {
            tell.send(event.clone()).unwrap();
        });
        let begin = |calls| (0..calls).for_each(|_| watch.has_begun());
        begin(3);
        assert!(matches!(told.try_recv(), Ok(FlowEvent::High { calls: 3, .. })));
        assert!(end(&watch, &jobs).is_none());
        let low = end(&watch, &jobs).unwrap();
        // Many again before the program has learnt that they were few: that is told by the same job.
        begin(2);
        assert!(told.try_recv().is_err());
        (low.run)(Run::InTime);
        assert!(matches!(told.try_recv(), Ok(FlowEvent::High { calls: 3, .. })));
        assert!(end(&watch, &jobs).is_none());
        // No thread can be had: the next call has the event told.
        let low = end(&watch, &jobs).unwrap();
        (low.run)(Run::WithoutThread);
        assert!(told.try_recv().is_err());
        let low = end(&watch, &jobs).unwrap();
        (low.run)(Run::InTime);
        assert!(matches!(told.try_recv(), Ok(FlowEvent::Low { calls: 1, .. })));
        assert!(told.try_recv().is_err());
    }

    #[test]
    fn arguments_count() {
        let (tell, told) = mpsc::channel();
        let limits = FlowLimits::default().max_octets(100);
        let watch = PendingWatch::new(limits, Box::new(|_| ()), move |event: &FlowEvent| {
            tell.send(event.clone()).unwrap();
        });
        watch.has_begun();
        watch.retain(80);
        assert!(told.try_recv().is_err());
        watch.has_begun();
        assert!(matches!(told.try_recv(), Ok(FlowEvent::High { calls: 2, octets: 80 })));
        watch.release(80);
        watch.has_ended();
        assert_eq!(watch.state.lock().octets, 0);
    }
}
