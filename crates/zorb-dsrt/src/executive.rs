//! Schedulers that let so many distributable threads of a node run at a time, the most urgent ones.

use std::num::NonZeroUsize;

use zorb_os::lock::{Condition, Lock, Locked};
use zorb_types::SystemException;

use super::parameters::Parameters;
use super::scheduler::{Point, Scheduler};

/// What comes first: the smaller.
type Key = (u64, u64);

/// Who may run: so many at a time, each until it waits, calls, or comes to a step of its segments. Among
/// those that are ready the one with the smallest key is next; of equals, the one that was there first.
#[derive(Debug)]
struct Executive {
    at_once: NonZeroUsize,
    state: Lock<Ready>,
    changed: Condition,
}

#[derive(Debug, Default)]
struct Ready {
    running: usize,
    /// With the numbers in which they came.
    waiting: Vec<(Key, u64)>,
    came: u64,
    /// Whose turn it is, who have not noticed yet.
    turns: Vec<u64>,
}

impl Executive {
    fn new(at_once: NonZeroUsize) -> Self {
        Self { at_once, state: Lock::default(), changed: Condition::default() }
    }

    fn state(&self) -> Locked<'_, Ready> {
        self.state.lock()
    }

    /// Waits for its turn.
    fn enter(&self, key: Key) {
        let mut state = self.state();
        if state.running < self.at_once.get() {
            state.running += 1;
            return;
        }
        let number = state.came;
        state.came += 1;
        state.waiting.push((key, number));
        let place = loop {
            match state.turns.iter().position(|turn| *turn == number) {
                Some(place) => break place,
                None => state = self.changed.wait(state),
            }
        };
        state.turns.swap_remove(place);
    }

    /// Lets the next run.
    fn leave(&self) {
        let mut state = self.state();
        let first = state.waiting.iter().enumerate().min_by_key(|(_, waiting)| **waiting);
        match first.map(|(place, _)| place) {
            Some(place) => {
                let (_, number) = state.waiting.swap_remove(place);
                state.turns.push(number);
                drop(state);
                self.changed.notify_all();
            }
            None => state.running = state.running.saturating_sub(1),
        }
    }

    /// Lets others run that come first now.
    fn pass(&self, key: Key) {
        let comes_first = {
            let state = self.state();
            state.waiting.iter().any(|(other, _)| *other < key)
        };
        if comes_first {
            self.leave();
            self.enter(key);
        }
    }

    fn waiting(&self) -> usize {
        self.state().waiting.len()
    }
}

/// Makes the schedulers that differ in their keys.
macro_rules! cooperative {
    ($(#[$docs:meta])* $name:ident, $discipline:literal, $key:path) => {
        $(#[$docs])*
        ///
        /// One distributable thread of the node runs at a time, or [as many as](Self::at_once) the node
        /// has processors for them. It goes on until it calls, comes to a step of its segments, or ends:
        /// nothing interrupts it before. So the order in which they begin needs no privilege of the
        /// system, and of one at a time it is the same every time.
        #[derive(Debug)]
        pub struct $name {
            executive: Executive,
        }

        impl Default for $name {
            fn default() -> Self {
                Self::at_once(NonZeroUsize::MIN)
            }
        }

        impl $name {
            /// Without any threads yet, and one at a time.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// So many at a time: those that come first of all that are ready.
            #[must_use]
            pub fn at_once(count: NonZeroUsize) -> Self {
                Self { executive: Executive::new(count) }
            }

            /// How many threads wait for their turns.
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
                self.executive.pass(key_of($key, point));
                Ok(())
            }

            fn update_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
                self.executive.pass(key_of($key, point));
                Ok(())
            }

            fn end_scheduling_segment(&self, _: &Point<'_>) {
                self.executive.leave();
            }

            fn end_nested_scheduling_segment(&self, point: &Point<'_>) {
                self.executive.pass(key_of($key, point));
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
    /// Maximum urgency first (MUF): the most critical, and of equally critical ones the one with the
    /// least laxity: whose last moment to begin comes first.
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
            let last = deadline.as_time_t().saturating_sub(units);
            Some((4_u64.saturating_sub(*criticality as u64), last))
        }
        _ => None,
    }
}

/// Those without parameters come last.
fn key_of(key: impl Fn(&Parameters) -> Option<Key>, point: &Point<'_>) -> Key {
    point.parameters.as_ref().and_then(key).unwrap_or((u64::MAX, u64::MAX))
}
