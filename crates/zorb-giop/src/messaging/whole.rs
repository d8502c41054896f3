//! The default methods of [`Messaging`] for whole messages.

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{Frame, Mention, Messaging};
use crate::GiopVersion;
use crate::{
    MessageHeader, MessageKind, ProtocolError, ProtocolErrorKind, ReplyHeader, ReplyStart,
    ReplyStatus, RequestHeader, RequestStart,
};

/// The header size of a messaging protocol; at least 1, so that every message consumes octets.
#[inline]
pub(crate) fn size_of_header<M: Messaging + ?Sized>(messaging: &M) -> u8 {
    messaging.header_size().max(1)
}

/// The GIOP header for the header of another messaging protocol.
#[inline]
pub(super) fn header_of(
    Frame { kind, order, size }: Frame,
) -> Result<MessageHeader, ProtocolErrorKind> {
    if kind == MessageKind::Fragment {
        return Err(ProtocolErrorKind::UnknownMessageType(kind as u8));
    }
    let version = GiopVersion::HIGHEST;
    Ok(MessageHeader { version, order, more_fragments: false, kind, size })
}

pub(super) fn parse_header<M: Messaging + ?Sized>(
    messaging: &M,
    octets: &[u8],
) -> Result<Option<MessageHeader>, ProtocolError> {
    match octets.get(..usize::from(size_of_header(messaging))) {
        Some(octets) => Ok(Some(header_of(messaging.read_header(octets)?)?)),
        None => Ok(None),
    }
}

/// Skips the header of a whole message, and limits the reader to the size of the message.
pub(super) fn skip_header<M: Messaging + ?Sized>(
    messaging: &M,
    reader: &mut CdrReader<'_>,
    header: &MessageHeader,
    expected: MessageKind,
) -> Result<(), ProtocolError> {
    if header.kind != expected {
        return Err(ProtocolErrorKind::WrongKind { expected, found: header.kind }.into());
    }
    let own = usize::from(size_of_header(messaging));
    let message = reader.rest();
    if let Some(whole) = message.get(..own.saturating_add(header.size as usize))
        && whole.len() < message.len()
    {
        *reader = CdrReader::new(whole, header.order);
    }
    match reader.take(own, "message header") {
        Ok(_) => Ok(()),
        Err(cause) => Err(ProtocolError::header(expected, cause)),
    }
}

pub(super) fn read_request<'a, M: Messaging + ?Sized>(
    messaging: &'a M,
    request: &mut RequestHeader<'a>,
    reader: &mut CdrReader<'a>,
    header: &MessageHeader,
) -> Result<(), ProtocolError> {
    let kind = MessageKind::Request;
    skip_header(messaging, reader, header, kind)?;
    match messaging.read_request(reader) {
        Ok(read) => {
            *request = read;
            Ok(())
        }
        Err(cause) => Err(ProtocolError::header(kind, cause)),
    }
}

pub(super) fn read_reply_start<M: Messaging + ?Sized>(
    messaging: &M,
    message: &[u8],
    header: &MessageHeader,
) -> Result<ReplyStart, ProtocolError> {
    let kind = MessageKind::Reply;
    let mut reader = CdrReader::new(message, header.order);
    skip_header(messaging, &mut reader, header, kind)?;
    match messaging.read_reply(&mut reader) {
        Ok(ReplyHeader { request_id, status, .. }) => {
            Ok(ReplyStart { request_id, status, body_at: reader.offset() })
        }
        Err(cause) => Err(ProtocolError::header(kind, cause)),
    }
}

pub(super) fn begin_request<M: Messaging + ?Sized>(
    messaging: &M,
    buffer: &mut Vec<u8>,
    order: ByteOrder,
    start: &RequestStart<'_>,
    mention: Mention,
) -> CdrResult<()> {
    buffer.clear();
    // `finish` writes the header.
    buffer.resize(usize::from(size_of_header(messaging)), 0);
    let writer = &mut CdrWriter::resume(buffer, order);
    match mention {
        Mention::InFull => messaging.write_request(start, writer),
        mention => messaging.write_request_mentioning(start, mention, writer),
    }
}

pub(super) fn begin_reply<M: Messaging + ?Sized>(
    messaging: &M,
    buffer: &mut Vec<u8>,
    order: ByteOrder,
    request_id: u32,
    status: ReplyStatus,
) -> CdrResult<()> {
    buffer.clear();
    // `finish` writes the header.
    buffer.resize(usize::from(size_of_header(messaging)), 0);
    messaging.write_reply(request_id, status, &mut CdrWriter::resume(buffer, order))
}

pub(super) fn finish<M: Messaging + ?Sized>(
    messaging: &M,
    kind: MessageKind,
    order: ByteOrder,
    buffer: &mut [u8],
    tail: usize,
) -> CdrResult<()> {
    let own = usize::from(size_of_header(messaging));
    let size = u32::try_from(buffer.len().saturating_sub(own).saturating_add(tail)).ok();
    let Some(size) = size.filter(|size| *size <= messaging.max_size()) else {
        return Err(CdrError::new(CdrErrorKind::TooLong, buffer.len(), "message"));
    };
    if let Some(header) = buffer.get_mut(..own) {
        header.fill(0);
        messaging.write_header(Frame { kind, order, size }, header);
    }
    Ok(())
}
