//! Serves a Request: finds its object, makes the upcall, and writes the reply.

use std::error::Error as _;
use std::io::IoSlice;

use zorb_base::interceptor::RequestOutcome;
#[cfg(feature = "buffers")]
use zorb_cdr::Tail;
use zorb_cdr::{Gathered, ReadContext};
use zorb_giop::{
    Destination, HEADER_SIZE, MessageFormat, MessageHeader, ProtocolError, RequestHeader,
    ResponseFlags, TargetAddress,
};
use zorb_os::probe;
use zorb_transport::log_limited;
use zorb_types::{Report, SystemException, SystemExceptionKind, minor};

use crate::adapters::{Access, AdapterCache, Adapters, NotAdmitted};
use crate::answers::answer_absent;
use crate::call::ServerCall;
use crate::error::not_there;
use crate::hold_queue::HoldQueue;
use crate::reply::{ReplyTo, ReplyWriter};
use crate::slots::Found;
use crate::upcall::upcall;

/// A request to serve.
pub struct IncomingRequest<'a> {
    /// The whole message.
    pub message: &'a [u8],
    /// The header of the message.
    pub header: &'a MessageHeader,
    /// The messaging protocol.
    pub form: MessageFormat<'a>,
    /// The layout of the message.
    pub layout: MessageLayout<'a>,
    /// Where the reply goes.
    pub reply: ReplyTo<'a>,
    /// The context in which arguments of types that need an ORB are decoded.
    pub context: &'a dyn ReadContext,
}

impl std::fmt::Debug for IncomingRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IncomingRequest").field("header", &self.header).finish_non_exhaustive()
    }
}

/// The origin of a request: a connection, a queue, or a collocated call.
pub trait RequestOrigin {
    /// Begins a request whose header has been read: [sets](ServerCall::set_text) the encoding of its text, and its
    /// [number](ServerCall::set_request) among those of its connection.
    ///
    /// # Errors
    /// The exception to answer the request with.
    fn begin(&mut self, call: &mut ServerCall<'_>) -> Result<(), SystemException>;

    /// How the request has reached its adapter.
    fn access(&self) -> Access<'_>;

    /// Called when the request does not wait, or no longer waits: it is about to be served or refused. Returns whether
    /// its origin still needs that.
    #[inline]
    fn admitted(&mut self) -> bool {
        true
    }

    /// The upcall follows. `is_awaited`: the client waits for the reply.
    #[inline]
    fn begin_upcall(&mut self, is_awaited: bool) {
        let _ = is_awaited;
    }

    /// The upcall has returned, and the reply has been written but not sent.
    #[inline]
    fn end_upcall(&mut self) {}
}

/// Why a request has not been served.
#[derive(Debug)]
pub enum NotServed {
    /// Its header is invalid.
    Broken(ProtocolError),
    /// It has to wait in this queue.
    Held(HoldQueue),
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The reply is in the buffer and must be sent.
    Reply,
    /// No reply is expected, or it has been sent.
    Nothing,
}

/// The layout of a message in memory.
///
/// It is separate from the octets, so that these are passed in registers.
#[derive(Clone, Copy, Default)]
pub struct MessageLayout<'a> {
    /// The offsets of parts with an alignment of their own, which are the bodies of fragments; usually none.
    fragment_starts: &'a [u32],
    /// The end of the message, if it is in a buffer of its own.
    #[cfg(feature = "buffers")]
    end: Tail<'a>,
}

impl std::fmt::Debug for MessageLayout<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MessageLayout")
            .field("fragment_starts", &self.fragment_starts)
            .finish_non_exhaustive()
    }
}

impl<'a> MessageLayout<'a> {
    /// The layout of a message in one buffer.
    #[inline]
    pub fn new(fragment_starts: &'a [u32]) -> Self {
        Self {
            fragment_starts,
            #[cfg(feature = "buffers")]
            end: Tail::default(),
        }
    }

    /// Sets the buffer with the end of the message.
    #[cfg(feature = "buffers")]
    #[inline]
    pub fn with_end(self, end: Option<&'a zorb_transport::ReceivedBuffer>) -> Self {
        Self { end: end.map_or(Tail::default(), |end| Tail::new(end).owned_by(end)), ..self }
    }
}

/// Serves a request: reads its header, finds its object, makes the upcall and writes the reply. `known` is the thread's
/// cache.
///
/// # Errors
/// See [`NotServed`].
#[inline(always)] // as `RequestHeader::read_with`
pub fn serve<'a>(
    adapters: &'a Adapters,
    mut known: Option<&'a mut AdapterCache>,
    request: IncomingRequest<'a>,
    origin: &mut impl RequestOrigin,
) -> Result<Answer, NotServed> {
    let IncomingRequest { message, header, form, layout, reply, context } = request;
    let mut call = ServerCall::new(message, header.order, form, reply);
    call.read_header(header).map_err(NotServed::Broken)?;
    let target = match origin.begin(&mut call) {
        Ok(()) => find_target(adapters, known.as_deref_mut(), call.request(), origin.access()),
        Err(exception) => Err(NotAdmitted::Refused(exception)),
    };
    if let Err(NotAdmitted::Held(queue)) = target {
        return Err(NotServed::Held(queue));
    }
    if !origin.admitted() {
        return Ok(Answer::Nothing);
    }
    let found = match target {
        Ok(found) => found,
        Err(absent) => {
            answer_absent(absent, &mut call);
            return Ok(answer(&call.reply));
        }
    };
    if let Some(known) = known {
        call.set_operation_cache(&known.operation);
    }
    call.set_context(context);
    origin.begin_upcall(call.request().response.expects_reply());
    let answer = dispatch(adapters, &mut call, &found, &layout);
    origin.end_upcall();
    // The servant may end with this request, which the client learns afterwards.
    drop(found);
    Ok(answer)
}

/// Finds the object of a request, if its adapter's manager admits the request. `known` is the thread's cache.
///
/// # Errors
/// See [`NotAdmitted`].
#[inline(always)] // as `RequestHeader::read_with`
fn find_target(
    adapters: &Adapters,
    mut known: Option<&mut AdapterCache>,
    request: &RequestHeader<'_>,
    by: Access<'_>,
) -> Result<Found, NotAdmitted> {
    probe!(MessagingReceive);
    let destination = request.operation.destination();
    if let Some(index) = destination.and_then(Destination::object)
        && let Some(admitted) = adapters.admit_to(known.as_deref_mut(), index, by)
    {
        return admitted;
    }
    // The index is not known yet, or the object is no longer there.
    let Some(key) = key_of(&request.target) else { return Err(NotAdmitted::NeedsKey) };
    let found = match adapters.admit_key(key, known, by) {
        Ok(found) => found,
        Err(absent) => return published_object(adapters, request, absent, by),
    };
    if let Some(destination) = destination {
        adapters.cache_index(destination);
    }
    Ok(found)
}

/// The published object of this ORB that a one-way request, which cannot be forwarded, is for; `absent` for any other
/// request.
///
/// # Errors
/// See [`NotAdmitted`].
#[cold]
#[inline(never)]
fn published_object(
    adapters: &Adapters,
    request: &RequestHeader<'_>,
    absent: NotAdmitted,
    by: Access<'_>,
) -> Result<Found, NotAdmitted> {
    match &absent {
        NotAdmitted::Forward(ior) if request.response == ResponseFlags::NoResponse => {
            let Some(key) = adapters.orb().local_key(ior) else { return Err(absent) };
            // It may be an object of another thread pool.
            adapters.admit_key(&key, None, Access { pool: None, ..by })
        }
        _ => Err(absent),
    }
}

/// Makes the upcall of a request whose object is `target`, and writes its reply.
#[inline(always)] // as `RequestHeader::read_with`
fn dispatch<'a>(
    adapters: &'a Adapters,
    call: &mut ServerCall<'a>,
    target: &'a Found,
    layout: &'a MessageLayout<'a>,
) -> Answer {
    let reply = &mut call.reply;
    if call.request.response == ResponseFlags::SyncWithServer {
        // An empty body can always be written.
        let _ = reply.write_empty();
        let mut whole = [IoSlice::new(reply.buffer)];
        reply.source.send_parts(reply.request, &mut whole, Gathered::Value);
        reply.is_expected = false;
    }
    let object = target.object();
    call.object = Some(target);
    if !layout.fragment_starts.is_empty() {
        call.arguments.set_parts(layout.fragment_starts, HEADER_SIZE);
    }
    #[cfg(feature = "buffers")]
    if !layout.end.is_empty() {
        call.arguments.set_tail(&layout.end);
    }
    call.arguments.set_text(call.reply.text);
    let served = match object {
        Some(object) => upcall(Some(adapters), object, call),
        None => Err(not_there(minor::object_not_exist::NO_MATCH)),
    };
    if let Err(exception) = served {
        fail(call, exception);
    }
    answer(&call.reply)
}

/// Replies with an exception. The cause of `UNKNOWN` is logged: the client does not get it.
#[cold]
pub(crate) fn fail(call: &mut ServerCall<'_>, exception: SystemException) {
    // It always returns one.
    let Err(exception) = call.end_flow(RequestOutcome::SystemException(exception)) else { return };
    if exception.kind == SystemExceptionKind::Unknown
        && let Some(cause) = exception.source()
    {
        let operation = &*call.request.operation;
        let object = call.object_id().map(ToString::to_string).unwrap_or_default();
        log_limited!(warn, operation, object, cause = %Report(cause), "replying UNKNOWN");
    }
    call.reply.write_exception(exception);
}

/// The object key in a request's target; `None` if this crate cannot decode it.
#[inline]
fn key_of<'t>(target: &'t TargetAddress<'_>) -> Option<&'t [u8]> {
    match target {
        TargetAddress::Key(key) => Some(key),
        target => key_in(target),
    }
}

/// The object key in a target that is a profile or a reference.
#[cold]
#[inline(never)]
fn key_in<'t>(target: &'t TargetAddress<'_>) -> Option<&'t [u8]> {
    target.object_key().ok()
}

fn answer(reply: &ReplyWriter<'_>) -> Answer {
    if reply.is_expected { Answer::Reply } else { Answer::Nothing }
}
