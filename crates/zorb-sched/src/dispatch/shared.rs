//! What the threads of a dispatcher share: queues and timers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use zorb_os::clock::MonotonicTime;
use zorb_os::futex;
use zorb_os::lock::Lock;

use super::queue::ReadyQueue;
use super::timers::Timers;
use super::{Refusal, Refused, Urgency};
use crate::Time;
use crate::strategy::Queue;

/// Statistics of one queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DispatchCounts {
    /// Work completed.
    pub done: u64,
    /// Completed work that missed its deadline.
    pub late: u64,
    /// Completed work that panicked.
    pub panicked: u64,
    /// Work rejected because the queue was full.
    pub refused: u64,
    /// Periodic work skipped because the next release was already due.
    pub skipped: u64,
}

pub(super) struct Shared<W> {
    pub(super) lanes: Vec<Lane<W>>,
    pub(super) clock: Clock<W>,
}

/// A queue, and the condition that its thread waits for.
pub(super) struct Lane<W> {
    pub(super) queue: Queue,
    pub(super) state: Lock<LaneState<W>>,
    /// Changed whenever there may be work.
    pub(super) changes: AtomicU32,
}

pub(super) struct LaneState<W> {
    pub(super) ready: ReadyQueue<W>,
    pub(super) counts: DispatchCounts,
    pub(super) sleeping: bool,
    pub(super) stopping: bool,
}

/// The timers, and the condition that their thread waits for.
pub(super) struct Clock<W> {
    pub(super) state: Lock<ClockState<W>>,
    pub(super) changes: AtomicU32,
}

pub(super) struct ClockState<W> {
    pub(super) timers: Timers<Recurring<W>>,
    pub(super) stopping: bool,
}

/// Work created in every period.
pub(super) struct Recurring<W> {
    pub(super) queue: u32,
    pub(super) urgency: Urgency,
    pub(super) make: Box<dyn Fn(Time) -> W + Send>,
}

/// The current time on the clock of deadlines.
pub(super) fn now() -> Time {
    Time::from_nanos(MonotonicTime::now().as_nanos())
}

impl<W: Send> Shared<W> {
    pub(super) fn lane(&self, queue: u32) -> Option<&Lane<W>> {
        self.lanes.iter().find(|lane| lane.queue.number == queue)
    }

    pub(super) fn dispatch(&self, queue: u32, urgency: Urgency, work: W) -> Result<(), Refused<W>> {
        let Some(lane) = self.lane(queue) else {
            return Err(Refused { why: Refusal::UnknownQueue, work });
        };
        let mut state = lane.state.lock();
        if state.stopping {
            return Err(Refused { why: Refusal::Stopping, work });
        }
        if let Err(refused) = state.ready.push(urgency, work) {
            state.counts.refused += 1;
            return Err(refused);
        }
        let sleeping = std::mem::take(&mut state.sleeping);
        drop(state);
        if sleeping {
            lane.wake();
        }
        Ok(())
    }

    /// The timer thread.
    pub(super) fn keep_time(&self) {
        loop {
            let seen = self.clock.changes.load(Ordering::Acquire);
            let mut state = self.clock.state.lock();
            if state.stopping {
                return;
            }
            while let Some(due) = state.timers.pop(now()) {
                let (arrival, skipped) = (due.arrival, due.skipped);
                let Recurring { queue, urgency, make } = due.what;
                let urgency = Urgency { deadline: arrival + urgency.deadline, ..*urgency };
                // A full queue counts what it rejects, and a panic creates no work.
                if let Ok(work) = catch_unwind(AssertUnwindSafe(|| make(arrival))) {
                    let _ = self.dispatch(*queue, urgency, work);
                }
                if let Some(lane) = self.lane(*queue).filter(|_| skipped > 0) {
                    let mut state = lane.state.lock();
                    state.counts.skipped += skipped;
                }
            }
            let next = state.timers.next();
            drop(state);
            let wait = next.map(|next| (next - now()).as_duration());
            futex::wait(&self.clock.changes, seen, wait);
        }
    }
}

impl<W> Clock<W> {
    pub(super) fn wake(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        futex::wake(&self.changes);
    }
}

impl<W: Send> Lane<W> {
    pub(super) fn wake(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        futex::wake(&self.changes);
    }

    /// The thread of a queue.
    pub(super) fn serve(&self, run: &(impl Fn(W) + ?Sized)) {
        loop {
            let seen = self.changes.load(Ordering::Acquire);
            let mut state = self.state.lock();
            let Some((deadline, work)) = state.ready.pop() else {
                if state.stopping {
                    return;
                }
                state.sleeping = true;
                drop(state);
                futex::wait(&self.changes, seen, None);
                continue;
            };
            drop(state);
            let panicked = catch_unwind(AssertUnwindSafe(|| run(work))).is_err();
            let late = now() > deadline;
            let mut state = self.state.lock();
            state.counts.done += 1;
            state.counts.late += u64::from(late);
            state.counts.panicked += u64::from(panicked);
        }
    }
}
