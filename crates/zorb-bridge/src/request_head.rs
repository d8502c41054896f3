//! Headers of requests, and the replies that the bridge itself sends.

use zorb_cdr::{CdrResult, TextCoding};
use zorb_giop::{
    AddressingDisposition, GiopVersion, LocateStatus, MessageFormat, MessageHeader, MessageKind,
    MessageWriter, ProtocolError, ReplyStatus, TargetAddress,
};
use zorb_types::{SystemException, SystemExceptionKind};

/// The relevant fields of a Request or LocateRequest header.
#[derive(Debug)]
pub(crate) struct RequestHead<'a> {
    pub(crate) request_id: u32,
    pub(crate) expects_reply: bool,
    pub(crate) target: TargetAddress<'a>,
}

impl<'a> RequestHead<'a> {
    /// Decodes the header from the available octets of the message.
    ///
    /// # Errors
    /// The octets are too few or malformed.
    pub(crate) fn read(
        form: MessageFormat<'a>,
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

/// Why the bridge rejects a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The bridge cannot forward the request, or does not serve the object.
    Exception(SystemException),
    /// The request does not identify the object by its key.
    WantsKey,
}

impl Refusal {
    /// Encodes the reply to a request of `header`'s kind, version and byte order.
    pub(crate) fn write(
        &self,
        form: MessageFormat<'_>,
        header: &MessageHeader,
        request_id: u32,
        buffer: &mut Vec<u8>,
    ) -> CdrResult<()> {
        let text = TextCoding::default();
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
                Self::WantsKey => AddressingDisposition::KeyAddr.write(&mut message.body(text)),
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
            Self::WantsKey => AddressingDisposition::KeyAddr.write(&mut message.body(text)),
        }
        message.finish()
    }
}

/// The status of a LocateReply in `form` for an object with an exception of this kind. Only an
/// object known not to exist is reported as unknown: if `form` cannot express the exception, the
/// status is "object here", and a request for the object then fails with the exception.
pub(crate) fn cannot_locate(form: MessageFormat<'_>, kind: SystemExceptionKind) -> LocateStatus {
    match (kind, form) {
        (SystemExceptionKind::ObjectNotExist, _) => LocateStatus::UnknownObject,
        (_, MessageFormat::Giop(version)) if version >= GiopVersion::V1_2 => {
            LocateStatus::LocSystemException
        }
        _ => LocateStatus::ObjectHere,
    }
}
