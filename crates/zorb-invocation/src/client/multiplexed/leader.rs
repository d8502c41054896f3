//! The leader: receiving for all callers of a connection.

use std::io;

use zorb_giop::{Inbound, MessageHeader};
use zorb_os::lock::Locked;
use zorb_os::probe;

use super::delivery::Message;
use super::pending_reply::ReplyTail;
use super::pending_request::{Ending, Reader};
use super::{MultiplexedConnection, State};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::longest_wait::Wait;
use crate::client::time_limit::TimeLimit;

/// Whether streams may have shared buffers.
const SHARED_BUFFERS: bool = cfg!(feature = "buffers");

impl MultiplexedConnection {
    /// Makes the calling thread the leader, and gives it the receive buffer; `None` if there is a leader.
    pub(super) fn begin_to_lead(&self, state: &mut State) -> Option<Box<Inbound>> {
        let inbound = self.begin_to_receive(state)?;
        // While it lets replies gather, what arrives does not wake the reader.
        if state.pending.is_armed && state.pending.reader != Reader::Gathers {
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

    /// Receives by `receive`, which returns when it has received, and passes each follower its reply: until the reply to the
    /// request `own`, or once if there is none, and until all messages that were received with it are processed. What was
    /// received before comes first. `now` is the time of that.
    ///
    /// Usually the last message is small: then the state has stayed locked since it was processed. If a pending request has
    /// been answered by it, this is left to be ended in `ending`, with the state unlocked.
    pub(super) fn lead<'s>(
        &'s self,
        inbound: &mut Inbound,
        own: Option<u32>,
        mut now: LastReceived,
        receive: &mut dyn FnMut(&mut Inbound) -> Result<LastReceived, NoReply>,
        ending: &mut Option<Ending>,
    ) -> Led<'s> {
        let (mut held, mut done) = (None, false);
        let led = loop {
            if inbound.has_buffered() {
                match self.next_message(inbound, done) {
                    Ok(Some((header, tail))) => {
                        let state = held.take().unwrap_or_else(|| self.state());
                        let message = Message { inbound, header: &header, tail };
                        match self.deliver(state, message, now, own, ending) {
                            Ok(delivered) => {
                                held = delivered.state;
                                done |= own.is_none() || delivered.is_own;
                            }
                            Err(reason) => break Err(reason),
                        }
                        continue;
                    }
                    Ok(None) => {}
                    Err(reason) => break Err(reason),
                }
            }
            if done {
                if own.is_none() {
                    // Otherwise a reply in fragments that nobody waits for would stay until the next message arrives.
                    inbound.release();
                }
                break Ok(());
            }
            drop(held.take());
            if let Some(ending) = ending.take() {
                self.end_pending(ending);
            }
            match receive(inbound) {
                Ok(received) => now = received,
                Err(reason) => break Err(reason),
            }
            done = own.is_none();
        };
        Led { state: held.unwrap_or_else(|| self.state()), led }
    }

    /// Receives until the reply to the request `own`, as long as its `wait`. What it leaves in `ending` is only to be dropped.
    pub(super) fn lead_for(
        &self,
        inbound: &mut Inbound,
        own: u32,
        wait: &Wait,
        ending: &mut Option<Ending>,
    ) -> Led<'_> {
        let now = LastReceived::now();
        let mut begins = Some(now);
        let mut receive = |inbound: &mut Inbound| {
            // Computed for each wait: there may be endless replies to others.
            let time_limit = wait.next_at(begins.take().unwrap_or_else(LastReceived::now))?;
            self.receive_more(inbound, time_limit)?;
            Ok(LastReceived::now())
        };
        let Led { state, led } = self.lead(inbound, Some(own), now, &mut receive, ending);
        // The reader does not end as long as this thread leads.
        if let Some(ending) = ending.take_if(|ending| ending.tells()) {
            drop(state);
            self.end_pending(ending);
            return Led { state: self.state(), led };
        }
        Led { state, led }
    }

    /// The next message that has been received, which is current then. If none has been processed yet, its end may be in a
    /// shared buffer.
    #[inline(always)] // with `deliver`: 2 % of a pending call
    fn next_message(
        &self,
        inbound: &mut Inbound,
        done: bool,
    ) -> Result<Option<(MessageHeader, ReplyTail)>, NoReply> {
        let (header, tail) = match inbound.poll().map_err(NoReply::Broken)? {
            None if !done && SHARED_BUFFERS => self.borrow_tail(inbound),
            polled => (polled, None),
        };
        Ok(header.map(|header| (header, tail)))
    }

    fn receive_more(&self, inbound: &mut Inbound, time_limit: TimeLimit) -> Result<(), NoReply> {
        let received = time_limit.next_wait().and_then(|limit| {
            self.limit_receiving(limit)?;
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
    fn borrow_tail(&self, inbound: &mut Inbound) -> (Option<MessageHeader>, ReplyTail) {
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
}

/// What receiving has led to.
pub(super) struct Led<'s> {
    pub(super) state: Locked<'s, State>,
    pub(super) led: Result<(), NoReply>,
}
