//! Request: asks an object for an operation.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{MessageHeader, MessageKind, TargetAddress, open};
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
    #[inline]
    pub const fn expects_reply(self) -> bool {
        !matches!(self, Self::NoResponse)
    }

    /// The value of a received octet. Of 1.2's only the two defined bits count, and without bit 0
    /// there is no reply; in 1.0 and 1.1 every value but 0 means a reply, as peers use several.
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

/// What [`MessageWriter::request`](super::MessageWriter::request) puts before the arguments.
#[derive(Clone, Debug)]
pub struct RequestStart<'a> {
    /// Unique among the sender's outstanding requests on the connection.
    pub request_id: u32,
    /// Whether and when to answer.
    pub response: ResponseFlags,
    /// The object. GIOP 1.0 and 1.1 carry its key only.
    pub target: TargetAddress<'a>,
    /// The operation's name as IDL spells it.
    pub operation: &'a str,
    /// What services send along.
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
    /// What the reply must repeat.
    pub request_id: u32,
    /// Whether and when to answer.
    pub response: ResponseFlags,
    /// The object.
    pub target: TargetAddress<'a>,
    /// The operation's name; borrowed whenever it is ASCII, as IDL's names are.
    pub operation: Cow<'a, str>,
    /// What services sent along.
    pub service_contexts: ServiceContexts<'a>,
}

impl<'a> RequestHeader<'a> {
    /// Reads the header of a whole message and leaves the reader at the first argument.
    ///
    /// # Errors
    /// `BadHeader`; `WrongKind` when `header` is not a Request's.
    #[inline]
    pub fn read(
        message: &'a [u8],
        header: &MessageHeader,
    ) -> Result<(Self, CdrReader<'a>), ProtocolError> {
        let mut reader = open(message, header, MessageKind::Request)?;
        let read = match header.version {
            GiopVersion::V1_2 => Self::read_1_2(&mut reader),
            version => Self::read_1_0(&mut reader, version),
        };
        match read {
            Ok(request) => Ok((request, reader)),
            Err(cause) => Err(ProtocolError::header(MessageKind::Request, cause)),
        }
    }

    #[inline]
    fn read_1_2(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        let request_id = reader.read_u32()?;
        let response = ResponseFlags::from_octet(reader.read_u8()?, GiopVersion::V1_2);
        reader.take(3, "reserved")?;
        let target = TargetAddress::read(reader)?;
        let operation = reader.read_latin1("operation")?;
        let service_contexts = ServiceContexts::read(reader)?;
        if reader.remaining() > 0 {
            reader.align(8);
        }
        Ok(Self { request_id, response, target, operation, service_contexts })
    }

    fn read_1_0(reader: &mut CdrReader<'a>, version: GiopVersion) -> CdrResult<Self> {
        let service_contexts = ServiceContexts::read(reader)?;
        let request_id = reader.read_u32()?;
        let response = ResponseFlags::from_octet(reader.read_u8()?, version);
        if version == GiopVersion::V1_1 {
            reader.take(3, "reserved")?;
        }
        let target = TargetAddress::Key(reader.read_octets()?);
        let operation = reader.read_latin1("operation")?;
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

/// Makes the principal, which `buffer` ends with and is empty, so long that the arguments begin `phase`
/// octets behind a multiple of eight. Nobody reads a principal.
pub(super) fn fill_principal(buffer: &mut Vec<u8>, phase: u8, order: ByteOrder) -> CdrResult<()> {
    let count = (usize::from(phase) + 8 - buffer.len() % 8) % 8;
    buffer.truncate(buffer.len().saturating_sub(4));
    CdrWriter::resume(buffer, order).write_octets([0; 8].get(..count).unwrap_or_default())
}
