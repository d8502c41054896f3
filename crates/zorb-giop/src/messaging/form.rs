//! GIOP or another messaging protocol.

mod read;

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrResult};

use super::frame::effective_size;
use super::{Abbreviation, Messaging};
use crate::{
    GiopVersion, LocateStatus, MessageHeader, MessageKind, MessageWriter, ProtocolError,
    ReplyStatus, RequestStart, ServiceContext, TargetAddress,
};

/// The encoding of messages: a version of GIOP, or another messaging protocol.
///
/// Its methods are those of [`MessageWriter`] and of the header types. For GIOP each costs one more branch;
/// the code for other protocols is out of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFormat<'m> {
    /// This version of GIOP.
    Giop(GiopVersion),
    /// Another messaging protocol.
    Other(&'m dyn Messaging),
}

impl<'m> MessageFormat<'m> {
    /// GIOP `version`, or `messaging` if there is one.
    #[inline]
    pub fn new(messaging: Option<&'m dyn Messaging>, version: GiopVersion) -> Self {
        match messaging {
            None => Self::Giop(version),
            Some(messaging) => Self::Other(messaging),
        }
    }

    /// The header at the start of `octets` and the size of the whole message; `None` if there are too few
    /// octets for a header.
    ///
    /// # Errors
    /// As [`MessageHeader::parse`] and [`Messaging::read_header`].
    pub fn read_header(
        self,
        octets: &[u8],
    ) -> Result<Option<(MessageHeader, usize)>, ProtocolError> {
        match self {
            Self::Giop(_) => {
                let header = MessageHeader::parse_prefix(octets)?;
                Ok(header.map(|header| (header, header.total_size())))
            }
            Self::Other(messaging) => {
                let own = usize::from(effective_size(messaging.header_size()));
                let header = messaging.parse_header(octets)?;
                Ok(header.map(|header| (header, own.saturating_add(header.size as usize))))
            }
        }
    }

    /// The version of GIOP whose rules apply apart from the encoding: the highest for other protocols.
    #[inline]
    pub fn version(self) -> GiopVersion {
        match self {
            Self::Giop(version) => version,
            Self::Other(_) => GiopVersion::HIGHEST,
        }
    }

    /// The messaging protocol, if it is not GIOP.
    #[inline]
    pub fn other(self) -> Option<&'m dyn Messaging> {
        match self {
            Self::Giop(_) => None,
            Self::Other(messaging) => Some(messaging),
        }
    }

    /// Begins a Request. Service contexts are omitted if the protocol has none.
    ///
    /// # Errors
    /// As [`MessageWriter::request`] and [`Messaging::write_request`].
    #[inline]
    pub fn request<'b>(
        self,
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
        start: &RequestStart<'_>,
    ) -> CdrResult<MessageWriter<'b>>
    where
        'm: 'b,
    {
        match self {
            Self::Giop(version) => MessageWriter::request(buffer, version, order, start),
            Self::Other(messaging) => {
                request(messaging, buffer, order, start, Abbreviation::InFull)
            }
        }
    }

    /// Begins a Request that refers to its object and operation by `abbreviation`. GIOP abbreviates nothing.
    ///
    /// # Errors
    /// As [`MessageWriter::request`] and [`Messaging::begin_request`].
    pub fn abbreviated_request<'b>(
        self,
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
        start: &RequestStart<'_>,
        abbreviation: Abbreviation,
    ) -> CdrResult<MessageWriter<'b>>
    where
        'm: 'b,
    {
        match self {
            Self::Giop(version) => MessageWriter::request(buffer, version, order, start),
            Self::Other(messaging) => request(messaging, buffer, order, start, abbreviation),
        }
    }

    /// Continues after the header of a Request in `buffer`.
    #[inline]
    pub(crate) fn resume_request<'b>(
        self,
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
    ) -> MessageWriter<'b>
    where
        'm: 'b,
    {
        let kind = MessageKind::Request;
        match self {
            Self::Giop(version) => MessageWriter::after_header(buffer, version, order, kind),
            Self::Other(messaging) => MessageWriter::resume_other(messaging, buffer, order, kind),
        }
    }

    /// Begins a Request for arguments that the caller copies from another message without decoding them. In
    /// both messages they begin at an offset of `phase` (0 to 7) modulo 8.
    ///
    /// In GIOP 1.2, arguments begin at a multiple of 8. In GIOP 1.0 and 1.1 the principal, which receivers
    /// ignore, is padded.
    ///
    /// # Errors
    /// As [`request`](Self::request); `Unsupported` if the protocol cannot align the arguments like this.
    pub fn request_before<'b>(
        self,
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
        start: &RequestStart<'_>,
        phase: u8,
    ) -> CdrResult<MessageWriter<'b>>
    where
        'm: 'b,
    {
        let messaging = match self {
            Self::Giop(version) => {
                return MessageWriter::request_before(buffer, version, order, start, phase);
            }
            Self::Other(messaging) => messaging,
        };
        let kind = MessageKind::Request;
        let mut message = MessageWriter::begin_other(messaging, buffer, order, kind);
        let mut writer = message.header_writer();
        messaging.write_request_before(start, phase, &mut writer)?;
        writer.finish()?;
        Ok(message)
    }

    /// Begins a Reply.
    ///
    /// # Errors
    /// As [`MessageWriter::reply`] and [`Messaging::write_reply`].
    #[inline]
    pub fn reply<'b>(
        self,
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        status: ReplyStatus,
        contexts: &[ServiceContext<'_>],
    ) -> CdrResult<MessageWriter<'b>>
    where
        'm: 'b,
    {
        match self {
            Self::Giop(GiopVersion::V1_2) if contexts.is_empty() => {
                Ok(MessageWriter::plain_reply(buffer, order, request_id, status))
            }
            Self::Giop(version) => {
                MessageWriter::reply(buffer, version, order, request_id, status, contexts)
            }
            Self::Other(messaging) => reply(messaging, buffer, order, request_id, status),
        }
    }

    /// Begins a LocateRequest, which has no body.
    ///
    /// # Errors
    /// As [`MessageWriter::locate_request`] and [`Messaging::write_locate_request`].
    pub fn locate_request<'b>(
        self,
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        target: &TargetAddress<'_>,
    ) -> CdrResult<MessageWriter<'b>>
    where
        'm: 'b,
    {
        match self {
            Self::Giop(version) => {
                MessageWriter::locate_request(buffer, version, order, request_id, target)
            }
            Self::Other(messaging) => {
                let kind = MessageKind::LocateRequest;
                let mut message = MessageWriter::begin_other(messaging, buffer, order, kind);
                let mut writer = message.header_writer();
                messaging.write_locate_request(request_id, target, &mut writer)?;
                writer.finish()?;
                Ok(message)
            }
        }
    }

    /// Begins a LocateReply.
    ///
    /// # Errors
    /// As [`MessageWriter::locate_reply`] and [`Messaging::write_locate_reply`].
    pub fn locate_reply<'b>(
        self,
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        status: LocateStatus,
    ) -> CdrResult<MessageWriter<'b>>
    where
        'm: 'b,
    {
        match self {
            Self::Giop(version) => {
                MessageWriter::locate_reply(buffer, version, order, request_id, status)
            }
            Self::Other(messaging) => {
                let kind = MessageKind::LocateReply;
                let mut message = MessageWriter::begin_other(messaging, buffer, order, kind);
                let mut writer = message.header_writer();
                messaging.write_locate_reply(request_id, status, &mut writer)?;
                writer.finish()?;
                Ok(message)
            }
        }
    }

    /// Writes a whole CancelRequest.
    pub fn cancel_request(self, buffer: &mut Vec<u8>, order: ByteOrder, request_id: u32) {
        match self {
            Self::Giop(version) => {
                MessageWriter::cancel_request(buffer, version, order, request_id);
            }
            Self::Other(messaging) => {
                let kind = MessageKind::CancelRequest;
                let mut message = MessageWriter::begin_other(messaging, buffer, order, kind);
                message.header_writer().write_u32(request_id);
                // Cannot fail: the message is small.
                let _ = message.finish();
            }
        }
    }

    /// Writes a whole CloseConnection. In GIOP before 1.2 only a server sends it.
    pub fn close_connection(self, buffer: &mut Vec<u8>, order: ByteOrder) {
        match self {
            Self::Giop(version) => MessageWriter::close_connection(buffer, version, order),
            Self::Other(messaging) => {
                header_alone(messaging, buffer, order, MessageKind::CloseConnection);
            }
        }
    }

    /// Writes a whole MessageError; in GIOP in the highest version that Zorb supports, as the standard
    /// requires.
    pub fn message_error(self, buffer: &mut Vec<u8>, order: ByteOrder) {
        match self {
            Self::Giop(_) => MessageWriter::message_error(buffer, order),
            Self::Other(messaging) => {
                header_alone(messaging, buffer, order, MessageKind::MessageError);
            }
        }
    }
}

impl From<GiopVersion> for MessageFormat<'_> {
    #[inline]
    fn from(version: GiopVersion) -> Self {
        Self::Giop(version)
    }
}

#[inline(never)]
fn request<'b>(
    messaging: &'b dyn Messaging,
    buffer: &'b mut Vec<u8>,
    order: ByteOrder,
    start: &RequestStart<'_>,
    abbreviation: Abbreviation,
) -> CdrResult<MessageWriter<'b>> {
    messaging.begin_request(buffer, order, start, abbreviation)?;
    Ok(MessageWriter::resume_other(messaging, buffer, order, MessageKind::Request))
}

#[inline]
fn reply<'b>(
    messaging: &'b dyn Messaging,
    buffer: &'b mut Vec<u8>,
    order: ByteOrder,
    request_id: u32,
    status: ReplyStatus,
) -> CdrResult<MessageWriter<'b>> {
    messaging.begin_reply(buffer, order, request_id, status)?;
    Ok(MessageWriter::resume_other(messaging, buffer, order, MessageKind::Reply))
}

fn header_alone(
    messaging: &dyn Messaging,
    buffer: &mut Vec<u8>,
    order: ByteOrder,
    kind: MessageKind,
) {
    // Cannot fail: there is no body.
    let _ = MessageWriter::begin_other(messaging, buffer, order, kind).finish();
}
