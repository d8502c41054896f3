//! Request: invokes an operation of an object.

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Number};

use super::{MessageHeader, MessageKind, OperationName, TargetAddress, open};
use crate::HEADER_SIZE;
use crate::service::write_contexts;
use crate::{GiopVersion, ProtocolError, ServiceContext, ServiceContexts};

/// Whether and when a request is answered (`response_flags`; CORBA 3.3 part 2, 9.4.2.1).
///
/// In GIOP 1.0 and 1.1 this is the boolean `response_expected`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ResponseFlags {
    /// Never: oneway with `SYNC_NONE` or `SYNC_WITH_TRANSPORT`.
    NoResponse = 0,
    /// With an empty reply before the servant runs: oneway with `SYNC_WITH_SERVER`.
    SyncWithServer = 1,
    /// After the servant has run: every two-way call, and oneway with `SYNC_WITH_TARGET`.
    SyncWithTarget = 3,
}

impl ResponseFlags {
    /// Whether a reply is sent at all.
    pub const fn expects_reply(self) -> bool {
        !matches!(self, Self::NoResponse)
    }

    /// The value of a received octet. In GIOP 1.2 only the two defined bits count, and bit 0 is needed for a
    /// reply. In 1.0 and 1.1 every value but 0 means a reply, as peers use several.
    #[inline]
    pub(crate) const fn from_octet(octet: u8, version: GiopVersion) -> Self {
        match (version, octet & 3) {
            (GiopVersion::V1_2, 3) => Self::SyncWithTarget,
            (GiopVersion::V1_2, 1) => Self::SyncWithServer,
            (GiopVersion::V1_2, _) => Self::NoResponse,
            _ if octet != 0 => Self::SyncWithTarget,
            _ => Self::NoResponse,
        }
    }

    #[inline]
    const fn to_octet(self, version: GiopVersion) -> u8 {
        match version {
            GiopVersion::V1_2 => self as u8,
            _ => self.expects_reply() as u8,
        }
    }
}

/// The header fields that [`MessageWriter::request`](super::MessageWriter::request) writes.
#[derive(Clone, Debug)]
pub struct RequestStart<'a> {
    /// Unique among the sender's outstanding requests on the connection.
    pub request_id: u32,
    /// Whether and when to answer.
    pub response: ResponseFlags,
    /// The object; in GIOP 1.0 and 1.1 an object key.
    pub target: TargetAddress<'a>,
    /// The operation name as in IDL.
    pub operation: &'a str,
    /// The service contexts.
    pub service_contexts: &'a [ServiceContext<'a>],
}

/// The header of a received Request (CORBA 3.3 part 2, 9.4.2.1).
///
/// ```text
/// GIOP 1.0, 1.1                           GIOP 1.2
/// +-------------------------------+       +-------------------------------+
/// | ServiceContextList            |       | ulong request_id              |
/// | ulong request_id              |       | octet response_flags          |
/// | boolean response_expected     |       | octet reserved[3]             |
/// | octet reserved[3] (1.1 only)  |       | TargetAddress target          |
/// | sequence<octet> object_key    |       | string operation              |
/// | string operation              |       | ServiceContextList            |
/// | sequence<octet> principal     |       | padding to 8 if a body follows|
/// +-------------------------------+       +-------------------------------+
/// | arguments: in, inout          |       | arguments: in, inout          |
/// +-------------------------------+       +-------------------------------+
/// ```
#[derive(Clone, Debug)]
pub struct RequestHeader<'a> {
    /// The id, which the reply repeats.
    pub request_id: u32,
    /// Whether and when to answer.
    pub response: ResponseFlags,
    /// The object.
    pub target: TargetAddress<'a>,
    /// The operation name.
    pub operation: OperationName<'a>,
    /// The service contexts.
    pub service_contexts: ServiceContexts<'a>,
}

impl<'a> RequestHeader<'a> {
    /// An empty header, to read a header into.
    pub const EMPTY: Self = Self {
        request_id: 0,
        response: ResponseFlags::NoResponse,
        target: TargetAddress::Key(&[]),
        operation: OperationName::EMPTY,
        service_contexts: ServiceContexts::NONE,
    };

    /// Reads the header of a whole message and leaves the reader at the first argument.
    ///
    /// # Errors
    /// `BadHeader`; `WrongKind` when `header` is not a Request's.
    pub fn read(
        message: &'a [u8],
        header: &MessageHeader,
    ) -> Result<(Self, CdrReader<'a>), ProtocolError> {
        let mut reader = CdrReader::new(message, header.order);
        let mut request = Self::EMPTY;
        // Only `read_with`, which all calls use, has the fast path.
        request.read_any(&mut reader, header)?;
        Ok((request, reader))
    }

    /// As [`read`](Self::read), into a header that is [empty](Self::EMPTY) and with a reader at the first
    /// octet of the message, which avoids moving both. Leaves the reader at the first argument.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    #[inline(always)] // with `find_target`, `dispatch`, `begin_request`: 5 % of a request
    pub fn read_with(
        &mut self,
        reader: &mut CdrReader<'a>,
        header: &MessageHeader,
    ) -> Result<(), ProtocolError> {
        if let Some(size) = self.read_plain(reader.rest(), header)
            && reader.take(size, "request header").is_ok()
        {
            return Ok(());
        }
        self.read_any(reader, header)
    }

    /// The request id and response flags, which have a fixed position in GIOP 1.2; `None` for earlier
    /// versions, and for a message that is too short.
    #[inline]
    pub fn peek(message: &[u8], header: &MessageHeader) -> Option<(u32, ResponseFlags)> {
        if header.kind != MessageKind::Request || header.version != GiopVersion::V1_2 {
            return None;
        }
        let [id @ .., flags] = message.get(HEADER_SIZE..)?.first_chunk::<5>()?;
        let id = u32::from_octets(*id, header.order);
        Some((id, ResponseFlags::from_octet(*flags, GiopVersion::V1_2)))
    }

    /// The fast path of most requests: GIOP 1.2, an object key, no service contexts, an operation in ASCII.
    /// Returns the offset of the first argument.
    #[inline(always)] // 2 % of a request
    fn read_plain(&mut self, message: &'a [u8], header: &MessageHeader) -> Option<usize> {
        if header.kind != MessageKind::Request || header.version != GiopVersion::V1_2 {
            return None;
        }
        let word = |octets: &[u8; 4]| u32::from_octets(*octets, header.order);
        let (fixed, rest) = message.split_first_chunk::<28>()?;
        let ([_, _, _, id, flags, [t0, t1, ..], count], []) = fixed.as_chunks::<4>() else {
            return None;
        };
        // The slow path handles octets after the message.
        if message.len() != header.total_size() || [*t0, *t1] != [0; 2] {
            return None;
        }
        let size = word(count) as usize;
        let (key, rest) = rest.split_at_checked(size)?;
        let (count, rest) = rest.get(size.wrapping_neg() % 4..)?.split_first_chunk::<4>()?;
        let size = word(count) as usize;
        let (name, rest) = rest.split_at_checked(size)?;
        let (contexts, rest) = rest.get(size.wrapping_neg() % 4..)?.split_first_chunk::<4>()?;
        let (0, name) = name.split_last()? else { return None };
        if *contexts != [0; 4] {
            return None;
        }
        self.operation = OperationName::of_ascii(name)?;
        self.target = TargetAddress::Key(key);
        self.request_id = word(id);
        self.response = ResponseFlags::from_octet(flags[0], GiopVersion::V1_2);
        let end = message.len() - rest.len();
        Some(end.next_multiple_of(8).min(message.len()))
    }

    #[inline(never)]
    fn read_any(
        &mut self,
        reader: &mut CdrReader<'a>,
        header: &MessageHeader,
    ) -> Result<(), ProtocolError> {
        let mut fields = open(reader.rest(), header, MessageKind::Request)?;
        let read = match header.version {
            GiopVersion::V1_2 => Self::read_1_2(&mut fields),
            version => Self::read_1_0(&mut fields, version),
        };
        *reader = fields;
        *self = read.map_err(|cause| ProtocolError::header(MessageKind::Request, cause))?;
        Ok(())
    }

    fn read_1_2(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        let request_id = reader.read_u32()?;
        let response = ResponseFlags::from_octet(reader.read_u8()?, GiopVersion::V1_2);
        reader.take(3, "reserved")?;
        let target = TargetAddress::read(reader)?;
        let operation = OperationName::read(reader)?;
        let service_contexts = ServiceContexts::read(reader)?;
        if reader.remaining() > 0 {
            reader.align(8);
        }
        Ok(Self { request_id, response, target, operation, service_contexts })
    }

    #[cold]
    fn read_1_0(reader: &mut CdrReader<'a>, version: GiopVersion) -> CdrResult<Self> {
        let service_contexts = ServiceContexts::read(reader)?;
        let request_id = reader.read_u32()?;
        let response = ResponseFlags::from_octet(reader.read_u8()?, version);
        if version == GiopVersion::V1_1 {
            reader.take(3, "reserved")?;
        }
        let target = TargetAddress::Key(reader.read_octets()?);
        let operation = OperationName::read(reader)?;
        reader.read_octets()?;
        Ok(Self { request_id, response, target, operation, service_contexts })
    }
}

pub(super) fn write_request(
    start: &RequestStart<'_>,
    version: GiopVersion,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    if version == GiopVersion::V1_2 {
        writer.write_u32(start.request_id);
        writer.put(&[start.response.to_octet(version), 0, 0, 0]);
        start.target.write(writer)?;
        writer.write_latin1(start.operation)?;
        return write_contexts(start.service_contexts, writer);
    }
    write_request_1_0(start, version, writer)
}

/// [`write_request`] for GIOP 1.0 and 1.1.
#[cold]
fn write_request_1_0(
    start: &RequestStart<'_>,
    version: GiopVersion,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let TargetAddress::Key(key) = start.target else {
        return Err(writer.error(CdrErrorKind::Unsupported, "target address before GIOP 1.2"));
    };
    write_contexts(start.service_contexts, writer)?;
    writer.write_u32(start.request_id);
    writer.write_u8(start.response.to_octet(version));
    if version == GiopVersion::V1_1 {
        writer.put(&[0; 3]);
    }
    writer.write_octets(key)?;
    writer.write_latin1(start.operation)?;
    writer.write_octets(&[])
}

/// Pads the empty principal at the end of `buffer`, so that the arguments begin at an offset of `phase`
/// modulo 8. Receivers ignore the principal.
pub(super) fn fill_principal(buffer: &mut Vec<u8>, phase: u8, order: ByteOrder) -> CdrResult<()> {
    let count = (usize::from(phase) + 8 - buffer.len() % 8) % 8;
    buffer.truncate(buffer.len().saturating_sub(4));
    let mut writer = CdrWriter::resume(buffer, order);
    writer.write_octets([0; 8].get(..count).unwrap_or_default())?;
    writer.finish()
}

/// The error of arguments that would be aligned differently than in the message they come from.
#[cold]
pub(crate) fn unaligned(at: usize) -> CdrError {
    CdrError::new(CdrErrorKind::Unsupported, at, "alignment of the arguments")
}
