//! Answers without an upcall: to requests that are not admitted to an object, and to LocateRequests.

use zorb_cdr::{ByteOrder, TextCoding, Wire};
use zorb_giop::{
    AddressingDisposition, GiopVersion, Ior, LocateStatus, MessageFormat, MessageHeader,
    ProtocolError, ReplyStatus,
};
use zorb_transport::log_limited;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use crate::adapters::{Adapters, NotAdmitted};
use crate::call::ServerCall;

/// Answers a request that is not admitted to an object.
#[cold]
pub(super) fn answer_absent(reason: NotAdmitted, call: &mut ServerCall<'_>) {
    let ServerCall { request, reply, .. } = call;
    let written = match reason {
        NotAdmitted::Forward(ior) => {
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
    form: MessageFormat<'_>,
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
