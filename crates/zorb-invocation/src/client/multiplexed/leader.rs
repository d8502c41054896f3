//! The leader: receiving for all callers of a connection.

use std::io;
use std::sync::Arc;

use zorb_base::counters::{Count, count};
use zorb_giop::{DetachedMessage, Inbound, MessageHeader, ProtocolError, Received};
use zorb_os::probe;

use super::pending_request::ReplyTail;
use super::{FollowerReply, MultiplexedConnection, State};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::longest_wait::Wait;

/// Replies up to this size are copied for their caller. For larger ones, the caller gets the receive buffer,
/// and the octets after the reply are copied.
const COPIED: usize = 2048;

/// Whether streams may have shared buffers.
pub(super) const SHARED_BUFFERS: bool = cfg!(feature = "buffers");

impl MultiplexedConnection {
    /// Makes the calling thread the leader, and gives it the receive buffer; `None` if there is a leader.
    pub(super) fn begin_to_lead(&self, state: &mut State) -> Option<Box<Inbound>> {
        let inbound = state.inbound.take()?;
        state.leader.begin();
        if state.pending.is_armed {
            self.disarm(state);
        }
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
        let received = state.machine.receive(inbound, header);
        if received == Received::End {
            return Err(state.no_reply());
        }
        state.used = true;
        state.last_received = LastReceived::now();
        let (id, start) = match received {
            Received::Reply(start) => (start.request_id, Some(start)),
            Received::LocateReply(id) => (id, None),
            Received::Late | Received::End => return Ok(false),
        };
        let Some(call) = state.machine.call_mut(id) else { return Ok(false) };
        if call.pending.is_some() {
            let delivered = self.deliver_pending(state, (inbound, header, tail), (id, start));
            return delivered.map(|()| Some(id) == own);
        }
        let spare = std::mem::take(&mut call.spare);
        let octets = detach(inbound, spare).map_err(NoReply::Broken)?;
        call.reply = Some(FollowerReply { header: *header, start, octets, tail });
        if Some(id) == own {
            return Ok(true);
        }
        let sleeps = std::mem::replace(&mut call.sleeps, false);
        let wake = sleeps.then(|| Arc::clone(&call.wake));
        if sleeps {
            state.sleepers.remove(id);
        }
        drop(state);
        if let Some(wake) = wake {
            count(Count::ThreadSwitches);
            wake.notify_one();
        }
        Ok(false)
    }
}

/// The current message in its own buffer: `spare`, or the receive buffer, which `spare` then replaces.
pub(super) fn detach(
    inbound: &mut Inbound,
    mut spare: DetachedMessage,
) -> Result<DetachedMessage, ProtocolError> {
    if inbound.current().len() > COPIED {
        inbound.take_into(&mut spare);
    } else {
        spare.copy_from(inbound.current(), inbound.fragment_starts())?;
    }
    Ok(spare)
}
