//! The state of a multiplexed connection that its callers share, and what belongs to one of them.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::buffers::{trim_inbound, trim_message, trim_request};
use zorb_giop::{
    ClientConnection, DetachedMessage, Inbound, MessageHeader, ReplyStart, RequestBuffer,
};
use zorb_os::lock::{Condition, Locked};
use zorb_os::priority;

use super::inheritance::Leader;
use super::pending_reply::ReplyTail;
use super::pending_request::{PendingCalls, PendingRequest};
use super::sleepers::Sleepers;
use crate::client::connection::{LastReceived, NoReply};
use crate::client::wait_queue::WaitQueue;

/// The maximum number of callers' buffers that a connection retains.
const MAX_IDLE_BUFFERS: usize = 64;

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
    /// The requests of pending calls.
    pub(super) pending: PendingCalls,
}

/// What waits for a reply.
#[derive(Debug)]
pub(super) enum Follower {
    /// A one-way request.
    Nobody,
    Caller(Box<Caller>),
    /// A request whose caller does not wait.
    Pending {
        request: Arc<dyn PendingRequest>,
        begun: LastReceived,
    },
}

/// A caller that waits for its reply.
#[derive(Debug, Default)]
pub(super) struct Caller {
    /// Whether it sleeps and has not been woken yet; then it is one of the [`Sleepers`].
    pub(super) sleeps: bool,
    /// The priority of its thread, if it has set one.
    pub(super) priority: u8,
    pub(super) wake: Arc<Condition>,
    /// A buffer for the reply.
    pub(super) spare: DetachedMessage,
    pub(super) reply: Option<FollowerReply>,
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
    /// The caller while no request of it waits for a reply.
    pub(super) caller: Option<Box<Caller>>,
    pub(super) outgoing: RequestBuffer,
    pub(super) received: DetachedMessage,
    pub(super) tail: ReplyTail,
}

impl CallBuffers {
    /// The caller of a request, for the table of what waits for replies.
    #[inline]
    pub(super) fn caller(&mut self) -> Box<Caller> {
        let mut caller = self.caller.take().unwrap_or_default();
        caller.sleeps = false;
        caller.priority = priority::last_set();
        caller.spare = std::mem::take(&mut self.received);
        caller
    }

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

    /// Keeps the buffers of a caller for others.
    pub(super) fn keep(&mut self, buffers: Box<CallBuffers>) {
        if self.idle.len() < MAX_IDLE_BUFFERS {
            self.idle.push(buffers);
        }
    }

    /// The caller of a request.
    #[inline]
    pub(super) fn caller(&mut self, id: u32) -> Option<&mut Caller> {
        match self.machine.call_mut(id)? {
            Follower::Caller(caller) => Some(caller),
            Follower::Nobody | Follower::Pending { .. } => None,
        }
    }

    /// Ends the leadership of the calling thread, and takes the receive buffer back.
    pub(super) fn end_leading(&mut self, mut inbound: Box<Inbound>) {
        self.leader.end();
        trim_inbound(&mut inbound);
        self.inbound = Some(inbound);
        if self.machine.ended().is_some() {
            self.drop_received();
        }
    }

    /// Frees the memory of what was received, unless a thread receives, which does so when it ends that. The connection
    /// has ended, but callers and the thread that waits for hang-ups may still hold it while others call.
    #[cold]
    pub(super) fn drop_received(&mut self) {
        if let Some(inbound) = &mut self.inbound {
            inbound.reset();
            inbound.shrink();
        }
    }

    /// Notes that a caller sleeps.
    pub(super) fn sleep(&mut self, id: u32) {
        if let Some(caller) = self.caller(id)
            && !std::mem::replace(&mut caller.sleeps, true)
        {
            let priority = caller.priority;
            self.sleepers.add(id, priority);
        }
    }

    /// Notes that a caller does not sleep any more.
    pub(super) fn wake(&mut self, id: u32) {
        if let Some(caller) = self.caller(id)
            && std::mem::take(&mut caller.sleeps)
        {
            self.sleepers.remove(id);
        }
    }

    /// When this pending request began, if it has the id. Ids are used again.
    pub(super) fn begun(&mut self, id: u32, request: *const ()) -> Option<LastReceived> {
        match self.machine.call_mut(id)? {
            Follower::Pending { request: known, begun }
                if std::ptr::addr_eq(Arc::as_ptr(known), request) =>
            {
                Some(*begun)
            }
            _ => None,
        }
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
