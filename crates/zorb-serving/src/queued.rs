//! Requests that wait for a thread of their lane, or come back to it after they have been held.

use std::io::IoSlice;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use zorb_base::buffers::trim;
use zorb_base::upcall_thread::{begin_upcall, end_upcall, serve_none};
use zorb_cdr::{CdrReader, TextCoding};
use zorb_giop::{MessageBudget, MessageFormat, ProtocolError, RequestHeader, ServedRequest};
use zorb_poa::{
    Access, Answer, Arrival, HoldQueue, Holdable, IncomingRequest, MessageLayout, NotServed,
    ReplyTo, RequestOrigin, RequestSource, ResumePass, ServerCall, discarded, serve,
};
use zorb_transport::log_limited;
use zorb_types::SystemException;

use crate::connection::{Release, ReleasedRequest, ServerConnection, ServingLane};
use crate::connection_use::ConnectionUse;
use crate::context::ServerContext;
use crate::deferred::DeferredRequest;
use crate::held::{HeldRequest, RequestLane};
use crate::lane::core::LaneCore;
use crate::message::RequestMessage;
use crate::output::{ReplyPath, SendingThread};
use crate::scratch::Scratch;
use crate::strategy::queue::Request;
use crate::upcall_count::UpcallCount;

/// The client of a request.
enum Client {
    Connected(ConnectionUse),
    /// The request was held. Boxed, because that is unusual, and requests are moved.
    Released(Box<Released>),
}

/// The client of a request that was held.
struct Released {
    /// `None` if the connection ended while the request was held: no client waits for a reply.
    connection: Option<ConnectionUse>,
    lane: RequestLane,
    /// `None` once the request is being served.
    release: Option<Release>,
}

impl Client {
    fn connection(&self) -> Option<&Arc<ServerConnection>> {
        match self {
            Self::Connected(used) => Some(&used.0),
            Self::Released(released) => released.connection.as_ref().map(|used| &used.0),
        }
    }

    /// Whether the client of a request, for whose reply it waited, has gone.
    fn has_gone(&self, message: &RequestMessage) -> bool {
        let connection = self.connection().filter(|_| message.response.expects_reply());
        connection.is_some_and(|connection| connection.awaited.client_has_gone())
    }

    /// Makes the upcall and sends the reply. Returns the message, unless it is held. `pass` is that of a request that was
    /// held: a reference, as it is large, and most requests have none.
    fn serve(
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

    fn held(&self, message: Box<RequestMessage>) -> HeldRequest {
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
    fn answer(&self, message: &RequestMessage, exception: &SystemException, reply: &mut Vec<u8>) {
        if let Some(connection) = self.connection() {
            connection.send_exception(message, exception, reply);
        }
    }

    fn core(&self) -> &Arc<ServerContext> {
        match self {
            Self::Connected(used) => &used.0.core,
            Self::Released(released) => &released.lane.context,
        }
    }

    /// What its messages are charged to.
    fn message_budget(&self) -> &Arc<MessageBudget> {
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
    fn resumed_upcalls(&self) -> &UpcallCount {
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

/// A request that waits for a thread of its lane.
pub(crate) struct QueuedRequest {
    message: Box<RequestMessage>,
    client: Client,
}

impl std::fmt::Debug for QueuedRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueuedRequest").field("message", &self.message).finish_non_exhaustive()
    }
}

impl QueuedRequest {
    /// A request of `connection`, which counts it until this is dropped.
    pub(super) fn new(connection: &Arc<ServerConnection>, message: Box<RequestMessage>) -> Self {
        Self { message, client: Client::Connected(ConnectionUse(Arc::clone(connection))) }
    }

    /// A held request that has been released to the threads of a lane.
    pub(super) fn released(
        request: ReleasedRequest,
        lane: &Arc<LaneCore>,
        serving_lane: Arc<dyn ServingLane>,
    ) -> Self {
        let ReleasedRequest { message, connection, context, ordered, release } = request;
        let lane = RequestLane { context, lane: Arc::clone(lane), serving_lane, ordered };
        let connection = connection.map(ConnectionUse);
        let released = Released { connection, lane, release: Some(release) };
        Self { message, client: Client::Released(Box::new(released)) }
    }

    /// Lets the request wait for its turn, if its adapter serves one at a time; otherwise returns it. The threads of
    /// the lane need not ask in the order of the requests.
    #[cold]
    pub(super) fn wait_for_permit(self) -> Option<Self> {
        let Some(queue) = self.serializer() else { return Some(self) };
        self.client.held(self.message).put(&queue, None);
        None
    }

    fn serializer(&self) -> Option<HoldQueue> {
        let message = &*self.message;
        let form = match message.expansion.as_deref() {
            Some(reads) => MessageFormat::Other(reads),
            None => MessageFormat::new(message.messaging, message.header.version),
        };
        let mut request = RequestHeader::EMPTY;
        let mut reader = CdrReader::new(message.octets.message(), message.header.order);
        form.read_request_with(&mut request, &mut reader, &message.header).ok()?;
        self.client.core().adapters().serializer_of(&request)
    }

    /// Makes the upcall and sends the reply. Returns the message for another request.
    pub(super) fn serve(self, scratch: &mut Scratch) -> Option<Box<RequestMessage>> {
        let Self { mut message, mut client } = self;
        if std::mem::take(&mut message.suspends)
            && let Some(connection) = client.connection()
        {
            connection.resume_reading();
        }
        let release = match &mut client {
            Client::Connected(_) => None,
            Client::Released(released) => released.release.take(),
        };
        let mut pass = match release {
            None => None,
            Some(Release::Resumed(_)) if client.has_gone(&message) => return None,
            Some(Release::Resumed(pass)) => Some(pass),
            Some(Release::Expired) => {
                client.answer(&message, &discarded(), &mut Vec::new());
                return None;
            }
        };
        let _counted = pass.as_ref().map(|_| client.resumed_upcalls().enter());
        let mut served = None;
        match client.connection() {
            Some(connection) => {
                connection.guarded(|| served = client.serve(message, &mut pass, scratch));
            }
            None => without_client(|| served = client.serve(message, &mut pass, scratch)),
        }
        trim(&mut scratch.reply);
        served
    }

    /// Answers with an exception, which is written to `reply`. Returns the message, which can be used again.
    #[cold]
    pub(super) fn refuse(
        self,
        exception: &SystemException,
        reply: &mut Vec<u8>,
    ) -> Box<RequestMessage> {
        self.client.answer(&self.message, exception, reply);
        self.message
    }
}

/// Serves a request whose client has gone; a panic outside a servant's method ends nothing else.
#[cold]
fn without_client(work: impl FnOnce()) {
    serve_none();
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        // For example in an interceptor. The thread serves other requests, too.
        log_limited!(error, "serving a request whose client has gone panicked");
        end_upcall();
    }
}

impl Request for QueuedRequest {
    fn size(&self) -> usize {
        self.message.size()
    }

    fn priority(&self) -> i16 {
        self.message.priority
    }

    fn begin_wait(&mut self, is_buffered: bool) -> bool {
        let Self { message, client } = self;
        match client.connection() {
            // At most one request of a connection waits so, and its excess over a small one is charged already.
            Some(connection) if !is_buffered => {
                connection.suspend_reading();
                message.suspends = true;
                true
            }
            _ => message.octets.charge_whole(client.message_budget()),
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

impl Holdable for HeldRequest {
    fn size(&self) -> usize {
        self.message.as_ref().map_or(0, |message| message.size())
    }

    fn peer(&self) -> usize {
        self.peer
    }

    fn awaited_by(&self) -> Option<(usize, ServedRequest)> {
        let connection = self.connection.as_ref()?;
        Some((connection.as_ptr().addr(), self.awaited?))
    }

    fn resume(self: Box<Self>, pass: ResumePass) {
        self.release(Release::Resumed(pass));
    }

    fn serve(mut self: Box<Self>, pass: ResumePass) {
        let Some(request) = self.take(Release::Resumed(pass)) else { return };
        let RequestLane { context, lane, serving_lane, .. } = self.lane.clone();
        // A shutdown waits for it as for the ORB's own threads.
        let _running = context.orb().threads().enter_upcall(&[]);
        let request = QueuedRequest::released(request, &lane, serving_lane);
        drop(request.serve(&mut Scratch::default()));
        serve_none();
    }

    fn discard(self: Box<Self>) {
        // On a thread of the lane, as the client may not read.
        if self.awaited.is_some() {
            self.release(Release::Expired);
        }
    }
}

/// The source of a request whose client has gone.
struct NoClient<'a>(&'a Arc<ServerContext>);

impl RequestSource for NoClient<'_> {
    fn send_parts(&self, _: ServedRequest, _: &mut [IoSlice<'_>]) {}

    fn defer(&self) -> Result<Box<dyn RequestSource + Send + Sync>, SystemException> {
        Ok(Box::new(DeferredRequest::without_client(self.0)?))
    }
}
