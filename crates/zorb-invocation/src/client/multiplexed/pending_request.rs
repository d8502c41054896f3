//! A request whose caller does not wait: the thread that receives gives it the reply.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::pending_reply::PendingReply;
use crate::client::connection::{LastReceived, NoReply};

/// What gets the reply to a request whose caller does not wait.
pub(in crate::client) trait PendingRequest: fmt::Debug + Send + Sync {
    /// Takes the reply, or why there is none. Called once, by a thread that receives for others: it must not wait.
    /// Returns the request if [`call_back`](Self::call_back) is to run.
    fn end(self: Arc<Self>, ended: Ended) -> Option<Arc<dyn PendingRequest>>;

    /// Calls a function of the program, on the reader's thread.
    fn call_back(&self);

    /// Leaves a request that has failed to the thread that is still sending it, which
    /// [says so](super::MultiplexedConnection::end_left) afterwards; `false` if it has been sent. Called with the state of the
    /// connection locked.
    fn leave(&self) -> bool;
}

/// A pending request that is to be ended.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) request: Arc<dyn PendingRequest>,
    pub(super) ended: Ended,
}

/// How a request ends.
#[derive(Debug)]
pub(in crate::client) enum Ended {
    /// With a reply.
    Reply(PendingReply),
    /// Without one; `again` is whether to send it over another connection.
    NoReply { reason: NoReply, again: bool },
}

impl Ended {
    /// Whether it ends with results or a user exception.
    pub(in crate::client) fn has_result(&self) -> bool {
        matches!(self, Self::Reply(reply) if reply.has_result())
    }
}

/// The part of a connection's state about requests whose callers do not wait.
#[derive(Debug, Default)]
pub(super) struct PendingCalls {
    /// The number of those without a reply, and of those that are about to be sent.
    pub(super) count: usize,
    /// No later than the earliest of their deadlines.
    pub(super) earliest: Option<Duration>,
    pub(super) reader: Reader,
    /// Whether the reader is woken by what arrives.
    pub(super) is_armed: bool,
    /// When the reader's wait ends; `None` if it has no limit.
    pub(super) wakes_at: Option<Duration>,
    /// No later than when the oldest of those without deadlines began; `None` if there are none.
    pub(super) oldest: Option<LastReceived>,
    pub(super) to_call_back: Vec<Arc<dyn PendingRequest>>,
}

/// What the reader does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reader {
    /// There is none.
    #[default]
    Missing,
    /// It looks for something to do before it waits.
    Runs,
    /// It sleeps because no request is pending.
    Idle,
    /// It sleeps while a caller leads, which may leave it something to do.
    Sleeps,
    /// It waits until the stream is readable.
    Polls,
}
