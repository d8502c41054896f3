//! Passing on what the leader, or the reader, has received: to callers, and to pending requests.

use std::sync::Arc;

use zorb_base::counters::{Count, count};
use zorb_giop::{Inbound, MessageHeader, Received, ReplyStart};
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
        let Message { inbound, header, tail } = &message;
        let is_pending = |call: &Follower| matches!(call, Follower::Pending { .. });
        let (received, pending) = state.machine.receive_and_finish(inbound, header, is_pending);
        if received == Received::End {
            return Err(state.no_reply());
        }
        state.used = true;
        state.last_received = now;
        let (Received::Reply(start), Some(Follower::Pending { request, .. })) = (received, pending)
        else {
            return self.deliver_other(state, message, received, own);
        };
        state.pending.count -= 1;
        self.publish_load(&state);
        let is_own = Some(start.request_id) == own;
        let octets = inbound.current();
        // Others may use the connection between the replies that were received together.
        let is_last = !inbound.has_buffered() && octets.len() <= COPIED;
        let held = is_last.then_some(state);
        let stored = match tail.is_none() && inbound.fragment_starts().is_empty() {
            true => request.store(SmallReply { message: octets, order: header.order, start }),
            false => Stored::Nothing,
        };
        if stored == Stored::Nothing {
            let state = self.end_by(held, message, start, request, ending)?;
            return Ok(Delivered { state, is_own });
        }
        let is_awaited = stored == Stored::Awaited;
        match &held {
            Some(_) => *ending = Some(Ending::Stored { request, is_awaited }),
            None if is_awaited => self.end_pending(Ending::Stored { request, is_awaited }),
            // The request is dropped without the lock.
            None => {}
        }
        Ok(Delivered { state: held, is_own })
    }

    /// The same for other messages than replies to pending requests.
    #[inline(never)]
    fn deliver_other<'s>(
        &'s self,
        mut state: Locked<'s, State>,
        message: Message<'_>,
        received: Received,
        own: Option<u32>,
    ) -> Result<Delivered<'s>, NoReply> {
        let reply = match received {
            Received::Reply(start) => CallerReply { id: start.request_id, start: Some(start) },
            Received::LocateReply(id) => CallerReply { id, start: None },
            Received::Late | Received::End => {
                return Ok(Delivered { state: Some(state), is_own: false });
            }
        };
        let is_own = Some(reply.id) == own;
        match state.machine.call_mut(reply.id) {
            Some(Follower::Caller(_)) => {
                let state = self.deliver_to_caller(state, message, &reply, is_own)?;
                Ok(Delivered { state, is_own })
            }
            // A LocateReply, which the server sends to a Request.
            Some(Follower::Pending { .. }) => {
                let request = self.take_pending(&mut state, reply.id);
                drop(state);
                if let Some(request) = request {
                    let ended = Ended::NoReply { reason: NoReply::Lost(None), again: false };
                    self.end_pending(Ending::Ended { request, ended });
                }
                Ok(Delivered { state: None, is_own })
            }
            _ => Ok(Delivered { state: Some(state), is_own: false }),
        }
    }

    /// Ends a pending request by the current message, which is taken or copied, or leaves it to be ended if the state is
    /// `held`.
    #[inline(never)]
    fn end_by<'s>(
        &'s self,
        held: Option<Locked<'s, State>>,
        Message { inbound, header, tail }: Message<'_>,
        start: ReplyStart,
        request: Arc<dyn PendingRequest>,
        ending: &mut Option<Ending>,
    ) -> Result<Option<Locked<'s, State>>, NoReply> {
        let (ended, broken) = match PendingReply::take((inbound, header, tail), start) {
            Ok(reply) => (Ended::Reply(reply), None),
            Err((error, ends)) => {
                let ended = Ended::NoReply { reason: NoReply::Broken(error), again: false };
                (ended, ends.then_some(error))
            }
        };
        let ended = Ending::Ended { request, ended };
        match (&held, broken) {
            (Some(_), None) => *ending = Some(ended),
            (None, None) => self.end_pending(ended),
            (_, Some(error)) => {
                drop(held);
                self.end_pending(ended);
                return Err(NoReply::Broken(error));
            }
        }
        Ok(held)
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

/// The reply to a caller that waits.
struct CallerReply {
    id: u32,
    /// `None` for a LocateReply.
    start: Option<ReplyStart>,
}
