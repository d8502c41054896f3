//! What the two ends of a connection remember of earlier requests, so that later ones are shorter.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, TextCoding};

use super::{Frame, Messaging};
use crate::{
    MessageHeader, MessageKind, ProtocolError, ProtocolErrorKind, ReplyStart, ReplyStatus,
    RequestHeader, RequestStart,
};

/// What a request says of its object and operation, on a connection whose ends remember some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mention {
    /// Both, and nothing more.
    InFull,
    /// Both, and the index that stands for them from now on.
    Introduce(u8),
    /// The index that an earlier request has introduced.
    Index(u8),
}

/// What the calling end of a connection remembers: which objects and operations it has introduced.
///
/// Requests arrive in the order in which they are sent, so the other end has learned of every index
/// that this one has told it of.
pub trait ClientMemory: Send + fmt::Debug {
    /// Finds what the next request is to say.
    ///
    /// `in_turn` is whether nothing else will be sent on the connection before that request; where it
    /// is false, the answer `Introduce` means that the caller has to wait for its turn and ask again.
    /// An introduction that was not [`sent`](Self::sent) by the next time somebody asks in turn has
    /// not taken place.
    fn mention(&mut self, key: &[u8], operation: &str, in_turn: bool) -> Mention;

    /// Says that the request which this was last asked about in turn has been handed to the transport.
    fn sent(&mut self);

    /// Says that the other end has not understood an index: from now on everything is said in full.
    fn give_up(&mut self);
}

/// What the answering end of a connection remembers.
pub trait ServerMemory: Send + fmt::Debug {
    /// Takes note of a whole Request in its turn on the wire, and finds what it leaves out.
    ///
    /// # Errors
    /// What is wrong with it; the connection ends.
    fn recall(&mut self, message: &[u8], header: &MessageHeader)
    -> Result<Recalled, ProtocolError>;
}

/// What the answering end remembers of a request.
#[derive(Clone, Debug)]
pub enum Recalled {
    /// Nothing is left out.
    Nothing,
    /// The messaging that reads this one request, together with what it leaves out.
    By(Arc<dyn Messaging>),
    /// What the request means is not remembered: the client is asked for the request in full, by a
    /// Reply with the status [`NeedsAddressingMode`](crate::ReplyStatus::NeedsAddressingMode).
    Unknown {
        /// The request.
        request_id: u32,
    },
}

/// A messaging protocol for the writing of one request, which says what it is for in a certain way.
#[derive(Clone, Copy, Debug)]
pub struct Mentioning<'m> {
    /// What the request is written in.
    pub messaging: &'m dyn Messaging,
    /// What it says.
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

    // The rest is as without it.

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
