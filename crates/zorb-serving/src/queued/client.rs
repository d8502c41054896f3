//! The client of a request that waited, and its upcall.

use std::io::IoSlice;
use std::sync::Arc;

use zorb_base::upcall_thread::{begin_upcall, end_upcall};
use zorb_cdr::{Gathered, TextCoding};
use zorb_giop::{MessageBudget, MessageFormat, ProtocolError, ServedRequest};
use zorb_poa::{
    Access, Answer, Arrival, IncomingRequest, MessageLayout, NotServed, ReplyTo, RequestOrigin,
    RequestSource, ResumePass, ServerCall, serve,
};
use zorb_types::SystemException;

use crate::connection::{Release, ServerConnection};
use crate::connection_use::ConnectionUse;
use crate::context::ServerContext;
use crate::deferred::DeferredRequest;
use crate::held::{HeldRequest, RequestLane};
use crate::lane::core::LaneCore;
use crate::message::RequestMessage;
use crate::output::{ReplyPath, SendingThread};
use crate::scratch::Scratch;
use crate::upcall_count::UpcallCount;

/// The client of a request.
pub(super) enum Client {
    Connected(ConnectionUse),
    /// The request was held. Boxed, because that is unusual, and requests are moved.
    Released(Box<Released>),
}

/// The client of a request that was held.
pub(super) struct Released {
    /// `None` if the connection ended while the request was held: no client waits for a reply.
    pub(super) connection: Option<ConnectionUse>,
    pub(super) lane: RequestLane,
    /// `None` once the request is being served.
    pub(super) release: Option<Release>,
}

impl Client {
    pub(super) fn connection(&self) -> Option<&Arc<ServerConnection>> {
        match self {
            Self::Connected(used) => Some(&used.0),
            Self::Released(released) => released.connection.as_ref().map(|used| &used.0),
        }
    }

    /// Whether the client of a request, for whose reply it waited, has gone.
    pub(super) fn has_gone(&self, message: &RequestMessage) -> bool {
        let connection = self.connection().filter(|_| message.response.expects_reply());
        connection.is_some_and(|connection| connection.awaited.client_has_gone())
    }

    /// Makes the upcall and sends the reply. Returns the message, unless it is held. `pass` is that of a request that was
    /// held: a reference, as it is large, and most requests have none.
    pub(super) fn serve(
        &self,
        mut message: Box<RequestMessage>,
        pass: &mut Option<ResumePass>,
        scratch: &mut Scratch,
    ) -> Option<Box<RequestMessage>> {
        let Scratch { reply, adapters, .. } = scratch;
        let (connection, core) = (self.connection(), self.core());
        let form = match message.expansion.as_deref() {
            Some(reads) => MessageFormat::Other(reads),
            None => MessageFormat::new(message.messaging, message.header.version),
        };
        let thread = SendingThread::Shared;
        let path = connection.map(|connection| ReplyPath { connection, thread });
        let nobody = NoClient(core);
        let (source, copy_threshold): (&dyn RequestSource, usize) = match &path {
            Some(path) => (path, path.connection.copy_threshold()),
            None => (&nobody, usize::MAX),
        };
        let layout = MessageLayout::new(&message.octets.fragment_starts);
        #[cfg(feature = "buffers")]
        let layout = layout.with_end(message.shared_end.as_ref());
        let incoming = IncomingRequest {
            message: message.octets.message(),
            header: &message.header,
            form,
            layout,
            reply: ReplyTo { buffer: reply, copy_threshold, source },
            context: core.read_context(),
        };
        let (request, text) = (message.request, message.text);
        let mut dequeued = DequeuedRequest { request, text, pool: self.lane().pool(), pass };
        match serve(core.adapters(), Some(adapters), incoming, &mut dequeued) {
            Ok(Answer::Nothing) => {}
            Ok(Answer::Reply) => {
                // Released before the reply: the client may then reuse the memory.
                #[cfg(feature = "buffers")]
                {
                    message.shared_end = None;
                }
                if let Some(connection) = connection {
                    connection.send_reply(request, reply, thread);
                }
            }
            Err(NotServed::Held(queue)) => {
                // Its pass is dropped only after that: later requests must be held behind it.
                self.held(message).put(&queue, dequeued.pass.as_ref());
                return None;
            }
            Err(NotServed::Broken(error)) => {
                self.refuse_broken(error);
                return None;
            }
        }
        message.expansion = None;
        Some(message)
    }

    pub(super) fn held(&self, message: Box<RequestMessage>) -> HeldRequest {
        HeldRequest {
            connection: self.connection().map(Arc::downgrade),
            lane: self.request_lane(),
            awaited: message.awaited(),
            message: Some(message),
            peer: 0,
        }
    }

    /// Ends the connection, after a request with an invalid header.
    #[cold]
    fn refuse_broken(&self, error: ProtocolError) {
        if let Some(connection) = self.connection() {
            connection.refuse(error);
        }
    }

    /// Answers a request with an exception, if the client waits.
    #[cold]
    pub(super) fn answer(
        &self,
        message: &RequestMessage,
        exception: &SystemException,
        reply: &mut Vec<u8>,
    ) {
        if let Some(connection) = self.connection() {
            connection.send_exception(message, exception, reply);
        }
    }

    pub(super) fn core(&self) -> &Arc<ServerContext> {
        match self {
            Self::Connected(used) => &used.0.core,
            Self::Released(released) => &released.lane.context,
        }
    }

    /// What its messages are charged to.
    pub(super) fn message_budget(&self) -> &Arc<MessageBudget> {
        match self.connection() {
            Some(connection) => &connection.budget,
            None => self.core().message_budget(),
        }
    }

    fn lane(&self) -> &LaneCore {
        match self {
            Self::Connected(used) => &used.0.lane,
            Self::Released(released) => &released.lane.lane,
        }
    }

    /// Counts the upcalls of requests like this one, which was held.
    pub(super) fn resumed_upcalls(&self) -> &UpcallCount {
        match self.connection() {
            Some(connection) => &connection.own_threads.resumed,
            None => &self.lane().without_client,
        }
    }

    fn request_lane(&self) -> RequestLane {
        match self {
            Self::Connected(used) => RequestLane::of(&used.0),
            Self::Released(released) => released.lane.clone(),
        }
    }
}

/// A request that its lane's thread has taken from a queue.
struct DequeuedRequest<'p> {
    request: ServedRequest,
    text: TextCoding,
    /// The number of the lane's pool.
    pool: usize,
    /// Its pass, if it was held. Dropped when it is admitted: later requests need not queue behind it any more.
    pass: &'p mut Option<ResumePass>,
}

impl RequestOrigin for DequeuedRequest<'_> {
    #[inline]
    fn begin(&mut self, call: &mut ServerCall<'_>) -> Result<(), SystemException> {
        call.set_request(self.request);
        call.set_text(self.text);
        Ok(())
    }

    #[inline]
    fn access(&self) -> Access<'_> {
        let arrival = self.pass.as_ref().map_or(Arrival::New, Arrival::Resumed);
        Access { arrival, pool: Some(self.pool) }
    }

    #[inline]
    fn admitted(&mut self) -> bool {
        *self.pass = None;
        true
    }

    #[inline]
    fn begin_upcall(&mut self, _: bool) {
        begin_upcall();
    }

    #[inline]
    fn end_upcall(&mut self) {
        end_upcall();
    }
}

/// The source of a request whose client has gone.
struct NoClient<'a>(&'a Arc<ServerContext>);

impl RequestSource for NoClient<'_> {
    fn send_parts(&self, _: ServedRequest, _: &mut [IoSlice<'_>], _: Gathered) {}

    fn defer(&self) -> Result<Box<dyn RequestSource + Send + Sync>, SystemException> {
        Ok(Box::new(DeferredRequest::without_client(self.0)?))
    }
}
