//! A request whose caller does not wait: the thread that receives gives it the reply.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::pending_reply::{PendingReply, SmallReply};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::needed_thread::while_receiving;

/// What gets the reply to a request whose caller does not wait.
pub(in crate::client) trait PendingRequest: fmt::Debug + Send + Sync {
    /// Copies a reply that ends the request, if it is small enough to be stored in place. Must not wait, nor run code of the
    /// program: the state of the connection may be locked.
    fn store(&self, reply: SmallReply<'_>) -> Stored;

    /// Tells who waits for the end of the request that its reply has been [stored](Self::store). Called by a thread that
    /// receives for others, without a lock: it must not wait. Returns the request if [`call_back`](Self::call_back) is to run.
    fn tell(self: Arc<Self>) -> Option<Arc<dyn PendingRequest>>;

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

/// What has become of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum Stored {
    /// Nothing: it does not end the request, or is to be passed on as a whole.
    Nothing,
    /// It is stored, and nobody waits for that.
    Reply,
    /// It is stored, and somebody is to be [told](PendingRequest::tell).
    Awaited,
}

/// A pending request that is to be ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// It has its reply. It is dropped without a lock, as that may run code of the program.
    Stored {
        request: Arc<dyn PendingRequest>,
        is_awaited: bool,
    },
    Ended {
        request: Arc<dyn PendingRequest>,
        ended: Ended,
    },
}

impl Ending {
    /// Whether somebody is told.
    #[inline]
    pub(super) const fn tells(&self) -> bool {
        !matches!(self, Self::Stored { is_awaited: false, .. })
    }

    /// Ends the request, on a thread that receives for others. Returns it if [`call_back`](PendingRequest::call_back) is to run.
    #[inline]
    pub(super) fn end(self) -> Option<Arc<dyn PendingRequest>> {
        match self {
            Self::Stored { is_awaited: false, .. } => None,
            Self::Stored { request, is_awaited: true } => while_receiving(|| request.tell()),
            Self::Ended { request, ended } => while_receiving(|| request.end(ended)),
        }
    }
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

/// The part of a connection's state about requests of pending calls.
#[derive(Debug, Default)]
pub(super) struct PendingCalls {
    /// The number of those without a reply, and of those that are about to be sent.
    pub(super) count: usize,
    /// Whether one has begun since the reader has last found none.
    pub(super) has_begun: bool,
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
    /// It lets replies gather, and then looks whether there are any.
    Gathers,
}
