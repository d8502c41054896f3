//! A messaging protocol that abbreviates a request.

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, TextCoding};

use super::{Abbreviation, Frame, Messaging};
use crate::{
    MessageHeader, MessageKind, ProtocolError, ProtocolErrorKind, ReplyStart, ReplyStatus,
    RequestHeader, RequestStart,
};

/// A messaging protocol that writes one request with this [`Abbreviation`].
#[derive(Clone, Copy, Debug)]
pub struct Abbreviated<'m> {
    /// The messaging protocol.
    pub messaging: &'m dyn Messaging,
    /// How the request refers to its object and operation.
    pub abbreviation: Abbreviation,
}

impl Messaging for Abbreviated<'_> {
    fn name(&self) -> &'static str {
        self.messaging.name()
    }

    fn header_size(&self) -> u8 {
        self.messaging.header_size()
    }

    fn max_size(&self) -> u32 {
        self.messaging.max_size()
    }

    fn read_header(&self, octets: &[u8]) -> Result<Frame, ProtocolErrorKind> {
        self.messaging.read_header(octets)
    }

    fn write_header(&self, frame: Frame, octets: &mut [u8]) {
        self.messaging.write_header(frame, octets);
    }

    fn carries_contexts(&self) -> bool {
        self.messaging.carries_contexts()
    }

    fn text(&self) -> TextCoding {
        self.messaging.text()
    }

    fn write_request(&self, start: &RequestStart<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.messaging.write_abbreviated_request(start, self.abbreviation, writer)
    }

    // All other methods are those of the messaging protocol.

    fn parse_header(&self, octets: &[u8]) -> Result<Option<MessageHeader>, ProtocolError> {
        self.messaging.parse_header(octets)
    }

    fn read_whole_request<'a>(
        &'a self,
        request: &mut RequestHeader<'a>,
        reader: &mut CdrReader<'a>,
        header: &MessageHeader,
    ) -> Result<(), ProtocolError> {
        self.messaging.read_whole_request(request, reader, header)
    }

    fn begin_request(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        start: &RequestStart<'_>,
        _: Abbreviation,
    ) -> CdrResult<()> {
        self.messaging.begin_request(buffer, order, start, self.abbreviation)
    }

    fn begin_reply(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        status: ReplyStatus,
    ) -> CdrResult<()> {
        self.messaging.begin_reply(buffer, order, request_id, status)
    }

    fn read_reply_start(
        &self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<ReplyStart, ProtocolError> {
        self.messaging.read_reply_start(message, header)
    }

    fn finish(
        &self,
        kind: MessageKind,
        order: ByteOrder,
        buffer: &mut [u8],
        tail: usize,
    ) -> CdrResult<()> {
        self.messaging.finish(kind, order, buffer, tail)
    }
}
