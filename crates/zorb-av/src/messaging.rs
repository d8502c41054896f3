//! The format of messages.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Number};
use zorb_giop::{
    Frame, MessageKind, Messaging, OperationName, ProtocolErrorKind, RequestHeader, RequestStart,
    ResponseFlags, ServiceContexts, ServiceId, TargetAddress,
};
use zorb_os::lock::Lock;

use crate::stamp::{STAMP_SIZE, Stamp};

/// The size of a message header in octets.
pub const HEADER_SIZE: u8 = 8;

const MAGIC: [u8; 2] = *b"AV";
const VERSION: u8 = 1;
const LITTLE_ENDIAN: u8 = 0x80;

/// The maximum number of objects whose frames are counted; the numbers of further ones restart.
const MAX_STREAMS: usize = 1024;

/// The frame protocol: only one-way requests, numbered per target object.
///
/// ```text
/// +-----+-----+---------+----------+------------+----------------+---------------------+
/// | 'A' | 'V' | version | order    | ulong size | ulong sequence | ulonglong time (µs) |
/// |     |     | 1       | and kind |            |                | at a multiple of 8  |
/// +-----+-----+---------+----------+------------+----------------+---------------------+
/// | sequence<octet> object key | string operation | arguments, in CDR from the first octet |
/// +----------------------------+------------------+----------------------------------------+
/// ```
///
/// Bit 7 of the fourth octet means little-endian, the other bits are the kind of message in GIOP's
/// numbering; the size counts the octets after the header. Numbers wrap around at 2³². The time is
/// that of the sender's clock, in microseconds since 1970.
#[derive(Debug)]
pub struct AvFrames {
    /// The next number by object key.
    next: Lock<BTreeMap<Vec<u8>, u32>>,
}

/// Microseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

impl AvFrames {
    /// The protocol with all counters at zero.
    #[must_use]
    pub const fn new() -> Self {
        Self { next: Lock::new(BTreeMap::new()) }
    }

    fn number(&self, key: &[u8]) -> u32 {
        let mut next = self.next.lock();
        if let Some(number) = next.get_mut(key) {
            *number = number.wrapping_add(1);
            return *number;
        }
        if next.len() >= MAX_STREAMS {
            next.pop_first();
        }
        next.insert(key.to_vec(), 0);
        0
    }
}

impl Default for AvFrames {
    fn default() -> Self {
        Self::new()
    }
}

impl Messaging for AvFrames {
    fn name(&self) -> &'static str {
        "av"
    }

    fn header_size(&self) -> u8 {
        HEADER_SIZE
    }

    fn read_header(&self, octets: &[u8]) -> Result<Frame, ProtocolErrorKind> {
        let Some(&[m0, m1, version, kind, s0, s1, s2, s3]) = octets.first_chunk() else {
            return Err(ProtocolErrorKind::BadFrame("truncated frame header"));
        };
        if [m0, m1] != MAGIC || version != VERSION {
            return Err(ProtocolErrorKind::BadFrame("not a frame of version 1"));
        }
        let order = match kind & LITTLE_ENDIAN {
            0 => ByteOrder::Big,
            _ => ByteOrder::Little,
        };
        let kind = MessageKind::from_octet(kind & !LITTLE_ENDIAN)
            .ok_or(ProtocolErrorKind::UnknownMessageType(kind))?;
        let size = u32::from_octets([s0, s1, s2, s3], order);
        Ok(Frame { kind, order, size })
    }

    fn write_header(&self, frame: Frame, octets: &mut [u8]) {
        let order = if frame.order == ByteOrder::Little { LITTLE_ENDIAN } else { 0 };
        let [s0, s1, s2, s3] = frame.size.to_octets(frame.order);
        let [m0, m1] = MAGIC;
        let header = [m0, m1, VERSION, frame.kind as u8 | order, s0, s1, s2, s3];
        if let Some(octets) = octets.first_chunk_mut() {
            *octets = header;
        }
    }

    fn write_request(&self, start: &RequestStart<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let TargetAddress::Key(key) = start.target else {
            return Err(writer
                .error(CdrErrorKind::Unsupported, "a target address other than an object key"));
        };
        if start.response.expects_reply() {
            return Err(writer.error(CdrErrorKind::Unsupported, "a frame with a reply"));
        }
        writer.write_u32(self.number(key));
        writer.write_u64(now());
        writer.write_octets(key)?;
        writer.write_latin1(start.operation)
    }

    fn read_request<'a>(&self, reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
        // The header's size is a multiple of 8.
        let stamp = reader.take(STAMP_SIZE, "stamp")?;
        Ok(RequestHeader {
            request_id: Stamp::read(stamp, reader.order())?.sequence,
            response: ResponseFlags::NoResponse,
            target: TargetAddress::Key(reader.read_octets()?),
            operation: OperationName::read(reader)?,
            service_contexts: ServiceContexts::single(ServiceId::ZORB_FRAME_STAMP, stamp),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use zorb_cdr::TextCoding;
    use zorb_giop::{GiopVersion, MessageFormat};

    use super::*;

    static TESTED: AvFrames = AvFrames::new();

    fn frame(key: &[u8], response: ResponseFlags, order: ByteOrder) -> CdrResult<Vec<u8>> {
        let start = RequestStart {
            request_id: 99,
            response,
            target: TargetAddress::Key(key),
            operation: "show",
            service_contexts: &[],
        };
        let mut octets = Vec::new();
        let form = MessageFormat::new(Some(&TESTED), GiopVersion::V1_2);
        let mut message = form.request(&mut octets, order, &start)?;
        message.body(TextCoding::UNICODE).write_u32(7);
        message.finish()?;
        Ok(octets)
    }

    #[test]
    fn a_frame_has_the_documented_layout() {
        let octets = frame(b"one", ResponseFlags::NoResponse, ByteOrder::Big).unwrap();
        assert_eq!(octets[..8], [b'A', b'V', 1, 0, 0, 0, 0, octets.len() as u8 - 8]);
        assert_eq!(octets[8..12], [0; 4], "the first frame of this stream");
        let sent = u64::from_be_bytes(octets[16..24].try_into().unwrap());
        assert!(sent.abs_diff(now()) < 60_000_000);
        assert_eq!(octets[24..], *b"\0\0\0\x03one\0\0\0\0\x05show\0\0\0\0\0\0\0\x07");
    }

    #[test]
    fn each_stream_is_numbered_for_itself() {
        let number = |key: &[u8]| {
            let octets = frame(key, ResponseFlags::NoResponse, ByteOrder::Little).unwrap();
            let frame = TESTED.read_header(&octets[..8]).unwrap();
            assert_eq!((frame.kind, frame.order), (MessageKind::Request, ByteOrder::Little));
            let mut reader = CdrReader::new(&octets, frame.order);
            reader.take(8, "header").unwrap();
            let request = TESTED.read_request(&mut reader).unwrap();
            assert_eq!(request.target, TargetAddress::Key(key));
            assert_eq!(reader.read_u32().unwrap(), 7);
            let stamp = request.service_contexts.find(ServiceId::ZORB_FRAME_STAMP).unwrap();
            let stamp = Stamp::read(stamp, frame.order).unwrap();
            assert_eq!(stamp.sequence, request.request_id);
            assert!(stamp.sent.abs_diff(now()) < 60_000_000);
            stamp.sequence
        };
        assert_eq!([number(b"a"), number(b"a"), number(b"b"), number(b"a")], [0, 1, 0, 2]);
    }

    #[test]
    fn replies_are_not_supported() {
        for waits in [ResponseFlags::SyncWithServer, ResponseFlags::SyncWithTarget] {
            frame(b"c", waits, ByteOrder::NATIVE).unwrap_err();
        }
    }

    #[test]
    fn invalid_frames_are_rejected() {
        let octets = frame(b"d", ResponseFlags::NoResponse, ByteOrder::Big).unwrap();
        for at in 0..4 {
            let mut twisted = octets.clone();
            twisted[at] ^= 0x4c;
            TESTED.read_header(&twisted[..8]).unwrap_err();
        }
        // Up to the end of the operation, which is followed by three octets of padding and the
        // argument.
        for cut in 8..octets.len() - 7 {
            let mut reader = CdrReader::new(&octets[..cut], ByteOrder::Big);
            reader.take(8, "header").unwrap();
            TESTED.read_request(&mut reader).unwrap_err();
        }
    }
}
