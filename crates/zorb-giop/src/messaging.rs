//! Messaging protocols other than GIOP: the upper half of a pluggable protocol.

mod destination;
mod form;
mod lite;
mod memory;
pub(crate) mod whole;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, TextCoding};

use crate::message::unaligned;
use crate::{
    GiopVersion, LocateReplyHeader, LocateRequestHeader, LocateStatus, MessageHeader, MessageKind,
    OperationName, ProtocolError, ProtocolErrorKind, ReplyHeader, ReplyStart, ReplyStatus,
    RequestHeader, RequestStart, ResponseFlags, ServiceContexts, TargetAddress,
};
pub use destination::{Destination, ObjectIndex};
pub use form::Form;
pub use lite::GiopLite;
pub use memory::{ClientMemory, Mention, Mentioning, Recalled, ServerMemory};

/// How requests and replies are framed, where that is not GIOP.
///
/// A messaging protocol says the same things as GIOP, by the kinds of message that GIOP has, in
/// octets of its own: each message begins with a header of fixed size that tells its kind, its byte
/// order and its length; then come the fields of the message, then the arguments or results in CDR,
/// aligned from the message's first octet. Everything but the header has a default, which is the
/// layout of GIOPlite: a protocol that only frames otherwise has four methods.
///
/// It is a value without state, usually a `static` of a type without fields: one serves all
/// connections of all ORBs. What the ends of one connection remember of it is a
/// [`client_memory`](Self::client_memory) and a [`server_memory`](Self::server_memory). GIOP itself is none of these; it is built in, so that its messages are
/// written and read without a dynamic call ([`Form`] is either). Another protocol costs a few dynamic
/// calls a message, whatever the message's size.
///
/// Messages have no fragments. What the protocol leaves out does not arrive: the defaults carry no
/// service contexts, and so neither code sets nor anything else that interceptors and services send
/// along.
pub trait Messaging: Send + Sync + fmt::Debug {
    /// The protocol's name in lower case. A scheme made of it and a transport's has it before a `+`:
    /// `lite+iiop`.
    fn name(&self) -> &'static str;

    /// Octets of the header that begins every message: 1 to 255, always the same.
    fn header_size(&self) -> u8;

    /// The most octets of a message behind its header; a larger one fails with `TooLong` when it is
    /// finished. Default: what fits a `ulong`.
    fn max_size(&self) -> u32 {
        u32::MAX
    }

    /// Reads the header of a message: exactly [`header_size`](Self::header_size) octets.
    ///
    /// # Errors
    /// What is wrong with them, as
    /// [`BadFrame`](ProtocolErrorKind::BadFrame); the connection ends.
    fn read_header(&self, octets: &[u8]) -> Result<Frame, ProtocolErrorKind>;

    /// Writes the header of a message into exactly [`header_size`](Self::header_size) octets, which
    /// are 0. It is called once, when a message is complete.
    fn write_header(&self, frame: Frame, octets: &mut [u8]);

    /// Whether requests have service contexts, so that what policies and services send along arrives. The
    /// ORB makes no calls by it that have to say something there: the client's priority, say, where no lane
    /// tells it. Default: no.
    fn carries_contexts(&self) -> bool {
        false
    }

    /// How text is written. Default: `char` is UTF-8, `wchar` is UTF-16 with its length in octets
    /// before it. Nothing is negotiated.
    fn text(&self) -> TextCoding {
        TextCoding::UNICODE
    }

    /// Writes what comes between the header of a Request and its arguments. Default:
    ///
    /// ```text
    /// +------------+----------------------+-----------------------------+------------------+
    /// | ulong id   | octet response_flags | sequence<octet> object_key  | string operation |
    /// +------------+----------------------+-----------------------------+------------------+
    /// ```
    ///
    /// # Errors
    /// `Unsupported` for a target that is no key; `BadString`, `BadText`, `TooLong`.
    fn write_request(&self, start: &RequestStart<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(start.request_id);
        writer.write_u8(start.response as u8);
        write_key(&start.target, writer)?;
        writer.write_latin1(start.operation)
    }

    /// Where in a Request its id lies, an aligned `ulong`, if requests that differ in nothing but their
    /// ids, sizes and arguments differ nowhere else: who makes a call again and again then saves the
    /// writing of the rest. Default: they do, or it is not known.
    fn request_id_at(&self) -> Option<u8> {
        None
    }

    /// As [`write_request`](Self::write_request), and ends `phase` octets (0 to 7) behind a multiple of
    /// eight: see [`Form::request_before`]. Default: cannot do anything for it.
    ///
    /// # Errors
    /// Those of [`write_request`](Self::write_request); `Unsupported` when it ends elsewhere.
    fn write_request_before(
        &self,
        start: &RequestStart<'_>,
        phase: u8,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        self.write_request(start, writer)?;
        let at = writer.offset();
        if at % 8 == usize::from(phase) { Ok(()) } else { Err(unaligned(at)) }
    }

    /// As [`write_request`](Self::write_request), on a connection whose ends remember earlier
    /// requests. Default: everything is said in full.
    ///
    /// # Errors
    /// Those of [`write_request`](Self::write_request).
    fn write_request_mentioning(
        &self,
        start: &RequestStart<'_>,
        mention: Mention,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        let _ = mention;
        self.write_request(start, writer)
    }

    /// What the calling end of a new connection remembers. `several_calls` is whether calls may be
    /// under way on it at the same time: between the asking about a request and its sending, other
    /// requests are sent. Default: nothing.
    fn client_memory(&self, several_calls: bool) -> Option<Box<dyn ClientMemory>> {
        let _ = several_calls;
        None
    }

    /// What the answering end of a new connection remembers. Default: nothing.
    fn server_memory(&self) -> Option<Box<dyn ServerMemory>> {
        None
    }

    /// Reads what [`write_request`](Self::write_request) writes, and leaves the reader at the
    /// arguments.
    ///
    /// # Errors
    /// Those of reading octets that anybody may have sent.
    fn read_request<'a>(&'a self, reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
        Ok(RequestHeader {
            request_id: reader.read_u32()?,
            response: ResponseFlags::from_octet(reader.read_u8()?, GiopVersion::V1_2),
            target: TargetAddress::Key(reader.read_octets()?),
            operation: OperationName::read(reader)?,
            service_contexts: ServiceContexts::NONE,
        })
    }

    /// Writes what comes between the header of a Reply and its body. Default: `ulong` request id,
    /// `ulong` status.
    ///
    /// # Errors
    /// None, by default.
    fn write_reply(
        &self,
        request_id: u32,
        status: ReplyStatus,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        writer.write_u32(request_id);
        writer.write_u32(status as u32);
        Ok(())
    }

    /// Reads what [`write_reply`](Self::write_reply) writes, and leaves the reader at the body.
    ///
    /// # Errors
    /// As [`read_request`](Self::read_request).
    fn read_reply<'a>(&self, reader: &mut CdrReader<'a>) -> CdrResult<ReplyHeader<'a>> {
        let request_id = reader.read_u32()?;
        let status = ReplyStatus::from_ulong(reader.read_u32()?)
            .ok_or_else(|| reader.error(CdrErrorKind::BadEnum, "reply_status"))?;
        Ok(ReplyHeader { request_id, status, service_contexts: ServiceContexts::NONE })
    }

    /// Writes a LocateRequest behind its header. Default: `ulong` request id, `sequence<octet>` object
    /// key.
    ///
    /// # Errors
    /// `Unsupported` for a target that is no key; `TooLong`.
    fn write_locate_request(
        &self,
        request_id: u32,
        target: &TargetAddress<'_>,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        writer.write_u32(request_id);
        write_key(target, writer)
    }

    /// Reads what [`write_locate_request`](Self::write_locate_request) writes.
    ///
    /// # Errors
    /// As [`read_request`](Self::read_request).
    fn read_locate_request<'a>(
        &self,
        reader: &mut CdrReader<'a>,
    ) -> CdrResult<LocateRequestHeader<'a>> {
        let request_id = reader.read_u32()?;
        Ok(LocateRequestHeader { request_id, target: TargetAddress::Key(reader.read_octets()?) })
    }

    /// Writes what comes between the header of a LocateReply and its body. Default: `ulong` request
    /// id, `ulong` status.
    ///
    /// # Errors
    /// None, by default.
    fn write_locate_reply(
        &self,
        request_id: u32,
        status: LocateStatus,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        writer.write_u32(request_id);
        writer.write_u32(status as u32);
        Ok(())
    }

    /// Reads what [`write_locate_reply`](Self::write_locate_reply) writes, and leaves the reader at
    /// the body.
    ///
    /// # Errors
    /// As [`read_request`](Self::read_request).
    fn read_locate_reply(&self, reader: &mut CdrReader<'_>) -> CdrResult<LocateReplyHeader> {
        LocateReplyHeader::read_from(reader)
    }

    // What follows does at once what the methods above do one by one, so that each takes one dynamic call
    // a message. A protocol has its own where the general way is a detour.

    /// Reads the header of the message that `octets` begin with; `None` while they are too few.
    ///
    /// # Errors
    /// Those of [`read_header`](Self::read_header); `UnknownMessageType` for a Fragment.
    fn parse_header(&self, octets: &[u8]) -> Result<Option<MessageHeader>, ProtocolError> {
        whole::parse_header(self, octets)
    }

    /// Reads what comes first in a whole Request into `request`, which is
    /// [empty](RequestHeader::EMPTY); `reader` is at the message's first octet, and at the arguments then.
    ///
    /// # Errors
    /// Those of [`read_request`](Self::read_request), as `BadHeader`; `WrongKind`.
    fn read_whole_request<'a>(
        &'a self,
        request: &mut RequestHeader<'a>,
        reader: &mut CdrReader<'a>,
        header: &MessageHeader,
    ) -> Result<(), ProtocolError> {
        whole::read_request(self, request, reader, header)
    }

    /// Writes a Request up to its arguments into a buffer, which is cleared; `mention` is as with
    /// [`write_request_mentioning`](Self::write_request_mentioning).
    ///
    /// # Errors
    /// Those of [`write_request`](Self::write_request).
    fn begin_request(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        start: &RequestStart<'_>,
        mention: Mention,
    ) -> CdrResult<()> {
        whole::begin_request(self, (buffer, order), start, mention)
    }

    /// Writes a Reply up to its body into a buffer, which is cleared.
    ///
    /// # Errors
    /// Those of [`write_reply`](Self::write_reply).
    fn begin_reply(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        status: ReplyStatus,
    ) -> CdrResult<()> {
        whole::begin_reply(self, (buffer, order), request_id, status)
    }

    /// Reads of a whole Reply what a client needs first.
    ///
    /// # Errors
    /// Those of [`read_reply`](Self::read_reply), as `BadHeader`; `WrongKind`.
    fn read_reply_start(
        &self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<ReplyStart, ProtocolError> {
        whole::read_reply_start(self, message, header)
    }

    /// Completes the message in `buffer`, of which `tail` more octets are elsewhere: writes its header.
    ///
    /// # Errors
    /// `TooLong` beyond [`max_size`](Self::max_size).
    fn finish(
        &self,
        kind: MessageKind,
        order: ByteOrder,
        buffer: &mut [u8],
        tail: usize,
    ) -> CdrResult<()> {
        whole::finish(self, (kind, order), buffer, tail)
    }
}

fn write_key(target: &TargetAddress<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    match target {
        TargetAddress::Key(key) => writer.write_octets(key),
        _ => Err(writer.error(CdrErrorKind::Unsupported, "target address other than a key")),
    }
}

// Names are what tells them apart: a static may have several addresses.
impl PartialEq for dyn Messaging + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn Messaging + '_ {}

/// What the header of a message tells, whatever its octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The kind of message; a Fragment is refused.
    pub kind: MessageKind,
    /// The byte order of the rest. [`ByteOrder::NATIVE`] where the header does not say.
    pub order: ByteOrder,
    /// Octets of the message behind its header.
    pub size: u32,
}
