//! The receive loop: from octets to messages, and the action for each kind of message.

mod waits;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_base::buffers::trim;
use zorb_base::upcall_thread::end_upcall;
use zorb_cdr::TextCoding;
use zorb_giop::{
    ClientMessage, ConnectionEnd, Expanded, Incomplete, MessageFormat, MessageHeader, Messaging,
    ProtocolError, ProtocolErrorKind, ResponseFlags, ServedRequest,
};
use zorb_os::probe;
use zorb_poa::{
    Access, Answer, Arrival, IncomingRequest, MessageLayout, NotServed, ReplyTo, RequestOrigin,
    ServerCall, answer_locate, serve,
};
use zorb_transport::log_limited;
use zorb_types::SystemException;

use crate::connection::ServerConnection;
use crate::input::{Input, WaitState};
use crate::message::RequestMessage;
use crate::output::{ReplyPath, SendingThread};
use crate::own_threads::LongUpcall;
use crate::own_threads::before_upcall::Seen;
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
                // The event was for an earlier connection in the slot.
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

    /// Serves the Request that is the current message on the calling thread. Returns the input, unless it was
    /// left to others.
    #[inline]
    fn serve_request(
        self: &Arc<Self>,
        mut input: Box<Input>,
        header: &MessageHeader,
        has_own_threads: bool,
        thread: SendingThread,
        scratch: &mut Scratch,
    ) -> Result<Option<Box<Input>>, ProtocolError> {
        let Scratch { request, reply, adapters, expansion, set_up_for, .. } = scratch;
        input.inbound.take_into(request);
        #[cfg(feature = "buffers")]
        let shared_end = input.shared_end.take();
        let form = match self.messaging {
            Some(messaging) if input.receiver.must_expand() => {
                match self.expand(messaging, &mut input, request.message(), header, expansion)? {
                    Some(form) => form,
                    None => return Ok(Some(input)),
                }
            }
            messaging => MessageFormat::new(messaging, header.version),
        };
        let path = ReplyPath { connection: self, thread };
        let layout = MessageLayout::new(&request.fragment_starts);
        #[cfg(feature = "buffers")]
        let layout = layout.with_end(shared_end.as_ref());
        let incoming = IncomingRequest {
            message: request.message(),
            header,
            form,
            layout,
            reply: ReplyTo { buffer: reply, copy_threshold: self.copy_threshold(), source: &path },
            context: self.core.read_context(),
        };
        let mut received = ReceivedRequest {
            connection: self,
            form,
            set_up_for,
            has_own_threads,
            input: Some(input),
            request: ServedRequest::default(),
            response: ResponseFlags::NoResponse,
            text: TextCoding::default(),
            upcall: LongUpcall::default(),
        };
        let served = serve(self.core.adapters(), Some(adapters), incoming, &mut received);
        let ReceivedRequest { input, request: number, response, text, .. } = received;
        match served {
            Ok(Answer::Nothing) => {}
            Ok(Answer::Reply) => {
                // Released before the reply: the client may then reuse the memory.
                #[cfg(feature = "buffers")]
                drop(shared_end);
                // A thread that has the input counts as its reader: the reply is queued, and sent before it reads on.
                let thread = if input.is_some() { SendingThread::Shared } else { thread };
                self.send_reply(number, reply, thread);
            }
            Err(NotServed::Held(queue)) => {
                let message = RequestMessage {
                    octets: std::mem::take(request),
                    header: *header,
                    messaging: self.messaging,
                    expansion: expansion.take(),
                    request: number,
                    response,
                    text,
                    #[cfg(feature = "buffers")]
                    shared_end,
                    ..RequestMessage::default()
                };
                self.hold(&queue, Box::new(message));
            }
            Err(NotServed::Broken(error)) => return Err(error),
        }
        self.finish_request();
        Ok(input)
    }

    /// Finds the definition of an abbreviated request of another messaging protocol, and stores it in
    /// `expansion`. `None` if it is unknown: the client has been asked for the full request.
    #[inline(never)]
    pub(super) fn expand<'r>(
        self: &Arc<Self>,
        messaging: &'static dyn Messaging,
        input: &mut Input,
        message: &[u8],
        header: &MessageHeader,
        expansion: &'r mut Option<Arc<dyn Messaging>>,
    ) -> Result<Option<MessageFormat<'r>>, ProtocolError> {
        *expansion = match input.receiver.expand(message, header)? {
            Expanded::InFull => None,
            Expanded::By(reads) => Some(reads),
            Expanded::Unknown { request_id } => {
                self.ask_for_all(messaging, request_id);
                return Ok(None);
            }
        };
        Ok(Some(MessageFormat::Other(expansion.as_deref().unwrap_or(messaging))))
    }
}

/// A request that the calling thread has just received.
struct ReceivedRequest<'c> {
    connection: &'c Arc<ServerConnection>,
    form: MessageFormat<'c>,
    /// What the thread is set up for.
    set_up_for: &'c mut Seen,
    has_own_threads: bool,
    /// `None` once it has been left to others.
    input: Option<Box<Input>>,
    request: ServedRequest,
    response: ResponseFlags,
    text: TextCoding,
    upcall: LongUpcall,
}

impl RequestOrigin for ReceivedRequest<'_> {
    #[inline]
    fn begin(&mut self, call: &mut ServerCall<'_>) -> Result<(), SystemException> {
        let Some(input) = &mut self.input else { return Ok(()) };
        let requests = &self.connection.requests;
        let (request, text) = input.receiver.begin_request(requests, call.request(), self.form);
        (self.request, self.response) = (request, call.request().response);
        call.set_request(request);
        self.text = text?;
        call.set_text(self.text);
        Ok(())
    }

    #[inline]
    fn access(&self) -> Access<'_> {
        Access { arrival: Arrival::New, pool: Some(self.connection.lane.pool()) }
    }

    /// From now on others may read.
    #[inline]
    fn begin_upcall(&mut self, is_awaited: bool) {
        let Some(input) = self.input.take() else { return };
        match self.has_own_threads {
            true => {
                self.connection.prepare_upcall(self.set_up_for);
                self.upcall = self.connection.leave_input(input, is_awaited);
            }
            false => self.connection.leave_input_to_reactor(input),
        }
    }

    #[inline]
    fn end_upcall(&mut self) {
        end_upcall();
        self.upcall.end(self.connection);
    }
}
