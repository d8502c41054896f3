//! Passing on what the leader, or the reader, has received: to callers, and to pending requests.

use std::sync::Arc;

use zorb_base::counters::{Count, count};
use zorb_giop::{Inbound, MessageHeader, ProtocolError, Received, ReplyStart};
use zorb_os::lock::Locked;

use super::detached::{COPIED, detach};
use super::pending_reply::{PendingReply, ReplyTail, SmallReply};
use super::pending_request::{Ended, Ending, PendingRequest, Stored};
use super::{Follower, FollowerReply, MultiplexedConnection, State};
use crate::client::connection::{LastReceived, NoReply};

impl MultiplexedConnection {
    /// Passes the current message to the caller that waits for it, or to the pending request. If it is the last one that was
    /// received, and small, the state stays locked, and a pending request is left to be ended.
    #[inline(always)] // as `next_message`
    pub(super) fn deliver<'s>(
        &'s self,
        mut state: Locked<'s, State>,
        message: Message<'_>,
        now: LastReceived,
        own: Option<u32>,
        ending: &mut Option<Ending>,
    ) -> Result<Delivered<'s>, NoReply> {
        let (id, start, request) = match self.receive_reply(&mut state, &message, now)? {
            Answer::Nobody => return Ok(Delivered { state: Some(state), is_own: false }),
            Answer::Caller(reply) => {
                let is_own = Some(reply.id) == own;
                let state = self.deliver_to_caller(state, message, &reply, is_own)?;
                return Ok(Delivered { state, is_own });
            }
            Answer::Pending(id, start, request) => (id, start, request),
        };
        // Others may use the connection between the replies that were received together.
        let inbound = &*message.inbound;
        let is_last = !inbound.has_buffered() && inbound.current().len() <= COPIED;
        let held = is_last.then_some(state);
        let mut broken = None;
        let ended = end_by(message, start, request, &mut broken);
        if let Some(error) = broken {
            drop(held);
            self.end_pending(ended);
            return Err(NoReply::Broken(error));
        }
        match &held {
            Some(_) => *ending = Some(ended),
            None => self.end_pending(ended),
        }
        Ok(Delivered { state: held, is_own: Some(id) == own })
    }

    /// Finds out which request the current message answers. A pending one is not outstanding any more.
    #[inline(always)] // as `next_message`
    fn receive_reply(
        &self,
        state: &mut State,
        message: &Message<'_>,
        now: LastReceived,
    ) -> Result<Answer, NoReply> {
        let is_pending = |call: &Follower| matches!(call, Follower::Pending { .. });
        let Message { inbound, header, .. } = message;
        let (received, pending) = state.machine.receive_and_finish(inbound, header, is_pending);
        if received == Received::End {
            return Err(state.no_reply());
        }
        state.used = true;
        state.last_received = now;
        match (received, pending) {
            (Received::Reply(start), Some(Follower::Pending { request, .. })) => {
                state.pending.count -= 1;
                self.publish_load(state);
                Ok(Answer::Pending(start.request_id, Some(start), request))
            }
            (received, _) => Ok(self.receive_other(state, received)),
        }
    }

    /// The same for other messages than replies to pending requests.
    #[inline(never)]
    fn receive_other(&self, state: &mut State, received: Received) -> Answer {
        let reply = match received {
            Received::Reply(start) => CallerReply { id: start.request_id, start: Some(start) },
            Received::LocateReply(id) => CallerReply { id, start: None },
            Received::Late | Received::End => return Answer::Nobody,
        };
        match state.machine.call_mut(reply.id) {
            Some(Follower::Caller(_)) => Answer::Caller(reply),
            // A LocateReply, which the server sends to a Request.
            Some(Follower::Pending { .. }) => match self.take_pending(state, reply.id) {
                Some(request) => Answer::Pending(reply.id, None, request),
                None => Answer::Nobody,
            },
            _ => Answer::Nobody,
        }
    }

    /// Passes the current message to the caller that waits for it, which is the leader itself if `is_own`: then the state
    /// stays locked, unless more messages were received.
    fn deliver_to_caller<'s>(
        &self,
        mut state: Locked<'s, State>,
        Message { inbound, header, tail }: Message<'_>,
        reply: &CallerReply,
        is_own: bool,
    ) -> Result<Option<Locked<'s, State>>, NoReply> {
        let Some(Follower::Caller(caller)) = state.machine.call_mut(reply.id) else {
            return Ok(None);
        };
        let octets = detach(inbound, std::mem::take(&mut caller.spare)).map_err(NoReply::Broken)?;
        caller.reply = Some(FollowerReply { header: *header, start: reply.start, octets, tail });
        if is_own {
            return Ok((!inbound.has_buffered()).then_some(state));
        }
        let sleeps = std::mem::replace(&mut caller.sleeps, false);
        let wake = sleeps.then(|| Arc::clone(&caller.wake));
        if sleeps {
            state.sleepers.remove(reply.id);
        }
        drop(state);
        if let Some(wake) = wake {
            count(Count::ThreadSwitches);
            wake.notify_one();
        }
        Ok(None)
    }
}

/// What has become of a message.
pub(super) struct Delivered<'s> {
    /// The state, if it has stayed locked.
    pub(super) state: Option<Locked<'s, State>>,
    /// Whether it has answered the leader's own request.
    pub(super) is_own: bool,
}

/// The current message of a receive buffer.
pub(super) struct Message<'m> {
    pub(super) inbound: &'m mut Inbound,
    pub(super) header: &'m MessageHeader,
    /// Its end, if that is in a shared buffer.
    pub(super) tail: ReplyTail,
}

/// What a message answers.
enum Answer {
    /// Nothing that anybody waits for.
    Nobody,
    Caller(CallerReply),
    /// A pending request with this id; `None` for a LocateReply.
    Pending(u32, Option<ReplyStart>, Arc<dyn PendingRequest>),
}

/// The reply to a caller that waits.
struct CallerReply {
    id: u32,
    /// `None` for a LocateReply.
    start: Option<ReplyStart>,
}

/// Ends a pending request by the current message as far as that is possible under locks. An error that ends the connection
/// goes to `broken`.
#[inline(always)] // as `next_message`
fn end_by(
    message: Message<'_>,
    start: Option<ReplyStart>,
    request: Arc<dyn PendingRequest>,
    broken: &mut Option<ProtocolError>,
) -> Ending {
    let Message { inbound, header, tail } = message;
    if let Some(start) = start
        && tail.is_none()
        && inbound.fragment_starts().is_empty()
    {
        let reply = SmallReply { message: inbound.current(), order: header.order, start };
        match request.store(reply) {
            Stored::Nothing => {}
            stored => {
                return Ending::Stored { request, is_awaited: stored == Stored::Awaited };
            }
        }
    }
    let ended = taken(Message { inbound, header, tail }, start, broken);
    Ending::Ended { request, ended }
}

/// Takes or copies the current message.
#[inline(never)]
fn taken(
    Message { inbound, header, tail }: Message<'_>,
    start: Option<ReplyStart>,
    broken: &mut Option<ProtocolError>,
) -> Ended {
    let Some(start) = start else {
        return Ended::NoReply { reason: NoReply::Lost(None), again: false };
    };
    match PendingReply::take((inbound, header, tail), start) {
        Ok(reply) => Ended::Reply(reply),
        Err((error, ends)) => {
            *broken = ends.then_some(error);
            Ended::NoReply { reason: NoReply::Broken(error), again: false }
        }
    }
}
