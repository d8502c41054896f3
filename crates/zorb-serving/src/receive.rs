//! The receive loop: from octets to messages, and the action for each kind of message.

mod request;
mod waits;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_base::buffers::trim;
use zorb_giop::{
    ClientMessage, ConnectionEnd, Incomplete, MessageFormat, MessageHeader, ProtocolError,
    ProtocolErrorKind,
};
use zorb_os::probe;
use zorb_poa::answer_locate;
use zorb_transport::log_limited;

use crate::connection::ServerConnection;
use crate::input::{Input, WaitState};
use crate::output::SendingThread;
use crate::scratch::Scratch;

/// The number of messages that a thread of the reactor processes before it serves other connections.
const FAIR_SHARE: u32 = 64;

/// The result of receiving.
enum Received {
    Octets,
    /// Nothing is available; the reactor reports when something is.
    Nothing,
    /// The connection has ended.
    End,
}

impl ServerConnection {
    /// Receives and serves requests. One of the connection's own threads continues until the connection ends
    /// or another thread has the input. A thread of the reactor returns the input when nothing is available,
    /// and serves other connections after each [`FAIR_SHARE`] messages.
    pub(super) fn receive_requests(
        self: &Arc<Self>,
        mut input: Box<Input>,
        scratch: &mut Scratch,
    ) -> Option<Box<Input>> {
        let waits = self.has_own_threads();
        let mut left = FAIR_SHARE;
        loop {
            if self.requests.is_closing() {
                self.end(ConnectionEnd::ClosedLocally);
                return None;
            }
            match self.next_message(&mut input) {
                Ok(Some(header)) => {
                    probe!(Begin);
                    self.message_complete(&mut input);
                    let processed = self.process(input, &header, waits, scratch);
                    if self.output_waits() && !self.finish_output(!matches!(&processed, Ok(None))) {
                        // The reactor reports when the client has read.
                        return processed.unwrap_or_else(|end| {
                            self.end(end);
                            None
                        });
                    }
                    match processed {
                        Ok(back) => input = back.or_else(|| self.input.take())?,
                        Err(end) => {
                            self.end(end);
                            return None;
                        }
                    }
                    if self.events.request_waits() {
                        if !waits {
                            if input.has_more() {
                                self.events.ready.store(true, Ordering::SeqCst);
                            }
                            return Some(input);
                        }
                        self.lane.work_ends();
                        self.events.wait_for_request();
                        self.lane.work_begins();
                    }
                    trim(&mut scratch.reply);
                    left -= 1;
                    if left > 0 {
                        continue;
                    }
                    if !waits {
                        self.serve_others_first(input);
                        return None;
                    }
                    left = FAIR_SHARE;
                    continue;
                }
                Ok(None) => {}
                Err(error) => {
                    if let ProtocolErrorKind::OutOfMemory(_) = error.kind {
                        log_limited!(warn, peer = self.stream.peer(), %error, "connection closed");
                    }
                    self.end(error.into());
                    return None;
                }
            }
            if !waits && input.drained && !self.events.is_ready() {
                return Some(input);
            }
            match self.receive(&mut input, scratch, waits) {
                Received::Octets => {}
                Received::Nothing => return Some(input),
                Received::End => return None,
            }
        }
    }

    /// Records a whole message.
    #[inline]
    fn message_complete(&self, input: &mut Input) {
        self.progress.count_message();
        if input.awaited != Incomplete::NONE {
            input.awaited = self.progress.message_complete(&input.inbound);
            if input.wait == WaitState::Needed {
                input.wait = WaitState::Usual;
            }
        }
    }

    /// Makes the next whole message the current one, and returns its header.
    #[inline]
    fn next_message(&self, input: &mut Input) -> Result<Option<MessageHeader>, ProtocolError> {
        // The usual case: the client waits for its reply.
        if input.inbound.is_idle() {
            return Ok(None);
        }
        if let Some(header) = input.inbound.poll()? {
            return Ok(Some(header));
        }
        #[cfg(feature = "buffers")]
        if let Some(header) = self.borrow_end(input) {
            return Ok(Some(header));
        }
        self.wait_for_rest(input);
        Ok(None)
    }

    /// Completes the current message with an end that is in the stream's shared memory.
    #[cfg(feature = "buffers")]
    #[inline]
    fn borrow_end(&self, input: &mut Input) -> Option<MessageHeader> {
        if self.messaging.is_some() {
            return None;
        }
        let missing = input.inbound.missing_end()?;
        let end = self.stream.borrow(missing)?;
        let header = input.inbound.complete_without_end()?;
        input.shared_end = Some(end);
        Some(header)
    }

    /// Receives available octets; waits for them if `waits`.
    #[inline]
    fn receive(
        self: &Arc<Self>,
        input: &mut Input,
        scratch: &mut Scratch,
        waits: bool,
    ) -> Received {
        input.at_end |= self.events.before_receiving();
        if waits {
            let has_large = input.inbound.is_large() || scratch.is_large();
            if has_large || input.wait != WaitState::Usual {
                self.choose_wait(input, has_large);
            }
        }
        let inbound = &mut input.inbound;
        let space = inbound.space();
        let room = space.len();
        probe!(MessagingReceive);
        let received = if waits {
            let limit = self.wait_limit(input.wait);
            self.lane.work_ends();
            let received = self.wait.recv(&*self.stream, space, limit).map(Some);
            self.lane.work_begins();
            received
        } else {
            self.stream.try_recv(space)
        };
        probe!(TransportReceive);
        match received {
            Ok(Some(0)) => {
                // Closing it here ends the stream as well.
                self.end(match self.requests.is_closing() {
                    true => ConnectionEnd::ClosedLocally,
                    false => ConnectionEnd::Lost,
                });
                Received::End
            }
            Ok(Some(count)) => {
                inbound.advance(count);
                let may_be_empty = count < room && !input.at_end;
                input.drained = may_be_empty && self.stream.short_read_means_empty();
                Received::Octets
            }
            Ok(None) => {
                input.drained = true;
                // The event was for an error that a sending thread has got.
                input.at_end = false;
                Received::Nothing
            }
            Err(error) => self.receive_failed(input, scratch, &error),
        }
    }

    /// Processes the current message. Returns the input, unless it was left to others.
    fn process(
        self: &Arc<Self>,
        mut input: Box<Input>,
        header: &MessageHeader,
        has_own_threads: bool,
        scratch: &mut Scratch,
    ) -> Result<Option<Box<Input>>, ConnectionEnd> {
        match input.receiver.receive(&input.inbound, header) {
            ClientMessage::Request if self.lane.queues_requests() => {
                self.serving_lane.enqueue(self, &mut input, header, scratch)?;
            }
            ClientMessage::Request => {
                let permit = self.lane.permit(has_own_threads);
                // With permits, other connections wait for this upcall.
                let thread = match has_own_threads && permit.is_none() {
                    true => SendingThread::Own,
                    false => SendingThread::Shared,
                };
                return Ok(self.serve_request(input, header, has_own_threads, thread, scratch)?);
            }
            ClientMessage::LocateRequest => {
                let Scratch { request, reply, .. } = scratch;
                input.inbound.take_into(request);
                let form = MessageFormat::new(self.messaging, header.version);
                answer_locate(
                    self.core.adapters(),
                    request.message(),
                    header,
                    form,
                    self.lane.pool(),
                    reply,
                )?;
                if !reply.is_empty() {
                    self.send(reply);
                }
            }
            ClientMessage::Cancel(cancellation) => self.cancel(cancellation),
            ClientMessage::End(end) => return Err(end),
        }
        Ok(Some(input))
    }
}
