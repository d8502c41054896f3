//! Connection state of messaging protocols that refer to earlier requests, so that later ones are shorter.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, TextCoding};

use super::{Frame, Messaging};
use crate::{
    MessageHeader, MessageKind, ProtocolError, ProtocolErrorKind, ReplyStart, ReplyStatus,
    RequestHeader, RequestStart,
};

/// How a request refers to its object and operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mention {
    /// By object key and operation name.
    InFull,
    /// By object key and operation name, and defines an index for later requests.
    Introduce(u8),
    /// By the index that an earlier request has defined.
    Index(u8),
}

/// The client's state of a connection: the indices that it has defined.
///
/// Requests arrive in the order in which they are sent, so the server knows every index that the client
/// has sent.
pub trait ClientMemory: Send + fmt::Debug {
    /// Chooses how the next request refers to its object and operation.
    ///
    /// `in_turn` is whether the request is the next one on the wire. If it is not, and the answer is
    /// `Introduce`, the caller has to wait until it is and call again. An index is defined only if
    /// [`sent`](Self::sent) is called before the next call with `in_turn`.
    fn mention(&mut self, key: &[u8], operation: &str, in_turn: bool) -> Mention;

    /// Reports that the request of the last call of [`mention`](Self::mention) with `in_turn` was passed to
    /// the transport.
    fn sent(&mut self);

    /// Reports that the server did not know an index: from now on every request is in full.
    fn give_up(&mut self);
}

/// The server's state of a connection.
pub trait ServerMemory: Send + fmt::Debug {
    /// Processes a whole Request in the order of the wire, and looks up what it omits.
    ///
    /// # Errors
    /// A protocol violation in the request. The connection is closed.
    fn recall(&mut self, message: &[u8], header: &MessageHeader)
    -> Result<Recalled, ProtocolError>;
}

/// The result of looking up what a request omits.
#[derive(Clone, Debug)]
pub enum Recalled {
    /// The request omits nothing.
    Nothing,
    /// The messaging to read this request with, which supplies what it omits.
    By(Arc<dyn Messaging>),
    /// The index is unknown: ask the client to send the request in full, with the reply status
    /// [`NeedsAddressingMode`](crate::ReplyStatus::NeedsAddressingMode).
    Unknown {
        /// The id of the request.
        request_id: u32,
    },
}

/// A messaging protocol that writes one request with this [`Mention`].
#[derive(Clone, Copy, Debug)]
pub struct Mentioning<'m> {
    /// The messaging protocol.
    pub messaging: &'m dyn Messaging,
    /// How the request refers to its object and operation.
    pub mention: Mention,
}

impl Messaging for Mentioning<'_> {
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
        self.messaging.write_request_mentioning(start, self.mention, writer)
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
        _: Mention,
    ) -> CdrResult<()> {
        self.messaging.begin_request(buffer, order, start, self.mention)
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
