//! The messaging protocol.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::{
    Abbreviation, ClientMessagingState, Frame, MessageHeader, MessageKind, Messaging,
    ProtocolError, ProtocolErrorKind, ReplyHeader, ReplyStart, ReplyStatus, RequestHeader,
    RequestStart, ServerMessagingState, ServiceContexts, TargetAddress,
};

use crate::client::Introduced;
use crate::format::{
    BY_INDEX, Beginning, HEADER_SIZE, MAX_SIZE, bad_header, begin_reading, octets, read_request,
    word,
};
use crate::server::IntroducedPairs;

/// The size of a reply before its body in octets.
const REPLY: usize = 9;

/// Zorb's short messages.
///
/// A message starts with a `ulong`, always little-endian: bits 0 to 2 are the kind in GIOP's
/// numbering, bit 3 means that the rest is little-endian, and the other bits are the number of
/// octets after this header.
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
/// Bits 0 and 1 of `how` are `response_flags` of GIOP 1.2. Bits 2 and 3 select how object and
/// operation are given: 0 in full, the index is ignored; 1 in full, and the index stands for them
/// from now on; 2 by the index only. The status is `ReplyStatusType`. Arguments and results are
/// CDR, aligned relative to the message's first octet. LocateRequest and all other messages are as
/// in GIOPlite. There are no service contexts and no fragments, and text is UTF-8 and UTF-16.
/// A server that does not know an index replies with the status `NEEDS_ADDRESSING_MODE`; the client
/// then sends this request, and all later ones of the connection, in full. If such a request
/// expects no reply, the server ends the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Short;

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
            return Err(ProtocolErrorKind::BadFrame("truncated header"));
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
        self.write_abbreviated_request(start, Abbreviation::InFull, writer)
    }

    fn write_abbreviated_request(
        &self,
        start: &RequestStart<'_>,
        abbreviation: Abbreviation,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        let (request_id, response) = (start.request_id, start.response);
        Beginning { request_id, response, abbreviation }.write(writer);
        if let Abbreviation::Index(_) = abbreviation {
            return Ok(());
        }
        let TargetAddress::Key(key) = start.target else {
            return Err(writer
                .error(CdrErrorKind::Unsupported, "a target address other than an object key"));
        };
        writer.write_octets(key)?;
        writer.write_latin1(start.operation)
    }

    fn client_state(&self, several_calls: bool) -> Option<Box<dyn ClientMessagingState>> {
        Some(Box::new(Introduced::new(several_calls)))
    }

    fn server_state(&self) -> Option<Box<dyn ServerMessagingState>> {
        Some(Box::new(IntroducedPairs::<Self>::default()))
    }

    fn read_request<'a>(&'a self, reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
        read_request(reader)
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
        abbreviation: Abbreviation,
    ) -> CdrResult<()> {
        buffer.clear();
        if let Abbreviation::Index(index) = abbreviation {
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
        let mut writer = CdrWriter::resume(buffer, order);
        self.write_abbreviated_request(start, abbreviation, &mut writer)?;
        writer.finish()
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
            return Ok(ReplyStart {
                request_id: word(header.order, id),
                status,
                body_start: REPLY,
            });
        }
        let mut reader = begin_reading(message, header, MessageKind::Reply)?;
        let read = self.read_reply(&mut reader);
        let ReplyHeader { request_id, status, .. } =
            read.map_err(|cause| bad_header(MessageKind::Reply, cause))?;
        Ok(ReplyStart { request_id, status, body_start: reader.offset() })
    }
}
