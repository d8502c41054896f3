//! A messaging protocol: `brief`.
//!
//! A message begins with a header of eight octets, and a reply's results follow six octets later instead
//! of GIOP 1.2's sixteen:
//!
//! ```text
//! +-----+----------------+----------+---------+------------------+
//! | "B" | kind of message| 0: big   | version | octets that      |
//! |     |                | 1: little| 1       | follow, big end  |
//! +-----+----------------+----------+---------+------------------+
//! ```
//!
//! Requests use the defaults of the trait `Messaging`.

use zorb::cdr::ByteOrder;
use zorb::giop::{
    Frame, MessageKind, Messaging, ProtocolErrorKind, ReplyHeader, ReplyStatus, ServiceContexts,
};
use zorb::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

const VERSION: u8 = 1;

/// The protocol.
#[derive(Debug)]
pub struct Brief;

impl Messaging for Brief {
    fn name(&self) -> &'static str {
        "brief"
    }

    fn header_size(&self) -> u8 {
        8
    }

    fn read_header(&self, octets: &[u8]) -> Result<Frame, ProtocolErrorKind> {
        let [b'B', kind, order, VERSION, size @ ..] = octets else {
            return Err(ProtocolErrorKind::BadFrame("not a message of `brief` version 1"));
        };
        let kind =
            MessageKind::from_octet(*kind).ok_or(ProtocolErrorKind::UnknownMessageType(*kind))?;
        let size = size.try_into().map(u32::from_be_bytes);
        let size = size.map_err(|_| ProtocolErrorKind::BadFrame("truncated header"))?;
        Ok(Frame { kind, order: ByteOrder::from_flag(*order), size })
    }

    fn write_header(&self, frame: Frame, octets: &mut [u8]) {
        let order = u8::from(frame.order == ByteOrder::Little);
        let [s0, s1, s2, s3] = frame.size.to_be_bytes();
        octets.copy_from_slice(&[b'B', frame.kind as u8, order, VERSION, s0, s1, s2, s3]);
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
            .ok_or_else(|| reader.error(CdrErrorKind::BadEnum, "status"))?;
        Ok(ReplyHeader { request_id, status, service_contexts: ServiceContexts::NONE })
    }
}
