//! GIOPlite, a smaller encoding of GIOP messages.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Number};

use super::{Frame, Messaging, frame, write_key};
use crate::{
    MessageHeader, MessageKind, OperationName, ProtocolError, ProtocolErrorKind, ReplyStart,
    ReplyStatus, RequestHeader, RequestStart, ResponseFlags, ServiceContexts, TargetAddress,
};

/// The size of a GIOPlite header in octets.
const HEADER_SIZE: u8 = 5;
/// The offset of the request id.
const ID_AT: u8 = 8;
/// The offset of a request's object key, after header, id, flags and the length of the key.
const BEFORE_KEY: usize = 20;
/// The offset of a reply's body, after header, id and status.
const REPLY: usize = 16;
/// `response_flags` of a two-way call.
const TWO_WAY: u8 = 1;
/// `response_flags` of a oneway call that is answered before the servant runs.
const WITH_SERVER: u8 = 129;

/// The maximum number of NULs after an operation name: the terminating one, and seven with which a bridge
/// aligns arguments that it does not decode.
const MAX_NULS: usize = 8;

/// GIOPlite, as TAO defined it for embedded systems: the header has no magic number, version or flags,
/// which saves 7 octets, and there are no service contexts.
///
/// ```text
/// +--------------------+------------+---------
/// | ulong message_size | octet type | fields, arguments or results
/// +--------------------+------------+---------
/// ```
///
/// The size is that of the octets after the type. All numbers are in the native byte order of the sender,
/// which the message does not contain: both peers must have the same. Nor does a message identify itself
/// as GIOPlite: the scheme of the server's endpoint implies it. Text is UTF-8 and UTF-16.
///
/// A Request is `ulong` id, `octet` response_flags (0: no reply; 129: a reply before the servant runs;
/// other values: a reply after it), `sequence<octet>` object key, `string` operation, arguments. Up to
/// seven more NULs after the operation name, which bridges insert, are skipped. A Reply is `ulong` id,
/// `ulong` status, results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GiopLite;

impl Messaging for GiopLite {
    fn name(&self) -> &'static str {
        "lite"
    }

    fn header_size(&self) -> u8 {
        HEADER_SIZE
    }

    fn read_header(&self, octets: &[u8]) -> Result<Frame, ProtocolErrorKind> {
        let Some(&[s0, s1, s2, s3, kind]) = octets.first_chunk() else {
            return Err(ProtocolErrorKind::BadFrame("a truncated GIOPlite header"));
        };
        if [s0, s1, s2, s3] == *b"GIOP" {
            return Err(ProtocolErrorKind::BadFrame("GIOP on a GIOPlite connection"));
        }
        let kind =
            MessageKind::from_octet(kind).ok_or(ProtocolErrorKind::UnknownMessageType(kind))?;
        let size = u32::from_ne_bytes([s0, s1, s2, s3]);
        Ok(Frame { kind, order: ByteOrder::NATIVE, size })
    }

    fn write_header(&self, frame: Frame, octets: &mut [u8]) {
        if let Some((kind, size)) = octets.split_last_mut() {
            *kind = frame.kind as u8;
            size.copy_from_slice(&frame.size.to_ne_bytes());
        }
    }

    fn write_request(&self, start: &RequestStart<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        write_before_operation(start, writer)?;
        writer.write_latin1(start.operation)
    }

    fn request_id_at(&self) -> Option<u8> {
        Some(ID_AT)
    }

    /// Aligns the arguments with more NULs after the operation name.
    fn write_request_before(
        &self,
        start: &RequestStart<'_>,
        phase: u8,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        write_before_operation(start, writer)?;
        let name = start.operation.as_bytes();
        if !name.is_ascii() || name.contains(&0) {
            return Err(writer.error(CdrErrorKind::BadText, "operation"));
        }
        let end = writer.offset().next_multiple_of(4) + 4 + name.len() + 1;
        let nuls = 1 + (usize::from(phase) + 8 - end % 8) % 8;
        writer.write_count(name.len() + nuls, "operation")?;
        writer.put(name);
        writer.put([0; MAX_NULS].get(..nuls).unwrap_or_default());
        Ok(())
    }

    fn read_request<'a>(&self, reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
        Ok(RequestHeader {
            request_id: reader.read_u32()?,
            response: response(reader.read_u8()?),
            target: TargetAddress::Key(reader.read_octets()?),
            operation: read_operation(reader)?,
            service_contexts: ServiceContexts::NONE,
        })
    }

    fn read_whole_request<'a>(
        &'a self,
        request: &mut RequestHeader<'a>,
        reader: &mut CdrReader<'a>,
        header: &MessageHeader,
    ) -> Result<(), ProtocolError> {
        if let Some(size) = read_plain_request(request, reader.rest(), header)
            && reader.take(size, "request header").is_ok()
        {
            return Ok(());
        }
        let kind = MessageKind::Request;
        *request = frame::read_fields(HEADER_SIZE, reader, header, kind, |r| self.read_request(r))?;
        Ok(())
    }

    fn begin_reply(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        status: ReplyStatus,
    ) -> CdrResult<()> {
        let octets = |word: u32| word.to_octets(order);
        // The header, padding, id and status.
        let words = [[0; 4], [0; 4], octets(request_id), octets(status as u32)];
        buffer.clear();
        buffer.extend_from_slice(words.as_flattened());
        Ok(())
    }

    fn read_reply_start(
        &self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<ReplyStart, ProtocolError> {
        if let Some(([_, _, id, status], [])) =
            message.first_chunk::<REPLY>().map(|it| it.as_chunks())
            && header.kind == MessageKind::Reply
            && header.size as usize >= REPLY - usize::from(HEADER_SIZE)
            && let Some(status) = ReplyStatus::from_ulong(word(header.order, status))
        {
            let request_id = word(header.order, id);
            return Ok(ReplyStart { request_id, status, body_start: REPLY });
        }
        frame::read_reply_start(HEADER_SIZE, message, header, |reader| self.read_reply(reader))
    }
}

fn write_before_operation(start: &RequestStart<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_u32(start.request_id);
    writer.write_u8(flags(start.response));
    write_key(&start.target, writer)
}

#[inline]
fn word(order: ByteOrder, octets: &[u8; 4]) -> u32 {
    u32::from_octets(*octets, order)
}

/// The fast path of most requests: a whole message, and an operation in ASCII. Returns the offset of the
/// arguments.
#[inline]
fn read_plain_request<'a>(
    request: &mut RequestHeader<'a>,
    message: &'a [u8],
    header: &MessageHeader,
) -> Option<usize> {
    let (fixed, rest) = message.split_first_chunk::<BEFORE_KEY>()?;
    let ([_, _, id, [flags, ..], count], []) = fixed.as_chunks::<4>() else { return None };
    let size = (header.size as usize).checked_add(HEADER_SIZE.into())?;
    if header.kind != MessageKind::Request || message.len() != size {
        return None;
    }
    let size = word(header.order, count) as usize;
    let (key, rest) = rest.split_at_checked(size)?;
    let (count, rest) = rest.get(size.wrapping_neg() % 4..)?.split_first_chunk::<4>()?;
    let (name, rest) = rest.split_at_checked(word(header.order, count) as usize)?;
    let (0, name) = name.split_last()? else { return None };
    request.operation = OperationName::of_ascii(name)?;
    request.target = TargetAddress::Key(key);
    request.request_id = word(header.order, id);
    request.response = response(*flags);
    Some(message.len() - rest.len())
}

fn response(flags: u8) -> ResponseFlags {
    match flags {
        0 => ResponseFlags::NoResponse,
        WITH_SERVER => ResponseFlags::SyncWithServer,
        _ => ResponseFlags::SyncWithTarget,
    }
}

fn flags(response: ResponseFlags) -> u8 {
    match response {
        ResponseFlags::NoResponse => 0,
        ResponseFlags::SyncWithServer => WITH_SERVER,
        ResponseFlags::SyncWithTarget => TWO_WAY,
    }
}

/// Reads an operation name, which may end with more than one NUL.
fn read_operation<'a>(reader: &mut CdrReader<'a>) -> CdrResult<OperationName<'a>> {
    let octets = reader.read_octets()?;
    // In most messages there is one.
    if let Some((0, name)) = octets.split_last()
        && let Some(name) = OperationName::of_ascii(name)
    {
        return Ok(name);
    }
    let length = octets.iter().rposition(|octet| *octet != 0).map_or(0, |last| last + 1);
    let (name, nuls) = octets.split_at_checked(length).unwrap_or_default();
    if nuls.is_empty() || nuls.len() > MAX_NULS || name.contains(&0) {
        return Err(reader.error(CdrErrorKind::BadString, "operation"));
    }
    if let Some(name) = OperationName::of_ascii(name) {
        return Ok(name);
    }
    let mut text = String::new();
    let reserved = text.try_reserve_exact(2 * name.len());
    reserved.map_err(|_| reader.error(CdrErrorKind::OutOfMemory, "operation"))?;
    text.extend(name.iter().map(|octet| char::from(*octet)));
    Ok(Cow::<str>::Owned(text).into())
}

#[cfg(test)]
mod tests;
