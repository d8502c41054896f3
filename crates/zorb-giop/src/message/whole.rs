//! Messages without a body, which are written whole.

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrWriter};

use super::{MessageHeader, MessageKind, MessageWriter};
use crate::GiopVersion;

impl MessageWriter<'_> {
    /// Writes a whole CancelRequest.
    pub fn cancel_request(
        buffer: &mut Vec<u8>,
        version: GiopVersion,
        order: ByteOrder,
        request_id: u32,
    ) {
        write_whole(buffer, version, order, MessageKind::CancelRequest, Some(request_id));
    }

    /// Writes a whole CloseConnection. Before GIOP 1.2 only a server sends it.
    pub fn close_connection(buffer: &mut Vec<u8>, version: GiopVersion, order: ByteOrder) {
        write_whole(buffer, version, order, MessageKind::CloseConnection, None);
    }

    /// Writes a whole MessageError, in the highest version that Zorb supports, as the standard requires.
    pub fn message_error(buffer: &mut Vec<u8>, order: ByteOrder) {
        write_whole(buffer, GiopVersion::HIGHEST, order, MessageKind::MessageError, None);
    }
}

fn write_whole(
    buffer: &mut Vec<u8>,
    version: GiopVersion,
    order: ByteOrder,
    kind: MessageKind,
    request_id: Option<u32>,
) {
    let size = if request_id.is_some() { 4 } else { 0 };
    let header = MessageHeader { version, order, more_fragments: false, kind, size };
    buffer.clear();
    buffer.extend_from_slice(&header.to_octets());
    if let Some(request_id) = request_id {
        CdrWriter::resume(buffer, order).write_u32(request_id);
    }
}
