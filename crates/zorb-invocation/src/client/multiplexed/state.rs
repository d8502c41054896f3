//! The state of a multiplexed connection that its callers share, and what belongs to one of them.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::buffers::{trim_inbound, trim_message, trim_request};
use zorb_giop::{
    ClientConnection, DetachedMessage, Inbound, MessageHeader, ReplyStart, RequestBuffer,
};
use zorb_os::lock::{Condition, Locked};

use super::inheritance::Leader;
use super::pending_request::{PendingCalls, PendingRequest, ReplyTail};
use super::sleepers::Sleepers;
use crate::client::connection::{LastReceived, NoReply};
use crate::client::wait_queue::WaitQueue;

#[derive(Debug)]
pub(super) struct State {
    /// Its state: the outstanding requests, code sets, how it ended.
    pub(super) machine: ClientConnection<Follower>,
    /// Whether a reply has ever been received.
    pub(super) used: bool,
    pub(super) last_received: LastReceived,
    /// The number of callers that use it.
    pub(super) users: usize,
    /// The callers that wait to use it.
    pub(super) waiting: WaitQueue,
    /// The receive buffer; the leader has it while there is one.
    pub(super) inbound: Option<Box<Inbound>>,
    pub(super) leader: Leader,
    /// Buffers of earlier calls.
    // Boxed, because they move in and out with every call.
    #[allow(clippy::vec_box)]
    pub(super) idle: Vec<Box<CallBuffers>>,
    /// The error of a stream that failed.
    pub(super) error: Option<io::Error>,
    /// Whether it closes after the last call.
    pub(super) closing: bool,
    /// The callers that sleep.
    pub(super) sleepers: Sleepers,
    /// The requests whose callers do not wait.
    pub(super) pending: PendingCalls,
}

/// A caller that waits for its reply, or a request whose caller does not wait.
#[derive(Debug)]
pub(super) struct Follower {
    /// Whether the caller sleeps and has not been woken yet; then it is one of the [`Sleepers`].
    pub(super) sleeps: bool,
    /// The priority of the caller's thread, if it has set one.
    pub(super) priority: u8,
    pub(super) wake: Arc<Condition>,
    /// A buffer for the reply.
    pub(super) spare: DetachedMessage,
    pub(super) reply: Option<FollowerReply>,
    /// What gets the reply if the caller does not wait.
    pub(super) pending: Option<Arc<dyn PendingRequest>>,
    /// Whether the thread that sends the request answers for it if it fails.
    pub(super) is_being_sent: bool,
    /// The [period](super::periods::Periods) in which it began.
    pub(super) period: u32,
}

/// A reply that the leader has received for a follower.
#[derive(Debug)]
pub(super) struct FollowerReply {
    pub(super) header: MessageHeader,
    /// `None` for a LocateReply.
    pub(super) start: Option<ReplyStart>,
    pub(super) octets: DetachedMessage,
    pub(super) tail: ReplyTail,
}

/// The buffers of one caller.
#[derive(Debug, Default)]
pub(super) struct CallBuffers {
    pub(super) wake: Arc<Condition>,
    pub(super) outgoing: RequestBuffer,
    pub(super) received: DetachedMessage,
    pub(super) tail: ReplyTail,
}

impl CallBuffers {
    /// Prepares them for the next call.
    #[inline]
    pub(super) fn trim(&mut self) {
        trim_request(&mut self.outgoing);
        trim_message(&mut self.received);
        self.tail = None;
    }
}

impl State {
    /// Whether no call uses it.
    pub(super) fn is_unused(&self) -> bool {
        self.users == 0 && self.pending.count == 0
    }

    /// Ends the leadership of the calling thread, and takes the receive buffer back.
    pub(super) fn end_leading(&mut self, mut inbound: Box<Inbound>) {
        self.leader.end();
        trim_inbound(&mut inbound);
        self.inbound = Some(inbound);
    }

    /// Notes that a caller sleeps.
    pub(super) fn sleep(&mut self, id: u32) {
        if let Some(call) = self.machine.call_mut(id)
            && !std::mem::replace(&mut call.sleeps, true)
        {
            self.sleepers.add(id, call.priority);
        }
    }

    /// Notes that a caller does not sleep any more.
    pub(super) fn wake(&mut self, id: u32) {
        if let Some(call) = self.machine.call_mut(id)
            && std::mem::take(&mut call.sleeps)
        {
            self.sleepers.remove(id);
        }
    }

    /// Whether this pending request has the id. Ids are used again.
    pub(super) fn is_pending(&mut self, id: u32, request: *const ()) -> bool {
        let pending = self.machine.call_mut(id).and_then(|call| call.pending.as_ref());
        pending.is_some_and(|known| std::ptr::addr_eq(Arc::as_ptr(known), request))
    }

    /// Why a caller gets no reply after the end of the connection.
    #[cold]
    pub(super) fn no_reply(&self) -> NoReply {
        NoReply::of_end(self.machine.ended(), self.error.as_ref().map(copied))
    }
}

/// A copy of the error.
pub(super) fn copied(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}

/// Waits for a notification until the deadline; `false` if the deadline had passed before.
pub(super) fn wait_until<'s>(
    notified: &Condition,
    state: Locked<'s, State>,
    deadline: Option<Instant>,
) -> (Locked<'s, State>, bool) {
    let Some(deadline) = deadline else { return (notified.wait(state), true) };
    let left = deadline.saturating_duration_since(Instant::now());
    if left == Duration::ZERO {
        return (state, false);
    }
    (notified.wait_for(state, left), true)
}
