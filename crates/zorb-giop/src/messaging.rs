//! Messaging protocols other than GIOP: the upper half of a pluggable protocol.

mod abbreviation;
mod destination;
mod form;
pub(crate) mod frame;
mod lite;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, TextCoding};

use crate::message::unaligned;
use crate::{
    GiopVersion, LocateReplyHeader, LocateRequestHeader, LocateStatus, MessageHeader, MessageKind,
    OperationName, ProtocolError, ProtocolErrorKind, ReplyHeader, ReplyStart, ReplyStatus,
    RequestHeader, RequestStart, ResponseFlags, ServiceContexts, TargetAddress,
};
pub use abbreviation::{Abbreviation, ClientMessagingState};
pub use destination::{Destination, ObjectIndex};
pub use form::MessageFormat;
pub use frame::Frame;
pub use lite::GiopLite;

/// A messaging protocol other than GIOP: its encoding of requests and replies.
///
/// It has the same kinds of message as GIOP in another encoding. Each message begins with a header of fixed
/// size, which has the kind, the byte order and the size; then come the fields of the message, then the
/// arguments or results in CDR, whose alignment base is the first octet of the message. All methods but
/// four have a default, which is the layout of GIOPlite: a protocol that differs only in its header
/// implements these four.
///
/// It is a value without state, usually a `static` of a unit type, which all connections of all ORBs share.
/// The state of a connection is in [`client_state`](Self::client_state) and
/// [`server_state`](Self::server_state). GIOP is not a `Messaging` but built in, so that its messages are
/// encoded and decoded without dynamic calls ([`MessageFormat`] is either). Another protocol costs a few dynamic
/// calls a message, regardless of its size.
///
/// There are no fragments. By default, there are no service contexts either, so code sets and the data of
/// interceptors and services are not sent.
pub trait Messaging: Send + Sync + fmt::Debug {
    /// The name of the protocol in lower case. In a URL scheme it precedes that of the transport and a `+`:
    /// `lite+iiop`.
    fn name(&self) -> &'static str;

    /// The size of the message header in octets, a constant from 1 to 255.
    fn header_size(&self) -> u8;

    /// The maximum size of a message after its header, in octets. Finishing a larger message fails with
    /// `TooLong`. Default: 2³²-1.
    fn max_size(&self) -> u32 {
        u32::MAX
    }

    /// Reads the header of a message: exactly [`header_size`](Self::header_size) octets.
    ///
    /// # Errors
    /// [`BadFrame`](ProtocolErrorKind::BadFrame) with the reason. The connection is closed.
    fn read_header(&self, octets: &[u8]) -> Result<Frame, ProtocolErrorKind>;

    /// Writes the header of a complete message into exactly [`header_size`](Self::header_size) octets, which
    /// are 0. It is called once a message.
    fn write_header(&self, frame: Frame, octets: &mut [u8]);

    /// Whether requests have service contexts. Without them, the ORB does not use the protocol for calls
    /// that need one, such as the client's priority where the endpoint does not imply it. Default: no.
    fn carries_contexts(&self) -> bool {
        false
    }

    /// The encoding of text, without negotiation. Default: `char` in UTF-8, `wchar` in UTF-16 as in GIOP 1.2.
    fn text(&self) -> TextCoding {
        TextCoding::UNICODE
    }

    /// Writes the fields of a Request, between its header and its arguments. Default:
    ///
    /// ```text
    /// +------------+----------------------+-----------------------------+------------------+
    /// | ulong id   | octet response_flags | sequence<octet> object_key  | string operation |
    /// +------------+----------------------+-----------------------------+------------------+
    /// ```
    ///
    /// # Errors
    /// `Unsupported` for a target other than an object key; `BadString`, `BadText`, `TooLong`.
    fn write_request(&self, start: &RequestStart<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(start.request_id);
        writer.write_u8(start.response as u8);
        write_key(&start.target, writer)?;
        writer.write_latin1(start.operation)
    }

    /// The offset of the request id, an aligned `ulong`, in a Request. With it, the caller of repeated
    /// requests reuses the header: requests that differ only in id, size and arguments must not differ in
    /// any other octet. Default: none.
    fn request_id_at(&self) -> Option<u8> {
        None
    }

    /// As [`write_request`](Self::write_request), ending at an offset of `phase` (0 to 7) modulo 8: see
    /// [`MessageFormat::request_before`]. Default: no padding.
    ///
    /// # Errors
    /// As [`write_request`](Self::write_request); `Unsupported` if it ends at another offset.
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

    /// As [`write_request`](Self::write_request), on a connection with state about earlier requests. Default:
    /// object key and operation in full.
    ///
    /// # Errors
    /// As [`write_request`](Self::write_request).
    fn write_abbreviated_request(
        &self,
        start: &RequestStart<'_>,
        abbreviation: Abbreviation,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        let _ = abbreviation;
        self.write_request(start, writer)
    }

    /// The client's state of a new connection. `several_calls` is whether the connection is shared by
    /// concurrent calls: then other requests may be sent between the choice of a request's form and its
    /// sending. Default: none.
    fn client_state(&self, several_calls: bool) -> Option<Box<dyn ClientMessagingState>> {
        let _ = several_calls;
        None
    }

    /// The server's state of a new connection. Default: none.
    fn server_state(&self) -> Option<Box<dyn ServerMessagingState>> {
        None
    }

    /// Reads the fields of a Request, and leaves the reader at the arguments.
    ///
    /// # Errors
    /// The errors of decoding untrusted octets.
    fn read_request<'a>(&'a self, reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
        Ok(RequestHeader {
            request_id: reader.read_u32()?,
            response: ResponseFlags::from_octet(reader.read_u8()?, GiopVersion::V1_2),
            target: TargetAddress::Key(reader.read_octets()?),
            operation: OperationName::read(reader)?,
            service_contexts: ServiceContexts::NONE,
        })
    }

    /// Writes the fields of a Reply, between its header and its body. Default: `ulong` request id, `ulong`
    /// status.
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

    /// Reads the fields of a Reply, and leaves the reader at the body.
    ///
    /// # Errors
    /// As [`read_request`](Self::read_request).
    fn read_reply<'a>(&self, reader: &mut CdrReader<'a>) -> CdrResult<ReplyHeader<'a>> {
        let request_id = reader.read_u32()?;
        let status = ReplyStatus::from_ulong(reader.read_u32()?)
            .ok_or_else(|| reader.error(CdrErrorKind::BadEnum, "reply_status"))?;
        Ok(ReplyHeader { request_id, status, service_contexts: ServiceContexts::NONE })
    }

    /// Writes the fields of a LocateRequest. Default: `ulong` request id, `sequence<octet>` object key.
    ///
    /// # Errors
    /// `Unsupported` for a target other than an object key; `TooLong`.
    fn write_locate_request(
        &self,
        request_id: u32,
        target: &TargetAddress<'_>,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        writer.write_u32(request_id);
        write_key(target, writer)
    }

    /// Reads the fields of a LocateRequest.
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

    /// Writes the fields of a LocateReply, between its header and its body. Default: `ulong` request id,
    /// `ulong` status.
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

    /// Reads the fields of a LocateReply, and leaves the reader at the body.
    ///
    /// # Errors
    /// As [`read_request`](Self::read_request).
    fn read_locate_reply(&self, reader: &mut CdrReader<'_>) -> CdrResult<LocateReplyHeader> {
        LocateReplyHeader::read_from(reader)
    }

    // The methods below combine those above, so that the ORB makes one dynamic call a message. A protocol
    // may override them with faster ones.

    /// Reads the header at the start of `octets`; `None` if there are too few octets.
    ///
    /// # Errors
    /// As [`read_header`](Self::read_header); `UnknownMessageType` for a Fragment.
    fn parse_header(&self, octets: &[u8]) -> Result<Option<MessageHeader>, ProtocolError> {
        match octets.get(..usize::from(frame::effective_size(self.header_size()))) {
            Some(octets) => Ok(Some(self.read_header(octets)?.giop_header()?)),
            None => Ok(None),
        }
    }

    /// Reads the header of a whole Request into `request`, which is [empty](RequestHeader::EMPTY), and moves
    /// `reader` from the first octet of the message to the arguments.
    ///
    /// # Errors
    /// `BadHeader` with the errors of [`read_request`](Self::read_request); `WrongKind`.
    fn read_whole_request<'a>(
        &'a self,
        request: &mut RequestHeader<'a>,
        reader: &mut CdrReader<'a>,
        header: &MessageHeader,
    ) -> Result<(), ProtocolError> {
        let (size, kind) = (self.header_size(), MessageKind::Request);
        *request = frame::read_fields(size, reader, header, kind, |r| self.read_request(r))?;
        Ok(())
    }

    /// Clears a buffer and writes a Request up to its arguments into it. `abbreviation` is as in
    /// [`write_abbreviated_request`](Self::write_abbreviated_request).
    ///
    /// # Errors
    /// As [`write_request`](Self::write_request).
    fn begin_request(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        start: &RequestStart<'_>,
        abbreviation: Abbreviation,
    ) -> CdrResult<()> {
        let writer = &mut frame::begin(self.header_size(), buffer, order);
        match abbreviation {
            Abbreviation::InFull => self.write_request(start, writer),
            shorter => self.write_abbreviated_request(start, shorter, writer),
        }?;
        writer.finish()
    }

    /// Clears a buffer and writes a Reply up to its body into it.
    ///
    /// # Errors
    /// As [`write_reply`](Self::write_reply).
    fn begin_reply(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        status: ReplyStatus,
    ) -> CdrResult<()> {
        let writer = &mut frame::begin(self.header_size(), buffer, order);
        self.write_reply(request_id, status, writer)?;
        writer.finish()
    }

    /// Reads the parts of a Reply's header that a client needs.
    ///
    /// # Errors
    /// `BadHeader` with the errors of [`read_reply`](Self::read_reply); `WrongKind`.
    fn read_reply_start(
        &self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<ReplyStart, ProtocolError> {
        let size = self.header_size();
        frame::read_reply_start(size, message, header, |reader| self.read_reply(reader))
    }

    /// Writes the header of the message in `buffer`, which is sent with `tail` more octets from somewhere
    /// else.
    ///
    /// # Errors
    /// `TooLong` for a message larger than [`max_size`](Self::max_size).
    fn finish(
        &self,
        kind: MessageKind,
        order: ByteOrder,
        buffer: &mut [u8],
        tail: usize,
    ) -> CdrResult<()> {
        let header_size = usize::from(frame::effective_size(self.header_size()));
        let size = buffer.len().saturating_sub(header_size).saturating_add(tail);
        let Some(size) = u32::try_from(size).ok().filter(|size| *size <= self.max_size()) else {
            return Err(CdrError::new(CdrErrorKind::TooLong, buffer.len(), "message"));
        };
        if let Some(header) = buffer.get_mut(..header_size) {
            header.fill(0);
            self.write_header(Frame { kind, order, size }, header);
        }
        Ok(())
    }
}

fn write_key(target: &TargetAddress<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    match target {
        TargetAddress::Key(key) => writer.write_octets(key),
        _ => {
            Err(writer
                .error(CdrErrorKind::Unsupported, "a target address other than an object key"))
        }
    }
}

// Compared by name, as a static may have several addresses.
impl PartialEq for dyn Messaging + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn Messaging + '_ {}

/// The server's state of a connection.
pub trait ServerMessagingState: Send + fmt::Debug {
    /// Processes a whole Request in the order of the wire, and looks up what it omits.
    ///
    /// # Errors
    /// A protocol violation in the request. The connection is closed.
    fn expand(&mut self, message: &[u8], header: &MessageHeader)
    -> Result<Expanded, ProtocolError>;
}

/// The result of expanding a request: looking up what it omits.
#[derive(Clone, Debug)]
pub enum Expanded {
    /// The request omits nothing.
    InFull,
    /// The messaging to read this request with, which supplies what it omits.
    By(Arc<dyn Messaging>),
    /// The index is unknown: ask the client to send the request in full, with the reply status
    /// [`NeedsAddressingMode`](crate::ReplyStatus::NeedsAddressingMode).
    Unknown {
        /// The id of the request.
        request_id: u32,
    },
}
