//! The leader: receiving for all callers of a connection.

use std::io;
use std::sync::Arc;

use zorb_base::counters::{Count, count};
use zorb_giop::{Inbound, MessageHeader, ProtocolError, Received, ReplyStart};
use zorb_os::lock::Locked;
use zorb_os::probe;

use super::detached::{COPIED, detach};
use super::pending_reply::{PendingReply, ReplyTail, SmallReply};
use super::pending_request::{Ended, Ending, PendingRequest, Stored};
use super::{Follower, FollowerReply, MultiplexedConnection, State};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::longest_wait::Wait;

/// Whether streams may have shared buffers.
pub(super) const SHARED_BUFFERS: bool = cfg!(feature = "buffers");

impl MultiplexedConnection {
    /// Makes the calling thread the leader, and gives it the receive buffer; `None` if there is a leader.
    pub(super) fn begin_to_lead(&self, state: &mut State) -> Option<Box<Inbound>> {
        let inbound = self.begin_to_receive(state)?;
        if state.pending.is_armed {
            self.disarm(state);
        }
        Some(inbound)
    }

    /// The same for the reader, which what arrives wakes.
    pub(super) fn begin_to_receive(&self, state: &mut State) -> Option<Box<Inbound>> {
        let inbound = state.inbound.take()?;
        state.leader.begin();
        Some(inbound)
    }

    /// Receives messages and passes each follower its reply, until the reply to the request `own` and all messages
    /// that were received with it are processed.
    pub(super) fn lead(
        &self,
        inbound: &mut Inbound,
        wait: &Wait,
        own: Option<u32>,
    ) -> Result<(), NoReply> {
        let (mut done, mut now) = (false, LastReceived::now());
        loop {
            let (polled, tail) = match inbound.poll().map_err(NoReply::Broken)? {
                None if !done && SHARED_BUFFERS => self.borrow_tail(inbound),
                polled => (polled, None),
            };
            match polled {
                Some(header) => {
                    let message = Message { inbound, header: &header, tail };
                    done |= self.deliver(message, now, own)?;
                }
                None if done => return Ok(()),
                None => {
                    self.receive_more(inbound, wait)?;
                    now = LastReceived::now();
                }
            }
        }
    }

    fn receive_more(&self, inbound: &mut Inbound, wait: &Wait) -> Result<(), NoReply> {
        // Computed for each wait: there may be endless replies to others.
        let time_limit = wait.next()?;
        let received = time_limit.next_wait().and_then(|limit| {
            self.stream.set_recv_timeout(limit.or(wait.longest()))?;
            let space = inbound.space();
            probe!(MessagingReceive);
            self.wait.recv(&*self.stream, space, limit)
        });
        probe!(TransportReceive);
        match received {
            Ok(0) => Err(NoReply::Lost(None)),
            Ok(count) => {
                inbound.advance(count);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(NoReply::TimedOut),
            Err(error) => Err(NoReply::Lost(Some(error))),
        }
    }

    /// Completes the next message with the shared buffer that contains its end, if there is one.
    pub(super) fn borrow_tail(&self, inbound: &mut Inbound) -> (Option<MessageHeader>, ReplyTail) {
        #[cfg(feature = "buffers")]
        if inbound.messaging().is_none()
            && let Some(missing) = inbound.missing_end()
            && let Some(tail) = self.stream.borrow(missing)
        {
            return (inbound.complete_without_end(), Some(tail));
        }
        let _ = inbound;
        (None, None)
    }

    /// Passes the current message to the caller that waits for it, or to the pending request; returns whether that is the
    /// request `own`.
    #[inline]
    pub(super) fn deliver(
        &self,
        message: Message<'_>,
        now: LastReceived,
        own: Option<u32>,
    ) -> Result<bool, NoReply> {
        let mut state = self.state();
        match self.receive_reply(&mut state, &message, now)? {
            Answer::Nobody => Ok(false),
            Answer::Caller(reply) => {
                let is_own = Some(reply.id) == own;
                self.deliver_to_caller(state, message, &reply, is_own)?;
                Ok(is_own)
            }
            Answer::Pending(id, start, request) => {
                drop(state);
                let mut broken = None;
                let ending = end_by(message, start, request, &mut broken);
                self.end_pending(ending);
                broken.map_or(Ok(Some(id) == own), |error| Err(NoReply::Broken(error)))
            }
        }
    }

    /// Passes the current message on as [`deliver`](Self::deliver), for the reader. If it is the last one that was received,
    /// and small, the state stays locked, and a pending request is left to be ended. Returns the locked state then.
    pub(super) fn deliver_next<'s>(
        &'s self,
        mut state: Locked<'s, State>,
        message: Message<'_>,
        now: LastReceived,
        ending: &mut Option<Ending>,
    ) -> Result<Option<Locked<'s, State>>, NoReply> {
        let (start, request) = match self.receive_reply(&mut state, &message, now)? {
            Answer::Nobody => return Ok(Some(state)),
            Answer::Caller(reply) => {
                self.deliver_to_caller(state, message, &reply, false)?;
                return Ok(None);
            }
            Answer::Pending(_, start, request) => (start, request),
        };
        // Others may use the connection between the replies that were received together.
        let inbound = &*message.inbound;
        let is_last = !inbound.has_buffered() && inbound.current().len() <= COPIED;
        let held = is_last.then_some(state);
        let mut broken = None;
        let ended = end_by(message, start, request, &mut broken);
        match held {
            Some(_) => *ending = Some(ended),
            None => self.end_pending(ended),
        }
        match broken {
            None => Ok(held),
            Some(error) => Err(NoReply::Broken(error)),
        }
    }

    /// Finds out which request the current message answers. A pending one is not outstanding any more.
    #[inline]
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

    /// Passes the current message to the caller that waits for it, which is the leader itself if `is_own`.
    fn deliver_to_caller(
        &self,
        mut state: Locked<'_, State>,
        Message { inbound, header, tail }: Message<'_>,
        reply: &CallerReply,
        is_own: bool,
    ) -> Result<(), NoReply> {
        let Some(Follower::Caller(caller)) = state.machine.call_mut(reply.id) else {
            return Ok(());
        };
        let octets = detach(inbound, std::mem::take(&mut caller.spare)).map_err(NoReply::Broken)?;
        caller.reply = Some(FollowerReply { header: *header, start: reply.start, octets, tail });
        if is_own {
            return Ok(());
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
        Ok(())
    }
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
#[inline]
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
