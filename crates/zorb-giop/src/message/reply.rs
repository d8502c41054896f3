//! Reply: answers a Request.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Number};

use super::{HEADER_SIZE, MessageHeader, MessageKind, open};
use crate::service::write_contexts;
use crate::{GiopVersion, ProtocolError, ServiceContext, ServiceContexts};

/// The content of a Reply's body (`GIOP::ReplyStatusType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ReplyStatus {
    /// The result, then the inout and out arguments.
    NoException = 0,
    /// The repository id and the members of a user exception.
    UserException = 1,
    /// Repository id, minor code and completion status of a system exception.
    SystemException = 2,
    /// The reference to which to send this request.
    LocationForward = 3,
    /// As `LocationForward`, for later requests too. GIOP 1.2 only.
    LocationForwardPerm = 4,
    /// A `short`: the [`AddressingDisposition`](super::AddressingDisposition) to use. GIOP 1.2 only.
    NeedsAddressingMode = 5,
}

impl ReplyStatus {
    /// The status with this number on the wire.
    #[inline]
    pub const fn from_ulong(value: u32) -> Option<Self> {
        Some(match value {
            0 => Self::NoException,
            1 => Self::UserException,
            2 => Self::SystemException,
            3 => Self::LocationForward,
            4 => Self::LocationForwardPerm,
            5 => Self::NeedsAddressingMode,
            _ => return None,
        })
    }
}

/// The header of a received Reply (CORBA 3.3 part 2, 9.4.3.1).
///
/// ```text
/// GIOP 1.0, 1.1                           GIOP 1.2
/// +-------------------------------+       +-------------------------------+
/// | ServiceContextList            |       | ulong request_id              |
/// | ulong request_id              |       | ulong reply_status            |
/// | ulong reply_status            |       | ServiceContextList            |
/// |                               |       | padding to 8 if a body follows|
/// +-------------------------------+       +-------------------------------+
/// | body by status                |       | body by status                |
/// +-------------------------------+       +-------------------------------+
/// ```
#[derive(Clone, Debug)]
pub struct ReplyHeader<'a> {
    /// The id of the request.
    pub request_id: u32,
    /// The content of the body.
    pub status: ReplyStatus,
    /// The service contexts.
    pub service_contexts: ServiceContexts<'a>,
}

impl<'a> ReplyHeader<'a> {
    /// Reads the header of a whole message and leaves the reader at the body.
    ///
    /// # Errors
    /// `BadHeader`; `WrongKind` when `header` is not a Reply's.
    pub fn read(
        message: &'a [u8],
        header: &MessageHeader,
    ) -> Result<(Self, CdrReader<'a>), ProtocolError> {
        let mut reader = open(message, header, MessageKind::Reply)?;
        match Self::read_from(&mut reader, header.version) {
            Ok(reply) => Ok((reply, reader)),
            Err(cause) => Err(ProtocolError::header(MessageKind::Reply, cause)),
        }
    }

    #[inline]
    fn read_from(reader: &mut CdrReader<'a>, version: GiopVersion) -> CdrResult<Self> {
        if version == GiopVersion::V1_2 {
            let request_id = reader.read_u32()?;
            let status = read_status(reader)?;
            let service_contexts = ServiceContexts::read(reader)?;
            if reader.remaining() > 0 {
                reader.align(8);
            }
            return Ok(Self { request_id, status, service_contexts });
        }
        let service_contexts = ServiceContexts::read(reader)?;
        let request_id = reader.read_u32()?;
        let status = read_status(reader)?;
        Ok(Self { request_id, status, service_contexts })
    }
}

/// The parts of a received Reply's header that a client needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyStart {
    /// The id of the request.
    pub request_id: u32,
    /// The content of the body.
    pub status: ReplyStatus,
    /// The offset of the body in the message.
    pub body_start: usize,
}

impl ReplyStart {
    /// Reads them from a whole message, and skips service contexts.
    ///
    /// # Errors
    /// As [`ReplyHeader::read`].
    #[inline]
    pub fn read(message: &[u8], header: &MessageHeader) -> Result<Self, ProtocolError> {
        match Self::read_plain(message, header) {
            Some(plain) => Ok(plain),
            None => Self::read_any(message, header),
        }
    }

    /// The fast path of most replies: GIOP 1.2 without service contexts, where all offsets are fixed.
    #[inline]
    fn read_plain(message: &[u8], header: &MessageHeader) -> Option<Self> {
        let words = message.get(HEADER_SIZE..)?.first_chunk::<12>()?;
        let ([id, status, contexts], []) = words.as_chunks::<4>() else { return None };
        let word = |octets: &[u8; 4]| u32::from_octets(*octets, header.order);
        let is_plain = header.kind == MessageKind::Reply
            && header.version == GiopVersion::V1_2
            && header.size as usize >= words.len()
            && *contexts == [0; 4];
        let status = ReplyStatus::from_ulong(word(status)).filter(|_| is_plain)?;
        // Offset 24 is aligned for any body.
        let body_start = HEADER_SIZE + words.len();
        Some(Self { request_id: word(id), status, body_start })
    }

    /// The service contexts of the reply in `message`, from which this was read. Messaging protocols other than
    /// GIOP have none.
    pub fn service_contexts<'a>(&self, message: &'a [u8], order: ByteOrder) -> ServiceContexts<'a> {
        // An empty list, id and status.
        if self.body_start <= HEADER_SIZE + 12 {
            return ServiceContexts::NONE;
        }
        let Some([b'G', b'I', b'O', b'P', _, minor, ..]) = message.get(..self.body_start) else {
            return ServiceContexts::NONE;
        };
        let before = HEADER_SIZE + if *minor >= 2 { 8 } else { 0 };
        let mut reader = CdrReader::new(message, order);
        let contexts =
            reader.take(before, "reply header").and_then(|_| ServiceContexts::read(&mut reader));
        contexts.unwrap_or(ServiceContexts::NONE)
    }

    #[inline(never)]
    fn read_any(message: &[u8], header: &MessageHeader) -> Result<Self, ProtocolError> {
        let (reply, body) = ReplyHeader::read(message, header)?;
        Ok(Self { request_id: reply.request_id, status: reply.status, body_start: body.offset() })
    }
}

#[inline]
fn read_status(reader: &mut CdrReader<'_>) -> CdrResult<ReplyStatus> {
    ReplyStatus::from_ulong(reader.read_u32()?)
        .ok_or_else(|| reader.error(CdrErrorKind::BadEnum, "reply_status"))
}

pub(super) fn write_reply(
    request_id: u32,
    status: ReplyStatus,
    contexts: &[ServiceContext<'_>],
    version: GiopVersion,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    if version == GiopVersion::V1_2 {
        writer.write_u32(request_id);
        writer.write_u32(status as u32);
        return write_contexts(contexts, writer);
    }
    if status as u32 > ReplyStatus::LocationForward as u32 {
        return Err(writer.error(CdrErrorKind::Unsupported, "reply_status before GIOP 1.2"));
    }
    write_contexts(contexts, writer)?;
    writer.write_u32(request_id);
    writer.write_u32(status as u32);
    Ok(())
}

/// The octets of a GIOP 1.2 Reply up to its body: the message header, then id, status and the number of
/// service contexts. The size is that of a reply without a body.
///
/// They are composed of words of eight octets: a send that follows immediately reads them in such words,
/// and smaller stores could not be forwarded to its loads.
#[inline]
pub(super) fn plain_reply(
    header: MessageHeader,
    request_id: u32,
    status: ReplyStatus,
) -> [u8; 2 * HEADER_SIZE] {
    let [m0, m1, m2, m3, major, minor, flags, kind, ..] = header.to_octets();
    let words = |first: u32, second: u32| {
        let (first, second) = (u64::from(first), u64::from(second));
        match header.order {
            ByteOrder::Little => (first | second << 32).to_le_bytes(),
            ByteOrder::Big => (first << 32 | second).to_be_bytes(),
        }
    };
    let begins = [m0, m1, m2, m3, major, minor, flags, kind];
    let parts = [begins, words(HEADER_SIZE as u32, request_id), words(status as u32, 0)];
    let mut octets = [0; 2 * HEADER_SIZE];
    octets.copy_from_slice(parts.as_flattened());
    octets
}
