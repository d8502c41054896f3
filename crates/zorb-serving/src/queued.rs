//! Requests that wait for a thread of their lane, or come back to it after they have been held.

mod client;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use zorb_base::buffers::trim;
use zorb_base::callback::discard;
use zorb_base::upcall_thread::{end_upcall, serve_none};
use zorb_cdr::CdrReader;
use zorb_giop::{MessageFormat, RequestHeader, ServedRequest};
use zorb_poa::{HoldQueue, Holdable, ResumePass, discarded};
use zorb_transport::log_limited;
use zorb_types::SystemException;

use crate::connection::{Release, ReleasedRequest, ServerConnection, ServingLane};
use crate::connection_use::ConnectionUse;
use crate::held::{HeldRequest, RequestLane};
use crate::lane::core::LaneCore;
use crate::message::RequestMessage;
use crate::scratch::Scratch;
use crate::strategy::queue::Request;
use client::{Client, Released};

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
    if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
        discard(panic);
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
