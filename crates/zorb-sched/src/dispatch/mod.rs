//! Dispatching: runs operations in the order of a [`Schedule`](crate::Schedule).
//!
//! A [`ReadyQueue`] orders ready work, and [`Timers`] determine releases; neither reads a clock nor
//! has a thread, so that every order can be tested. A [`Dispatcher`] has a thread for each queue,
//! at the queue's priority.

pub(crate) mod dispatcher;
pub(crate) mod queue;
pub(crate) mod shared;
pub(crate) mod timers;

use std::fmt;

use thiserror::Error;

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
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The queue is full.
    #[error("the queue is full")]
    Full,
    /// There is no queue with this number.
    #[error("unknown queue")]
    UnknownQueue,
    /// The dispatcher is stopping.
    #[error("the dispatcher is stopping")]
    Stopping,
}

/// Rejected work, with the reason.
#[derive(Clone, Copy, Error, PartialEq, Eq)]
#[error("{why}")]
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

#[cfg(test)]
mod tests;
