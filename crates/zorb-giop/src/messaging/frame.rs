//! Whole messages as frames: a header of fixed size, and what follows.

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};

use crate::{
    GiopVersion, MessageHeader, MessageKind, ProtocolError, ProtocolErrorKind, ReplyHeader,
    ReplyStart,
};

/// The content of a message header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The kind of message; a Fragment is refused.
    pub kind: MessageKind,
    /// The byte order of the message; [`ByteOrder::NATIVE`] if the header does not have it.
    pub order: ByteOrder,
    /// The size of the message after its header, in octets.
    pub size: u32,
}

impl Frame {
    /// The GIOP header with the same content.
    pub(super) fn giop_header(self) -> Result<MessageHeader, ProtocolErrorKind> {
        let Self { kind, order, size } = self;
        if kind == MessageKind::Fragment {
            return Err(ProtocolErrorKind::UnknownMessageType(kind as u8));
        }
        let version = GiopVersion::HIGHEST;
        Ok(MessageHeader { version, order, more_fragments: false, kind, size })
    }
}

/// The header size that is used for a declared one: at least 1, so that every message consumes octets.
#[inline]
pub(crate) fn effective_size(header_size: u8) -> u8 {
    header_size.max(1)
}

/// Clears `buffer`, reserves a header that is written when the message is complete, and returns a writer
/// after it.
pub(crate) fn begin(header_size: u8, buffer: &mut Vec<u8>, order: ByteOrder) -> CdrWriter<'_> {
    buffer.clear();
    buffer.resize(usize::from(effective_size(header_size)), 0);
    CdrWriter::resume(buffer, order)
}

/// Reads the fields after the header of a whole message; `reader` is at the first octet of the header, and
/// is limited to the size of the message.
pub(super) fn read_fields<'a, T>(
    header_size: u8,
    reader: &mut CdrReader<'a>,
    header: &MessageHeader,
    expected: MessageKind,
    fields: impl FnOnce(&mut CdrReader<'a>) -> CdrResult<T>,
) -> Result<T, ProtocolError> {
    if header.kind != expected {
        return Err(ProtocolErrorKind::WrongKind { expected, found: header.kind }.into());
    }
    let header_size = usize::from(effective_size(header_size));
    let message = reader.rest();
    if let Some(whole) = message.get(..header_size.saturating_add(header.size as usize))
        && whole.len() < message.len()
    {
        *reader = CdrReader::new(whole, header.order);
    }
    let read = reader.take(header_size, "message header").and_then(|_| fields(reader));
    read.map_err(|cause| ProtocolError::header(expected, cause))
}

/// Reads the parts of a Reply's header that a client needs.
pub(super) fn read_reply_start<'a>(
    header_size: u8,
    message: &'a [u8],
    header: &MessageHeader,
    fields: impl FnOnce(&mut CdrReader<'a>) -> CdrResult<ReplyHeader<'a>>,
) -> Result<ReplyStart, ProtocolError> {
    let mut reader = CdrReader::new(message, header.order);
    let reply = read_fields(header_size, &mut reader, header, MessageKind::Reply, fields)?;
    let ReplyHeader { request_id, status, .. } = reply;
    Ok(ReplyStart { request_id, status, body_start: reader.offset() })
}
