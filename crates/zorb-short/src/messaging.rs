//! How messages are laid out.

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::{
    ClientMemory, Frame, Mention, MessageHeader, MessageKind, Messaging, OperationName,
    ProtocolError, ProtocolErrorKind, ReplyHeader, ReplyStart, ReplyStatus, RequestHeader,
    RequestStart, ResponseFlags, ServerMemory, ServiceContexts, TargetAddress,
};

use crate::client::Introduced;
use crate::server::Remembered;

/// Octets of the header that begins every message.
pub const HEADER_SIZE: u8 = 4;

/// The most octets of a message behind its header: 256 MiB less one.
pub const MAX_SIZE: u32 = (1 << 28) - 1;

/// Octets of a reply up to its body.
const REPLY: usize = 9;

/// Where the octet is that says how a request names what it is for.
pub(crate) const HOW_AT: usize = 8;
/// Where the index is.
pub(crate) const INDEX_AT: usize = 9;

/// The bits of `how` that say whether and when to answer, as GIOP 1.2 numbers it.
const RESPONSE: u8 = 0b0011;
/// How object and operation are named.
const NAMING: u8 = 0b1100;
const IN_FULL: u8 = 0;
const INTRODUCED: u8 = 0b0100;
const BY_INDEX: u8 = 0b1000;

/// Zorb's short messages.
///
/// A message begins with a `ulong`, always little-endian: bits 0 to 2 are the kind, as GIOP numbers it,
/// bit 3 says that the rest is little-endian, the others are the octets behind this header.
///
/// ```text
/// Request                                               Reply
/// +--------+----------+-----------+-------------+      +--------+----------+--------------+
/// | header | ulong id | octet how | octet index |      | header | ulong id | octet status |
/// +--------+----------+-----------+-------------+      +--------+----------+--------------+
/// | unless by index: sequence<octet> object key,|      | results                         |
/// |                  string operation           |      +---------------------------------+
/// +---------------------------------------------+
/// | arguments                                   |
/// +---------------------------------------------+
/// ```
///
/// Bits 0 and 1 of `how` are `response_flags` of GIOP 1.2. Bits 2 and 3 say how the request names what
/// it is for: 0 in full, and the index means nothing; 1 in full, and the index stands for it from now
/// on; 2 by the index alone. The status is `ReplyStatusType`. Arguments and results are CDR, aligned
/// from the message's first octet. LocateRequest and what else there is are as in GIOPlite. There are
/// no service contexts and no fragments, and text is UTF-8 and UTF-16.
///
/// A server that is asked by an index which it does not know answers with the status
/// `NEEDS_ADDRESSING_MODE`; the client then says this request in full, and all that follow on the
/// connection. One to which no answer goes ends the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Short;

/// What comes before the names of a Request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning {
    pub(crate) request_id: u32,
    pub(crate) response: ResponseFlags,
    pub(crate) mention: Mention,
}

impl Beginning {
    fn write(self, writer: &mut CdrWriter<'_>) {
        let (naming, index) = match self.mention {
            Mention::InFull => (IN_FULL, 0),
            Mention::Introduce(index) => (INTRODUCED, index),
            Mention::Index(index) => (BY_INDEX, index),
        };
        writer.write_u32(self.request_id);
        writer.put(&[self.response as u8 | naming, index]);
    }

    pub(crate) fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let request_id = reader.read_u32()?;
        let (how, index) = (reader.read_u8()?, reader.read_u8()?);
        let response = response(how);
        let mention = match how & !RESPONSE {
            IN_FULL => Some(Mention::InFull),
            INTRODUCED => Some(Mention::Introduce(index)),
            BY_INDEX => Some(Mention::Index(index)),
            _ => None,
        };
        match (response, mention) {
            (Some(response), Some(mention)) => Ok(Self { request_id, response, mention }),
            _ => Err(reader.error(CdrErrorKind::BadEnum, "how a request names what it is for")),
        }
    }
}

/// Whether and when to answer a request with this octet.
#[inline]
pub(crate) fn response(how: u8) -> Option<ResponseFlags> {
    match how & RESPONSE {
        0 => Some(ResponseFlags::NoResponse),
        1 => Some(ResponseFlags::SyncWithServer),
        3 => Some(ResponseFlags::SyncWithTarget),
        _ => None,
    }
}

/// Whether a request with this octet names what it is for by an index alone.
pub(crate) fn is_by_index(how: u8) -> bool {
    how & !RESPONSE == BY_INDEX
}

/// Whether a request with this octet introduces an index.
pub(crate) fn introduces(how: u8) -> bool {
    how & NAMING == INTRODUCED
}

impl Messaging for Short {
    fn name(&self) -> &'static str {
        "short"
    }

    fn header_size(&self) -> u8 {
        HEADER_SIZE
    }

    fn max_size(&self) -> u32 {
        MAX_SIZE
    }

    fn read_header(&self, octets: &[u8]) -> Result<Frame, ProtocolErrorKind> {
        let Some(octets) = octets.first_chunk() else {
            return Err(ProtocolErrorKind::BadFrame("a header cut short"));
        };
        let word = u32::from_le_bytes(*octets);
        let order = if word & 8 == 0 { ByteOrder::Big } else { ByteOrder::Little };
        let number = word as u8 & 7;
        let kind =
            MessageKind::from_octet(number).ok_or(ProtocolErrorKind::UnknownMessageType(number))?;
        Ok(Frame { kind, order, size: word >> 4 })
    }

    fn write_header(&self, frame: Frame, octets: &mut [u8]) {
        let order = if frame.order == ByteOrder::Little { 8 } else { 0 };
        let word = frame.size << 4 | order | u32::from(frame.kind as u8);
        if let Some(octets) = octets.first_chunk_mut() {
            *octets = word.to_le_bytes();
        }
    }

    fn write_request(&self, start: &RequestStart<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.write_request_mentioning(start, Mention::InFull, writer)
    }

    fn write_request_mentioning(
        &self,
        start: &RequestStart<'_>,
        mention: Mention,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        let (request_id, response) = (start.request_id, start.response);
        Beginning { request_id, response, mention }.write(writer);
        if let Mention::Index(_) = mention {
            return Ok(());
        }
        let TargetAddress::Key(key) = start.target else {
            return Err(writer.error(CdrErrorKind::Unsupported, "target address other than a key"));
        };
        writer.write_octets(key)?;
        writer.write_latin1(start.operation)
    }

    fn client_memory(&self, several_calls: bool) -> Option<Box<dyn ClientMemory>> {
        Some(Box::new(Introduced::new(several_calls)))
    }

    fn server_memory(&self) -> Option<Box<dyn ServerMemory>> {
        Some(Box::new(Remembered::default()))
    }

    fn read_request<'a>(&'a self, reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
        let Beginning { request_id, response, mention } = Beginning::read(reader)?;
        if let Mention::Index(_) = mention {
            return Err(reader.error(CdrErrorKind::BadEnum, "an index that stands for nothing"));
        }
        Ok(RequestHeader {
            request_id,
            response,
            target: TargetAddress::Key(reader.read_octets()?),
            operation: OperationName::read(reader)?,
            service_contexts: ServiceContexts::NONE,
        })
    }

    fn write_reply(
        &self,
        request_id: u32,
        status: ReplyStatus,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        writer.write_u32(request_id);
        writer.write_u8(status as u8);
        Ok(())
    }

    fn read_reply<'a>(&self, reader: &mut CdrReader<'a>) -> CdrResult<ReplyHeader<'a>> {
        let request_id = reader.read_u32()?;
        let status = ReplyStatus::from_ulong(reader.read_u8()?.into())
            .ok_or_else(|| reader.error(CdrErrorKind::BadEnum, "reply_status"))?;
        Ok(ReplyHeader { request_id, status, service_contexts: ServiceContexts::NONE })
    }

    fn begin_request(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        start: &RequestStart<'_>,
        mention: Mention,
    ) -> CdrResult<()> {
        buffer.clear();
        if let Mention::Index(index) = mention {
            let [i, j, k, l] = octets(order, start.request_id);
            buffer.extend_from_slice(&[
                0,
                0,
                0,
                0,
                i,
                j,
                k,
                l,
                start.response as u8 | BY_INDEX,
                index,
            ]);
            return Ok(());
        }
        buffer.resize(HEADER_SIZE.into(), 0);
        self.write_request_mentioning(start, mention, &mut CdrWriter::resume(buffer, order))
    }

    fn begin_reply(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        status: ReplyStatus,
    ) -> CdrResult<()> {
        let [i, j, k, l] = octets(order, request_id);
        buffer.clear();
        buffer.extend_from_slice(&[0, 0, 0, 0, i, j, k, l, status as u8]);
        Ok(())
    }

    fn read_reply_start(
        &self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<ReplyStart, ProtocolError> {
        if let Some([_, _, _, _, id @ .., status]) = message.first_chunk::<REPLY>()
            && header.kind == MessageKind::Reply
            && header.size as usize >= REPLY - usize::from(HEADER_SIZE)
            && let Some(status) = ReplyStatus::from_ulong((*status).into())
        {
            return Ok(ReplyStart { request_id: word(header.order, id), status, body_at: REPLY });
        }
        let mut reader = begin_reading(message, header, MessageKind::Reply)?;
        let read = self.read_reply(&mut reader);
        let ReplyHeader { request_id, status, .. } =
            read.map_err(|cause| bad_header(MessageKind::Reply, cause))?;
        Ok(ReplyStart { request_id, status, body_at: reader.offset() })
    }
}

#[inline]
fn octets(order: ByteOrder, word: u32) -> [u8; 4] {
    match order {
        ByteOrder::Little => word.to_le_bytes(),
        ByteOrder::Big => word.to_be_bytes(),
    }
}

#[inline]
pub(crate) fn word(order: ByteOrder, octets: &[u8; 4]) -> u32 {
    match order {
        ByteOrder::Little => u32::from_le_bytes(*octets),
        ByteOrder::Big => u32::from_be_bytes(*octets),
    }
}

/// A reader behind the header of a whole message of a kind, which reads nothing beyond its end.
#[cold]
pub(crate) fn begin_reading<'a>(
    message: &'a [u8],
    header: &MessageHeader,
    expected: MessageKind,
) -> Result<CdrReader<'a>, ProtocolError> {
    if header.kind != expected {
        return Err(ProtocolErrorKind::WrongKind { expected, found: header.kind }.into());
    }
    let whole = usize::from(HEADER_SIZE).saturating_add(header.size as usize);
    let mut reader = CdrReader::new(message.get(..whole).unwrap_or(message), header.order);
    let own = reader.take(HEADER_SIZE.into(), "message header");
    own.map_err(|cause| bad_header(expected, cause))?;
    Ok(reader)
}

#[cold]
pub(crate) fn bad_header(message: MessageKind, cause: CdrError) -> ProtocolError {
    ProtocolErrorKind::BadHeader { message, cause }.into()
}
