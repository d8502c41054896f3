//! Cooperative schedulers: a limited number of distributable threads of a node run at a time, the most urgent first.

use std::num::NonZeroUsize;

use zorb_os::lock::{Condition, Lock, Locked};
use zorb_types::SystemException;

use super::parameters::Parameters;
use super::scheduler::{Point, Scheduler};

/// The order of threads: smaller keys run first.
type Key = (u64, u64);

/// Controls which threads run: up to a maximum number, each until its next scheduling point. Of the threads that wait,
/// the one with the smallest key runs next; of equal keys, the one that has waited longest.
#[derive(Debug)]
struct Executive {
    max_running: NonZeroUsize,
    state: Lock<Ready>,
    changed: Condition,
}

#[derive(Debug, Default)]
struct Ready {
    running: usize,
    /// The keys of waiting threads, and their numbers in order of arrival.
    waiting: Vec<(Key, u64)>,
    arrivals: u64,
    /// The numbers of threads that may run and have not woken up yet.
    admitted: Vec<u64>,
}

impl Executive {
    fn new(max_running: NonZeroUsize) -> Self {
        Self { max_running, state: Lock::default(), changed: Condition::default() }
    }

    fn state(&self) -> Locked<'_, Ready> {
        self.state.lock()
    }

    /// Waits until the calling thread may run.
    fn enter(&self, key: Key) {
        let mut state = self.state();
        if state.running < self.max_running.get() {
            state.running += 1;
            return;
        }
        let number = state.arrivals;
        state.arrivals += 1;
        state.waiting.push((key, number));
        let index = loop {
            match state.admitted.iter().position(|admitted| *admitted == number) {
                Some(index) => break index,
                None => state = self.changed.wait(state),
            }
        };
        state.admitted.swap_remove(index);
    }

    /// Ends the run of the calling thread, and admits the next one.
    fn leave(&self) {
        let mut state = self.state();
        let first = state.waiting.iter().enumerate().min_by_key(|(_, waiting)| **waiting);
        match first.map(|(index, _)| index) {
            Some(index) => {
                let (_, number) = state.waiting.swap_remove(index);
                state.admitted.push(number);
                drop(state);
                self.changed.notify_all();
            }
            None => state.running = state.running.saturating_sub(1),
        }
    }

    /// Lets a waiting thread with a smaller key run first.
    fn yield_to_more_urgent(&self, key: Key) {
        let must_yield = {
            let state = self.state();
            state.waiting.iter().any(|(other, _)| *other < key)
        };
        if must_yield {
            self.leave();
            self.enter(key);
        }
    }

    fn waiting(&self) -> usize {
        self.state().waiting.len()
    }
}

/// Defines a scheduler by its key.
macro_rules! cooperative {
    ($(#[$docs:meta])* $name:ident, $discipline:literal, $key:path) => {
        $(#[$docs])*
        ///
        /// One distributable thread of the node runs at a time, or [several](Self::with_concurrency). It is not
        /// preempted: it runs until it makes a call, begins or ends a segment, or ends. The scheduler therefore needs no
        /// privilege, and with one thread at a time the order is deterministic.
        #[derive(Debug)]
        pub struct $name {
            executive: Executive,
        }

        impl Default for $name {
            fn default() -> Self {
                Self::with_concurrency(NonZeroUsize::MIN)
            }
        }

        impl $name {
            /// A scheduler that runs one thread at a time.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// A scheduler that runs up to `count` threads at a time.
            #[must_use]
            pub fn with_concurrency(count: NonZeroUsize) -> Self {
                Self { executive: Executive::new(count) }
            }

            /// The number of waiting threads.
            #[must_use]
            pub fn waiting(&self) -> usize {
                self.executive.waiting()
            }

            fn enter(&self, point: &Point<'_>) {
                self.executive.enter(key_of($key, point));
            }
        }

        impl Scheduler for $name {
            fn scheduling_discipline_name(&self) -> &'static str {
                $discipline
            }

            fn accepts(&self, parameters: &Parameters) -> bool {
                $key(parameters).is_some()
            }

            fn begin_new_scheduling_segment(
                &self,
                point: &Point<'_>,
            ) -> Result<(), SystemException> {
                self.enter(point);
                Ok(())
            }

            fn begin_nested_scheduling_segment(
                &self,
                point: &Point<'_>,
            ) -> Result<(), SystemException> {
                self.executive.yield_to_more_urgent(key_of($key, point));
                Ok(())
            }

            fn update_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
                self.executive.yield_to_more_urgent(key_of($key, point));
                Ok(())
            }

            fn end_scheduling_segment(&self, _: &Point<'_>) {
                self.executive.leave();
            }

            fn end_nested_scheduling_segment(&self, point: &Point<'_>) {
                self.executive.yield_to_more_urgent(key_of($key, point));
            }

            fn send_request(&self, _: &Point<'_>) -> Result<(), SystemException> {
                self.executive.leave();
                Ok(())
            }

            fn receive_request(&self, point: &Point<'_>) -> Result<(), SystemException> {
                self.enter(point);
                Ok(())
            }

            fn send_reply(&self, _: &Point<'_>) {
                self.executive.leave();
            }

            fn receive_reply(&self, point: &Point<'_>) -> Result<(), SystemException> {
                self.enter(point);
                Ok(())
            }
        }
    };
}

cooperative! {
    /// Earliest deadline first (EDF).
    EarliestDeadline, "earliest deadline first", by_deadline
}

cooperative! {
    /// Maximum urgency first (MUF): the most critical first, and of equally critical ones the one with the least laxity,
    /// that is with the earliest time at which it must start.
    MaximumUrgency, "maximum urgency first", by_urgency
}

fn by_deadline(parameters: &Parameters) -> Option<Key> {
    match parameters {
        Parameters::Deadline(deadline) => Some((deadline.as_time_t(), 0)),
        _ => None,
    }
}

fn by_urgency(parameters: &Parameters) -> Option<Key> {
    match parameters {
        Parameters::Urgency { criticality, deadline, execution } => {
            let units = u64::try_from(execution.as_nanos() / 100).unwrap_or(u64::MAX);
            let latest_start = deadline.as_time_t().saturating_sub(units);
            Some((4_u64.saturating_sub(*criticality as u64), latest_start))
        }
        _ => None,
    }
}

/// The key at a scheduling point; threads without parameters run last.
fn key_of(key: impl Fn(&Parameters) -> Option<Key>, point: &Point<'_>) -> Key {
    point.parameters.as_ref().and_then(key).unwrap_or((u64::MAX, u64::MAX))
}
