//! GIOPlite, GIOP for peers that need no more than it says.

use alloc::borrow::Cow;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{Frame, Messaging, write_key};
use crate::{
    MessageKind, OperationName, ProtocolErrorKind, RequestHeader, RequestStart, ResponseFlags,
    ServiceContexts, TargetAddress,
};

/// Octets of a GIOPlite header.
const HEADER_SIZE: u8 = 5;
/// Where a request's id is.
const ID_AT: u8 = 8;
/// `response_flags` of a two-way call.
const TWO_WAY: u8 = 1;
/// `response_flags` of a oneway call that is answered before the servant runs.
const WITH_SERVER: u8 = 129;

/// The most NULs that an operation's name may end with: one, and seven by which a bridge aligns
/// arguments that it does not read.
const MOST_NULS: usize = 8;

/// GIOPlite, as TAO defined it for embedded systems: no magic number, no version, no flags, no
/// service contexts, and so 7 octets less before the fields of a message, which lie closer as well.
///
/// ```text
/// +--------------------+------------+---------
/// | ulong message_size | octet type | fields, arguments or results
/// +--------------------+------------+---------
/// ```
///
/// The size counts what follows the type. Everything is in the sender's native byte order, which
/// nothing tells: both sides must have the same. Nothing tells either that it is GIOPlite that is
/// spoken: a server says so with the scheme of its endpoint. Text is UTF-8 and UTF-16.
///
/// A Request is `ulong` id, `octet` response_flags (0: no reply; 129: before the servant runs; else
/// after it), `sequence<octet>` object key, `string` operation, arguments. Behind the operation's name up
/// to seven further NULs are passed over: bridges put them there. A Reply is `ulong` id,
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
            return Err(ProtocolErrorKind::BadFrame("a GIOPlite header cut short"));
        };
        if [s0, s1, s2, s3] == *b"GIOP" {
            return Err(ProtocolErrorKind::BadFrame("GIOP where GIOPlite is spoken"));
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

    /// Further NULs behind the operation's name do it.
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
        writer.put([0; MOST_NULS].get(..nuls).unwrap_or_default());
        Ok(())
    }

    fn read_request<'a>(&self, reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
        Ok(RequestHeader {
            request_id: reader.read_u32()?,
            response: match reader.read_u8()? {
                0 => ResponseFlags::NoResponse,
                WITH_SERVER => ResponseFlags::SyncWithServer,
                _ => ResponseFlags::SyncWithTarget,
            },
            target: TargetAddress::Key(reader.read_octets()?),
            operation: read_operation(reader)?,
            service_contexts: ServiceContexts::NONE,
        })
    }
}

fn write_before_operation(start: &RequestStart<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_u32(start.request_id);
    writer.write_u8(flags(start.response));
    write_key(&start.target, writer)
}

fn flags(response: ResponseFlags) -> u8 {
    match response {
        ResponseFlags::NoResponse => 0,
        ResponseFlags::SyncWithServer => WITH_SERVER,
        ResponseFlags::SyncWithTarget => TWO_WAY,
    }
}

/// Reads an operation's name, behind which there may be more NULs than one.
fn read_operation<'a>(reader: &mut CdrReader<'a>) -> CdrResult<OperationName<'a>> {
    let octets = reader.read_octets()?;
    // Mostly there is one.
    if let Some((0, name)) = octets.split_last()
        && let Some(name) = OperationName::of_ascii(name)
    {
        return Ok(name);
    }
    let length = octets.iter().rposition(|octet| *octet != 0).map_or(0, |last| last + 1);
    let (name, nuls) = octets.split_at_checked(length).unwrap_or_default();
    if nuls.is_empty() || nuls.len() > MOST_NULS || name.contains(&0) {
        return Err(reader.error(CdrErrorKind::BadString, "operation"));
    }
    let latin1 = || -> Cow<'_, str> { name.iter().map(|octet| char::from(*octet)).collect() };
    Ok(OperationName::of_ascii(name).unwrap_or_else(|| latin1().into()))
}

#[cfg(test)]
mod tests;
