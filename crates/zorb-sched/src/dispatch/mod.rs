//! Dispatching: runs operations in the order of a [`Schedule`](crate::Schedule).
//!
//! A [`ReadyQueue`] orders ready work, and [`Timers`] determine releases; neither reads a clock nor
//! has a thread, so that every order can be tested. A [`Dispatcher`] has a thread for each queue,
//! at the queue's priority.

pub(crate) mod dispatcher;
pub(crate) mod queue;
pub(crate) mod timers;

use std::fmt;

use crate::Time;

/// The urgency of a dispatch within its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Urgency {
    /// Its deadline, on the clock of the dispatcher.
    pub deadline: Time,
    /// Its execution time; for [`Discipline::Laxity`](crate::Discipline::Laxity).
    pub execution: Time,
    /// Its subpriority: the higher comes first among equals.
    pub subpriority: u32,
}

/// Why work was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The queue is full.
    Full,
    /// There is no queue with this number.
    UnknownQueue,
    /// The dispatcher is stopping.
    Stopping,
}

/// Rejected work, with the reason.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Refused<W> {
    /// Why.
    pub why: Refusal,
    /// The work, which has not run.
    pub work: W,
}

impl<W> fmt::Debug for Refused<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refused").field("why", &self.why).finish_non_exhaustive()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "the queue is full",
            Self::UnknownQueue => "unknown queue",
            Self::Stopping => "the dispatcher is stopping",
        })
    }
}

impl std::error::Error for Refusal {}

impl<W> fmt::Display for Refused<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl<W> std::error::Error for Refused<W> {}

#[cfg(test)]
mod tests;
