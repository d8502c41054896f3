//! Reading messages in any form.

use zorb_cdr::{CdrReader, CdrResult};

use super::MessageFormat;
use crate::messaging::Messaging;
use crate::messaging::frame::read_fields;
use crate::{
    CancelRequest, LocateReplyHeader, LocateRequestHeader, MessageHeader, MessageKind,
    ProtocolError, ReplyHeader, ReplyStart, RequestHeader,
};

impl<'m> MessageFormat<'m> {
    /// Reads the header of a whole Request and leaves the reader at the first argument.
    ///
    /// # Errors
    /// As [`RequestHeader::read`].
    pub fn read_request<'a>(
        self,
        message: &'a [u8],
        header: &MessageHeader,
    ) -> Result<(RequestHeader<'a>, CdrReader<'a>), ProtocolError>
    where
        'm: 'a,
    {
        match self {
            Self::Giop(_) => RequestHeader::read(message, header),
            Self::Other(messaging) => {
                let mut reader = CdrReader::new(message, header.order);
                let mut request = RequestHeader::EMPTY;
                messaging.read_whole_request(&mut request, &mut reader, header)?;
                Ok((request, reader))
            }
        }
    }

    /// As [`read_request`](Self::read_request), into a header that is [empty](RequestHeader::EMPTY) and with a
    /// reader at the first octet of the message. Leaves the reader at the first argument.
    ///
    /// # Errors
    /// As [`RequestHeader::read`].
    #[inline]
    pub fn read_request_with<'a>(
        self,
        request: &mut RequestHeader<'a>,
        reader: &mut CdrReader<'a>,
        header: &MessageHeader,
    ) -> Result<(), ProtocolError>
    where
        'm: 'a,
    {
        match self {
            Self::Giop(_) => request.read_with(reader, header),
            Self::Other(messaging) => messaging.read_whole_request(request, reader, header),
        }
    }

    /// Reads the header of a whole Reply and leaves the reader at the body.
    ///
    /// # Errors
    /// As [`ReplyHeader::read`].
    pub fn read_reply<'a>(
        self,
        message: &'a [u8],
        header: &MessageHeader,
    ) -> Result<(ReplyHeader<'a>, CdrReader<'a>), ProtocolError> {
        match self {
            Self::Giop(_) => ReplyHeader::read(message, header),
            Self::Other(messaging) => {
                let kind = MessageKind::Reply;
                read(messaging, message, header, kind, |r| messaging.read_reply(r))
            }
        }
    }

    /// Reads the parts of a Reply's header that a client needs.
    ///
    /// # Errors
    /// As [`ReplyHeader::read`].
    #[inline]
    pub fn read_reply_start(
        self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<ReplyStart, ProtocolError> {
        match self {
            Self::Giop(_) => ReplyStart::read(message, header),
            Self::Other(messaging) => messaging.read_reply_start(message, header),
        }
    }

    /// Reads a whole LocateRequest.
    ///
    /// # Errors
    /// As [`LocateRequestHeader::read`].
    pub fn read_locate_request<'a>(
        self,
        message: &'a [u8],
        header: &MessageHeader,
    ) -> Result<LocateRequestHeader<'a>, ProtocolError> {
        match self {
            Self::Giop(_) => LocateRequestHeader::read(message, header),
            Self::Other(messaging) => {
                let kind = MessageKind::LocateRequest;
                read(messaging, message, header, kind, |r| messaging.read_locate_request(r))
                    .map(|(request, _)| request)
            }
        }
    }

    /// Reads the header of a whole LocateReply and leaves the reader at the body.
    ///
    /// # Errors
    /// As [`LocateReplyHeader::read`].
    pub fn read_locate_reply<'a>(
        self,
        message: &'a [u8],
        header: &MessageHeader,
    ) -> Result<(LocateReplyHeader, CdrReader<'a>), ProtocolError> {
        match self {
            Self::Giop(_) => LocateReplyHeader::read(message, header),
            Self::Other(messaging) => {
                let kind = MessageKind::LocateReply;
                read(messaging, message, header, kind, |r| messaging.read_locate_reply(r))
            }
        }
    }

    /// Reads a whole CancelRequest.
    ///
    /// # Errors
    /// As [`CancelRequest::read`].
    pub fn read_cancel_request(
        self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<CancelRequest, ProtocolError> {
        match self {
            Self::Giop(_) => CancelRequest::read(message, header),
            Self::Other(messaging) => {
                let kind = MessageKind::CancelRequest;
                read(messaging, message, header, kind, |r| {
                    Ok(CancelRequest { request_id: r.read_u32()? })
                })
                .map(|(cancel, _)| cancel)
            }
        }
    }
}

/// Reads the fields of a message of another messaging protocol.
fn read<'a, T>(
    messaging: &dyn Messaging,
    message: &'a [u8],
    header: &MessageHeader,
    expected: MessageKind,
    fields: impl FnOnce(&mut CdrReader<'a>) -> CdrResult<T>,
) -> Result<(T, CdrReader<'a>), ProtocolError> {
    let mut reader = CdrReader::new(message, header.order);
    let read = read_fields(messaging.header_size(), &mut reader, header, expected, fields)?;
    Ok((read, reader))
}
