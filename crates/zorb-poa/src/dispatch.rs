//! Dispatches a Request to its servant, and answers LocateRequests.

use std::error::Error as _;
use std::io::IoSlice;

use zorb_base::interceptor::RequestOutcome;
#[cfg(feature = "buffers")]
use zorb_cdr::Tail;
use zorb_cdr::{ByteOrder, TextCoding, Wire};
use zorb_giop::{
    AddressingDisposition, Destination, Form, GiopVersion, HEADER_SIZE, Ior, LocateStatus,
    MessageHeader, ProtocolError, ReplyStatus, RequestHeader, ResponseFlags, TargetAddress,
};
use zorb_os::probe;
use zorb_transport::log_limited;
use zorb_types::{CompletionStatus, Report, SystemException, SystemExceptionKind, minor};

use crate::adapters::{Access, AdapterCache, Adapters, NotAdmitted};
use crate::call::{ReplyWriter, ServerCall};
use crate::error::not_there;
use crate::slots::Found;
use crate::upcall::upcall;

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
    seams: &'a [u32],
    /// The end of the message, if it is in a buffer of its own.
    #[cfg(feature = "buffers")]
    end: Tail<'a>,
}

impl std::fmt::Debug for MessageLayout<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MessageLayout").field("seams", &self.seams).finish_non_exhaustive()
    }
}

impl<'a> MessageLayout<'a> {
    /// The layout of a message in one buffer.
    #[inline]
    pub fn new(seams: &'a [u32]) -> Self {
        Self {
            seams,
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

/// Finds the object of a request, if its adapter's manager admits the request. `known` is the thread's cache.
///
/// # Errors
/// See [`NotAdmitted`].
#[inline(always)] // as `RequestHeader::read_with`
pub fn find_target(
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
    let found = adapters.admit_key(key, known, by)?;
    if let Some(destination) = destination {
        adapters.cache_index(destination);
    }
    Ok(found)
}

/// Makes the upcall of a request whose header has been read, and writes its reply. `target` is the result of
/// [`find_target`].
#[inline(always)] // as `RequestHeader::read_with`
pub fn dispatch<'a>(
    adapters: &'a Adapters,
    call: &mut ServerCall<'a>,
    target: &'a Found,
    layout: &'a MessageLayout<'a>,
) -> Answer {
    let reply = &mut call.reply;
    if call.request.response == ResponseFlags::SyncWithServer {
        // An empty body can always be written.
        let _ = reply.write_empty();
        reply.source.send_parts(reply.request, &mut [IoSlice::new(reply.buffer)]);
        reply.is_expected = false;
    }
    let object = target.object();
    call.object_id = object.map(|object| &object.id);
    if !layout.seams.is_empty() {
        call.arguments.set_parts(layout.seams, HEADER_SIZE);
    }
    #[cfg(feature = "buffers")]
    if !layout.end.is_empty() {
        call.arguments.set_tail(&layout.end);
    }
    call.arguments.set_text(call.reply.text);
    let served = match object {
        Some(object) => upcall(Some(adapters), &object.id, &*object.skeleton, call),
        None => Err(not_there(minor::object_not_exist::NO_MATCH)),
    };
    if let Err(exception) = served {
        fail(call, exception);
    }
    answer(&call.reply)
}

/// Replies with an exception. The cause of `UNKNOWN` is logged: the client does not get it.
#[cold]
fn fail(call: &mut ServerCall<'_>, exception: SystemException) {
    // It always returns one.
    let Err(exception) = call.end_flow(RequestOutcome::SystemException(exception)) else { return };
    if exception.kind == SystemExceptionKind::Unknown
        && let Some(cause) = exception.source()
    {
        let operation = &*call.request.operation;
        let object = call.object_id.map(ToString::to_string).unwrap_or_default();
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

/// Answers a request that is not admitted to an object.
///
/// # Errors
/// The object, if the request must be dispatched to it: a one-way request for a published object of this ORB, since
/// one-way calls cannot be forwarded.
#[cold]
pub fn answer_absent(
    adapters: &Adapters,
    reason: NotAdmitted,
    call: &mut ServerCall<'_>,
) -> Result<Answer, Found> {
    let ServerCall { request, reply, .. } = call;
    let written = match reason {
        NotAdmitted::Forward(ior) => {
            let is_one_way = request.response == ResponseFlags::NoResponse;
            if let Some(found) = is_one_way.then(|| local_object(adapters, &ior)).flatten() {
                return Err(found);
            }
            reply.write(ReplyStatus::LocationForward, |writer| Ior::write(&ior, writer))
        }
        NotAdmitted::Refused(exception)
            if matches!(&*request.operation, "_non_existent" | "_not_existent")
                && exception.kind == SystemExceptionKind::ObjectNotExist =>
        {
            reply.write(ReplyStatus::NoException, |writer| bool::write(&true, writer))
        }
        NotAdmitted::Refused(exception) => Err(exception),
        NotAdmitted::Held(_) => Err(SystemException::transient(
            minor::transient::REQUEST_DISCARDED,
            CompletionStatus::No,
        )),
        NotAdmitted::NeedsKey => reply.write(ReplyStatus::NeedsAddressingMode, |writer| {
            AddressingDisposition::KeyAddr.write(writer);
            Ok(())
        }),
    };
    if let Err(exception) = written {
        reply.write_exception(exception);
    }
    Ok(answer(reply))
}

/// The object of a published reference, if it is local.
#[cold]
fn local_object(adapters: &Adapters, ior: &Ior) -> Option<Found> {
    adapters.admit_key(&adapters.orb().local_key(ior)?, None, Access::LOCAL).ok()
}

fn answer(reply: &ReplyWriter<'_>) -> Answer {
    if reply.is_expected { Answer::Reply } else { Answer::Nothing }
}

/// Writes the answer to the LocateRequest in `message`, which the thread pool with the number `pool` received, to
/// `buffer`.
///
/// # Errors
/// The octets are not a LocateRequest.
pub fn answer_locate(
    adapters: &Adapters,
    message: &[u8],
    header: &MessageHeader,
    form: Form<'_>,
    pool: usize,
    buffer: &mut Vec<u8>,
) -> Result<(), ProtocolError> {
    let request = form.read_locate_request(message, header)?;
    let located = match request.target.object_key() {
        Ok(key) => adapters.locate_key(key, Some(pool)),
        Err(_) => Err(NotAdmitted::NeedsKey),
    };
    let status = match &located {
        Ok(()) => LocateStatus::ObjectHere,
        Err(NotAdmitted::Refused(exception)) => status_of(exception, form.version()),
        Err(NotAdmitted::Forward(_)) => LocateStatus::ObjectForward,
        // `locate_key` does not return it.
        Err(NotAdmitted::Held(_)) => LocateStatus::ObjectHere,
        Err(NotAdmitted::NeedsKey) => LocateStatus::LocNeedsAddressingMode,
    };
    let id = request.request_id;
    let written =
        form.locate_reply(buffer, ByteOrder::NATIVE, id, status).and_then(|mut message| {
            match &located {
                Err(NotAdmitted::Forward(ior)) => {
                    Ior::write(ior, &mut message.body(TextCoding::default()))?;
                }
                Err(NotAdmitted::Refused(exception))
                    if status == LocateStatus::LocSystemException =>
                {
                    exception.write(&mut message.body(TextCoding::default()))?;
                }
                Err(NotAdmitted::NeedsKey) => {
                    AddressingDisposition::KeyAddr.write(&mut message.body(TextCoding::default()));
                }
                _ => {}
            }
            message.finish()
        });
    // Writing fails only for a reference of 4 GiB; the peer then gets no reply.
    if let Err(error) = written {
        log_limited!(error, %error, "cannot write a LocateReply");
        buffer.clear();
    }
    Ok(())
}

/// The status for an object that is refused with `exception`. Before GIOP 1.2 there is none for an object that exists
/// but is served elsewhere: the client learns that from its request.
#[cold]
fn status_of(exception: &SystemException, version: GiopVersion) -> LocateStatus {
    match exception.kind {
        SystemExceptionKind::ObjectNotExist => LocateStatus::UnknownObject,
        _ if version >= GiopVersion::V1_2 => LocateStatus::LocSystemException,
        _ => LocateStatus::ObjectHere,
    }
}
