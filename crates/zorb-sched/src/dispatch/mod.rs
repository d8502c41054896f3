//! Dispatching: running operations in the order that a [`Schedule`](crate::Schedule) gives.
//!
//! A [`ReadyQueue`] orders what is ready, and [`Timers`] say what becomes ready when; neither reads a
//! clock or has a thread, so that every order can be tested. A [`Dispatcher`] has a thread for each
//! queue, at the queue's priority.

pub(crate) mod dispatcher;
pub(crate) mod queue;
pub(crate) mod timers;

use std::fmt;

use crate::Time;

/// How urgent one dispatch is, within its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Urgency {
    /// When it has to be done, on the clock of whoever dispatches.
    pub deadline: Time,
    /// How long it runs; for [`Discipline::Laxity`](crate::Discipline::Laxity).
    pub execution: Time,
    /// Among those whose order is the same otherwise, the higher comes first.
    pub subpriority: u32,
}

/// Why work was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// As much waits in the queue as it holds.
    Full,
    /// There is no queue of this number.
    UnknownQueue,
    /// The dispatcher is stopping.
    Stopping,
}

/// Work that was not taken, with the reason.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Refused<W> {
    /// Why.
    pub why: Refusal,
    /// The work, which has not been done.
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
            Self::Full => "as much waits in the queue as it holds",
            Self::UnknownQueue => "there is no such queue",
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
