//! What the beginning of a request tells, and the answers that the bridge gives itself.

use zorb_cdr::{CdrResult, TextCoding};
use zorb_giop::{
    AddressingDisposition, Form, GiopVersion, LocateStatus, MessageHeader, MessageKind,
    MessageWriter, ProtocolError, ReplyStatus, TargetAddress,
};
use zorb_types::{SystemException, SystemExceptionKind};

/// A Request or LocateRequest, as far as the bridge needs to know it.
#[derive(Debug)]
pub(crate) struct Beginning<'a> {
    pub(crate) request_id: u32,
    pub(crate) expects_reply: bool,
    pub(crate) target: TargetAddress<'a>,
}

impl<'a> Beginning<'a> {
    /// Reads it out of the octets of the message that are there.
    ///
    /// # Errors
    /// They are too few, or malformed.
    pub(crate) fn read(
        form: Form<'a>,
        header: &MessageHeader,
        seen: &'a [u8],
    ) -> Result<Self, ProtocolError> {
        if header.kind == MessageKind::LocateRequest {
            let request = form.read_locate_request(seen, header)?;
            let (request_id, target) = (request.request_id, request.target);
            return Ok(Self { request_id, expects_reply: true, target });
        }
        let (request, _) = form.read_request(seen, header)?;
        Ok(Self {
            request_id: request.request_id,
            expects_reply: request.response.expects_reply(),
            target: request.target,
        })
    }
}

/// Why the bridge does not pass a request on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It cannot, or the object is none that it is there for.
    Exception(SystemException),
    /// The object is not named by its key.
    WantsKey,
}

impl Refusal {
    /// Writes the answer to a request of `header`'s kind, version and byte order.
    pub(crate) fn write(
        self,
        form: Form<'_>,
        header: &MessageHeader,
        request_id: u32,
        buffer: &mut Vec<u8>,
    ) -> CdrResult<()> {
        let text = TextCoding::default();
        let wants_key = AddressingDisposition::KeyAddr as i16;
        if header.kind == MessageKind::LocateRequest {
            let status = match self {
                Self::Exception(exception) => cannot_locate(form, exception.kind),
                Self::WantsKey => LocateStatus::LocNeedsAddressingMode,
            };
            let mut message = form.locate_reply(buffer, header.order, request_id, status)?;
            match self {
                Self::Exception(exception) if status == LocateStatus::LocSystemException => {
                    exception.write(&mut message.body(text))?;
                }
                Self::Exception(_) => {}
                Self::WantsKey => message.body(text).write_i16(wants_key),
            }
            return message.finish();
        }
        let status = match self {
            Self::Exception(_) => ReplyStatus::SystemException,
            Self::WantsKey => ReplyStatus::NeedsAddressingMode,
        };
        let mut message: MessageWriter<'_> =
            form.reply(buffer, header.order, request_id, status, &[])?;
        match self {
            Self::Exception(exception) => exception.write(&mut message.body(text))?,
            Self::WantsKey => message.body(text).write_i16(wants_key),
        }
        message.finish()
    }
}

/// What a LocateReply of `form` says of an object for which there is an exception of this kind. What is
/// not known not to exist is not said to: where there is no word for the exception, it is here, as far
/// as anybody knows, and a request for it is told more.
pub(crate) fn cannot_locate(form: Form<'_>, kind: SystemExceptionKind) -> LocateStatus {
    match (kind, form) {
        (SystemExceptionKind::ObjectNotExist, _) => LocateStatus::UnknownObject,
        (_, Form::Giop(version)) if version >= GiopVersion::V1_2 => {
            LocateStatus::LocSystemException
        }
        _ => LocateStatus::ObjectHere,
    }
}
