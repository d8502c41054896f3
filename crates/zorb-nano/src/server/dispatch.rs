//! From a message to the upcall, and to the reply.

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrError, TextCoding};
use zorb_giop::{
    AddressingDisposition, LocateStatus, MessageHeader, MessageKind, MessageWriter, ReplyStatus,
};
use zorb_types::{SystemExceptionKind, Transfer, minor};

use super::objects::{Objects, UNKNOWN_OBJECT};
use crate::endpoint::Encoding;
use crate::inbound::Unusable;
use crate::link::Link;
use crate::request::{Expected, Request};
use crate::time::Moment;
use crate::writer::write_exception;
use crate::{Answer, Limits, Os, OsError, Reader, Servant, SystemException, UNBOUNDED, Writer};

const LEFT_OUT: SystemException = SystemException::before(
    SystemExceptionKind::NoImplement,
    minor::no_implement::UNSUPPORTED_OPERATION,
);

/// Takes the next message that has been received, and leaves the answer, if there is one, in the link's output buffer.
/// Returns whether there was a message.
///
/// # Errors
/// The connection has to be closed at once.
pub(super) fn answer(
    link: &mut Link,
    objects: &mut Objects<'_>,
    limits: &Limits,
    now: Moment,
) -> Result<bool, OsError> {
    let header = match link.next_message() {
        Ok(Some(header)) => header,
        Ok(None) => return Ok(false),
        Err(Unusable::NoMessage) => {
            link.refuse();
            return Ok(true);
        }
        Err(Unusable::TooLarge) => return Err(OsError::NoSocket),
    };
    link.outbound.clear();
    link.version = header.version;
    link.begin_output(now);
    let answered = match header.kind {
        MessageKind::Request => {
            let (message, encoding) = (link.inbound.current(), link.encoding());
            match Request::read(message, &header, encoding) {
                Ok(request) => {
                    answer_request(request, encoding, &mut link.outbound, objects, limits)
                }
                Err(error) => Err(error),
            }
        }
        MessageKind::LocateRequest => answer_locate_request(link, &header, objects),
        // All earlier requests have been answered.
        MessageKind::CancelRequest => Ok(()),
        MessageKind::CloseConnection | MessageKind::MessageError => return Err(OsError::NoSocket),
        MessageKind::Reply | MessageKind::LocateReply | MessageKind::Fragment => {
            link.refuse();
            Ok(())
        }
    };
    if answered.is_err() {
        link.refuse();
    }
    Ok(true)
}

/// Serves the request in the datagram that has been received, if it is one that expects no answer. Returns whether there
/// was a datagram.
///
/// # Errors
/// None: anybody may send anything.
pub(super) fn take_datagram(
    link: &mut Link,
    os: &mut impl Os,
    objects: &mut Objects<'_>,
    limits: &Limits,
    now: Moment,
) -> Result<bool, OsError> {
    link.inbound.reset();
    if link.receive(os, now) != Ok(true) {
        return Ok(false);
    }
    if let Ok(Some(header)) = link.next_message()
        && header.kind == MessageKind::Request
        && !link.inbound.has_buffered()
    {
        link.version = header.version;
        let (encoding, message) = (link.encoding(), link.inbound.current());
        if let Ok(request) = Request::read(message, &header, encoding)
            && request.answer == Expected::Nothing
        {
            let _ = answer_request(request, encoding, &mut link.outbound, objects, limits);
        }
    }
    link.outbound.clear();
    link.inbound.reset();
    Ok(true)
}

fn answer_request(
    request: Request<'_>,
    encoding: Encoding,
    outbound: &mut Vec<u8>,
    objects: &mut Objects<'_>,
    limits: &Limits,
) -> Result<(), CdrError> {
    let (id, limit) = (request.id, limits.max_message_size);
    let answer = request.answer;
    let Some(key) = request.key else {
        if answer != Expected::Nothing {
            let (order, status) = (ByteOrder::NATIVE, ReplyStatus::NeedsAddressingMode);
            ask_for_key(encoding.form().reply(outbound, order, id, status, &[])?)?;
        }
        return Ok(());
    };
    let mut results = Writer::reply(outbound, limit, encoding, id, ReplyStatus::NoException)?;
    let outcome = match objects.find(key) {
        Some(servant) => upcall(servant, request, &mut results),
        None => Err(UNKNOWN_OBJECT),
    };
    let failed = results.failed();
    let outcome = match (outcome, failed) {
        (Ok(_), Some(error)) => Err(error),
        (outcome, _) => outcome,
    };
    match outcome {
        Ok(done) => {
            if answer == Expected::Acknowledgement {
                results.clear();
            } else if done == Answer::UserException {
                results.set_status(ReplyStatus::UserException);
            }
            results.finish();
        }
        Err(error) => write_exception(outbound, limit, encoding, id, &error)?,
    }
    if answer == Expected::Nothing {
        outbound.clear();
    }
    Ok(())
}

/// Finds the operation, and calls it.
fn upcall(
    servant: &mut dyn Servant,
    request: Request<'_>,
    results: &mut Writer<'_>,
) -> Result<Answer, SystemException> {
    let mut arguments = Reader::new(request.arguments, Transfer::ReceiveRequest);
    let interface = servant.interface();
    if let Some(operation) = interface.operations.find(request.operation) {
        return servant.invoke(operation, &mut arguments, results);
    }
    match request.operation {
        b"_is_a" => {
            let id = arguments.read_text(UNBOUNDED)?;
            results.write::<bool>(&interface.is_a_text(id))?;
        }
        b"_non_existent" | b"_not_existent" => results.write::<bool>(&false)?,
        b"_repository_id" => results.write_str(interface.id())?,
        b"_interface" | b"_component" | b"_domain_managers" => return Err(LEFT_OUT),
        _ => return Err(SystemException::UNKNOWN_OPERATION),
    }
    Ok(Answer::Results)
}

fn answer_locate_request(
    link: &mut Link,
    header: &MessageHeader,
    objects: &mut Objects<'_>,
) -> Result<(), CdrError> {
    let encoding = link.encoding();
    let Link { inbound, outbound, .. } = link;
    let request = Request::read_locate(inbound.current(), header, encoding)?;
    let status = match request.key {
        None => LocateStatus::LocNeedsAddressingMode,
        Some(key) if objects.find(key).is_some() => LocateStatus::ObjectHere,
        Some(_) => LocateStatus::UnknownObject,
    };
    let (order, id) = (ByteOrder::NATIVE, request.id);
    let reply = encoding.form().locate_reply(outbound, order, id, status)?;
    if request.key.is_none() { ask_for_key(reply) } else { reply.finish() }
}

/// Completes a reply that asks the client to send the object key instead of the whole reference.
fn ask_for_key(mut reply: MessageWriter<'_>) -> Result<(), CdrError> {
    AddressingDisposition::KeyAddr.write(&mut reply.body(TextCoding::default()));
    reply.finish()
}
