//! The leader: receiving for all callers of a connection.

use std::io;
use std::sync::Arc;

use zorb_base::counters::{Count, count};
use zorb_giop::{Inbound, MessageHeader, ProtocolError, Received, ReplyStart};
use zorb_os::lock::Locked;
use zorb_os::probe;

use super::detached::{COPIED, detach};
use super::pending_reply::{PendingReply, ReplyTail};
use super::pending_request::{Ended, Ending};
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
        let mut done = false;
        loop {
            let (polled, tail) = match inbound.poll().map_err(NoReply::Broken)? {
                None if !done && SHARED_BUFFERS => self.borrow_tail(inbound),
                polled => (polled, None),
            };
            match polled {
                Some(header) => done |= self.deliver(inbound, &header, tail, own)?,
                None if done => return Ok(()),
                None => self.receive_more(inbound, wait)?,
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
    pub(super) fn deliver(
        &self,
        inbound: &mut Inbound,
        header: &MessageHeader,
        tail: ReplyTail,
        own: Option<u32>,
    ) -> Result<bool, NoReply> {
        let mut state = self.state();
        let Some(reply) = self.receive_reply(&mut state, inbound, header)? else {
            return Ok(false);
        };
        let is_own = Some(reply.id) == own;
        if let Some(request) = self.take_pending(&mut state, reply.id) {
            drop(state);
            let mut broken = None;
            let ended = pending_reply((inbound, header, tail), reply.start, &mut broken);
            self.end_pending(Ending { request, ended });
            return broken.map_or(Ok(is_own), |error| Err(NoReply::Broken(error)));
        }
        match state.machine.call_mut(reply.id) {
            Some(Follower::Caller(_)) => {
                self.deliver_to_caller(state, (inbound, header, tail), &reply, is_own)?;
                Ok(is_own)
            }
            _ => Ok(false),
        }
    }

    /// Passes the current message on as [`deliver`](Self::deliver), for the reader. If it is the last one that was received,
    /// and small, the state stays locked, and a pending request is left to be ended. Returns the locked state then.
    pub(super) fn deliver_next<'s>(
        &'s self,
        mut state: Locked<'s, State>,
        (inbound, header, tail): (&mut Inbound, &MessageHeader, ReplyTail),
        ending: &mut Option<Ending>,
    ) -> Result<Option<Locked<'s, State>>, NoReply> {
        let Some(reply) = self.receive_reply(&mut state, inbound, header)? else {
            return Ok(Some(state));
        };
        let Some(request) = self.take_pending(&mut state, reply.id) else {
            if let Some(Follower::Caller(_)) = state.machine.call_mut(reply.id) {
                self.deliver_to_caller(state, (inbound, header, tail), &reply, false)?;
                return Ok(None);
            }
            return Ok(Some(state));
        };
        // Others may use the connection between the replies that were received together.
        let is_last = !inbound.has_buffered() && inbound.current().len() <= COPIED;
        let held = is_last.then_some(state);
        let mut broken = None;
        let ended = pending_reply((inbound, header, tail), reply.start, &mut broken);
        match held {
            Some(_) => *ending = Some(Ending { request, ended }),
            None => self.end_pending(Ending { request, ended }),
        }
        match broken {
            None => Ok(held),
            Some(error) => Err(NoReply::Broken(error)),
        }
    }

    /// Finds out which request the current message answers; `None` if nobody waits for it.
    fn receive_reply(
        &self,
        state: &mut State,
        inbound: &Inbound,
        header: &MessageHeader,
    ) -> Result<Option<Answer>, NoReply> {
        let received = state.machine.receive(inbound, header);
        if received == Received::End {
            return Err(state.no_reply());
        }
        state.used = true;
        state.last_received = LastReceived::now();
        Ok(match received {
            Received::Reply(start) => Some(Answer { id: start.request_id, start: Some(start) }),
            Received::LocateReply(id) => Some(Answer { id, start: None }),
            Received::Late | Received::End => None,
        })
    }

    /// Passes the current message to the caller that waits for it, which is the leader itself if `is_own`.
    fn deliver_to_caller(
        &self,
        mut state: Locked<'_, State>,
        (inbound, header, tail): (&mut Inbound, &MessageHeader, ReplyTail),
        reply: &Answer,
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

/// The request that a message answers.
struct Answer {
    id: u32,
    /// `None` for a LocateReply.
    start: Option<ReplyStart>,
}

/// How the current message ends a pending request. An error that ends the connection goes to `broken`.
#[inline]
fn pending_reply(
    (inbound, header, tail): (&mut Inbound, &MessageHeader, ReplyTail),
    start: Option<ReplyStart>,
    broken: &mut Option<ProtocolError>,
) -> Ended {
    let Some(start) = start else {
        // A LocateReply, which the server sends to a Request.
        return Ended::NoReply { reason: NoReply::Lost(None), again: false };
    };
    if tail.is_none()
        && inbound.fragment_starts().is_empty()
        && let Some(small) = PendingReply::in_place(inbound.current(), header.order, start)
    {
        return Ended::Reply(small);
    }
    match PendingReply::take((inbound, header, tail), start) {
        Ok(reply) => Ended::Reply(reply),
        Err((error, ends)) => {
            *broken = ends.then_some(error);
            Ended::NoReply { reason: NoReply::Broken(error), again: false }
        }
    }
}
