//! LocateRequest, LocateReply and CancelRequest.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{MessageHeader, MessageKind, TargetAddress, open};
use crate::{GiopVersion, ProtocolError};

/// A LocateRequest, which has no body (CORBA 3.3 part 2, 9.4.5.1).
///
/// ```text
/// GIOP 1.0, 1.1                           GIOP 1.2
/// +-------------------------------+       +-------------------------------+
/// | ulong request_id              |       | ulong request_id              |
/// | sequence<octet> object_key    |       | TargetAddress target          |
/// +-------------------------------+       +-------------------------------+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocateRequestHeader<'a> {
    /// The id. Requests and LocateRequests share the same ids.
    pub request_id: u32,
    /// The object to locate.
    pub target: TargetAddress<'a>,
}

impl<'a> LocateRequestHeader<'a> {
    /// Reads a whole LocateRequest.
    ///
    /// # Errors
    /// `BadHeader`; `WrongKind` when `header` is not a LocateRequest's.
    pub fn read(message: &'a [u8], header: &MessageHeader) -> Result<Self, ProtocolError> {
        let mut reader = open(message, header, MessageKind::LocateRequest)?;
        Self::read_from(&mut reader, header.version)
            .map_err(|cause| ProtocolError::header(MessageKind::LocateRequest, cause))
    }

    fn read_from(reader: &mut CdrReader<'a>, version: GiopVersion) -> CdrResult<Self> {
        let request_id = reader.read_u32()?;
        let target = match version {
            GiopVersion::V1_2 => TargetAddress::read(reader)?,
            _ => TargetAddress::Key(reader.read_octets()?),
        };
        Ok(Self { request_id, target })
    }
}

pub(super) fn write_locate_request(
    request_id: u32,
    target: &TargetAddress<'_>,
    version: GiopVersion,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    writer.write_u32(request_id);
    match (version, target) {
        (GiopVersion::V1_2, target) => target.write(writer),
        (_, TargetAddress::Key(key)) => writer.write_octets(key),
        _ => Err(writer.error(CdrErrorKind::Unsupported, "target address before GIOP 1.2")),
    }
}

/// The result of a LocateRequest (`GIOP::LocateStatusType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum LocateStatus {
    /// The server does not know the object.
    UnknownObject = 0,
    /// The server accepts requests for the object.
    ObjectHere = 1,
    /// The body is the reference to use instead.
    ObjectForward = 2,
    /// As `ObjectForward`, permanently. GIOP 1.2 only.
    ObjectForwardPerm = 3,
    /// The body is a system exception. GIOP 1.2 only.
    LocSystemException = 4,
    /// The body is a `short`: the [`AddressingDisposition`](super::AddressingDisposition) to use.
    /// GIOP 1.2 only.
    LocNeedsAddressingMode = 5,
}

impl LocateStatus {
    /// The status with this number on the wire.
    pub const fn from_ulong(value: u32) -> Option<Self> {
        Some(match value {
            0 => Self::UnknownObject,
            1 => Self::ObjectHere,
            2 => Self::ObjectForward,
            3 => Self::ObjectForwardPerm,
            4 => Self::LocSystemException,
            5 => Self::LocNeedsAddressingMode,
            _ => return None,
        })
    }
}

/// The header of a LocateReply, the same in all versions (CORBA 3.3 part 2, 9.4.6.1).
///
/// ```text
/// +------------------+---------------------+--------------------------------------+
/// | ulong request_id | ulong locate_status | body by status, without 8-alignment  |
/// +------------------+---------------------+--------------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocateReplyHeader {
    /// The id of the LocateRequest.
    pub request_id: u32,
    /// The result, which determines the body.
    pub status: LocateStatus,
}

impl LocateReplyHeader {
    /// Reads the header of a whole message and leaves the reader at the body.
    ///
    /// # Errors
    /// `BadHeader`; `WrongKind` when `header` is not a LocateReply's.
    pub fn read<'a>(
        message: &'a [u8],
        header: &MessageHeader,
    ) -> Result<(Self, CdrReader<'a>), ProtocolError> {
        let mut reader = open(message, header, MessageKind::LocateReply)?;
        match Self::read_from(&mut reader) {
            Ok(reply) => Ok((reply, reader)),
            Err(cause) => Err(ProtocolError::header(MessageKind::LocateReply, cause)),
        }
    }

    pub(crate) fn read_from(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let request_id = reader.read_u32()?;
        let status = LocateStatus::from_ulong(reader.read_u32()?)
            .ok_or_else(|| reader.error(CdrErrorKind::BadEnum, "locate_status"))?;
        Ok(Self { request_id, status })
    }
}

pub(super) fn write_locate_reply(
    request_id: u32,
    status: LocateStatus,
    version: GiopVersion,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    if version < GiopVersion::V1_2 && status as u32 > LocateStatus::ObjectForward as u32 {
        return Err(writer.error(CdrErrorKind::Unsupported, "locate_status before GIOP 1.2"));
    }
    writer.write_u32(request_id);
    writer.write_u32(status as u32);
    Ok(())
}

/// A CancelRequest: the sender no longer waits for an answer (CORBA 3.3 part 2, 9.4.4).
///
/// ```text
/// +------------------+
/// | ulong request_id |
/// +------------------+
/// ```
///
/// It is advisory: the server may answer nevertheless, and an unknown id is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancelRequest {
    /// The id of the Request or LocateRequest.
    pub request_id: u32,
}

impl CancelRequest {
    /// Reads a whole CancelRequest.
    ///
    /// # Errors
    /// `BadHeader`; `WrongKind` when `header` is not a CancelRequest's.
    pub fn read(message: &[u8], header: &MessageHeader) -> Result<Self, ProtocolError> {
        let mut reader = open(message, header, MessageKind::CancelRequest)?;
        let request_id = reader
            .read_u32()
            .map_err(|cause| ProtocolError::header(MessageKind::CancelRequest, cause))?;
        Ok(Self { request_id })
    }
}
