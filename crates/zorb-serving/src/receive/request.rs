//! Serves a request on the thread that has received it.

use std::sync::Arc;

use zorb_base::upcall_thread::end_upcall;
use zorb_cdr::TextCoding;
use zorb_giop::{
    Expanded, MessageFormat, MessageHeader, Messaging, ProtocolError, ResponseFlags, ServedRequest,
};
use zorb_poa::{
    Access, Answer, Arrival, IncomingRequest, MessageLayout, NotServed, ReplyTo, RequestOrigin,
    ServerCall, serve,
};
use zorb_types::SystemException;

use crate::connection::ServerConnection;
use crate::input::Input;
use crate::message::RequestMessage;
use crate::output::{ReplyPath, SendingThread};
use crate::own_threads::LongUpcall;
use crate::own_threads::before_upcall::Seen;
use crate::scratch::Scratch;

impl ServerConnection {
    /// Serves the Request that is the current message on the calling thread. Returns the input, unless it was
    /// left to others.
    #[inline]
    pub(super) fn serve_request(
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
    pub(crate) fn expand<'r>(
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
