//! Reading the headers of requests from the receive buffer, without memory of their own.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult};
use zorb_giop::{
    AddressingDisposition, GiopVersion, HEADER_SIZE, MessageHeader, ProfileTag, ServiceContexts,
};

use crate::endpoint::Encoding;
use crate::profile;

/// The size of a GIOPlite header in octets.
const LITE_HEADER_SIZE: usize = 5;
/// `response_flags` of GIOPlite that ask for a reply before the servant runs.
const LITE_WITH_SERVER: u8 = 129;
/// NULs after the name of an operation in GIOPlite, at most.
const LITE_MAX_NULS: usize = 8;

/// Responses are expected if this bit of `response_flags` is set.
const RESPONSE: u8 = 1;
/// With both bits, a response has the results.
const RESULTS: u8 = 3;

/// A Request or LocateRequest (CORBA 3.3 part 2, 9.4.2 and 9.4.5). `zorb_giop::RequestHeader` documents the layout; that
/// type allocates for targets that are references, and for names that are not ASCII.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) id: u32,
    pub(crate) answer: Expected,
    /// `None` if the target is a whole reference. Then operation and arguments have not been read.
    pub(crate) key: Option<&'a [u8]>,
    /// Empty in a LocateRequest.
    pub(crate) operation: &'a [u8],
    pub(crate) arguments: CdrReader<'a>,
}

/// What a client wants to get back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Nothing,
    /// A reply without results: a one-way call whose client waits for the server.
    Acknowledgement,
    Results,
}

impl<'a> Request<'a> {
    /// Reads the header of a whole Request.
    pub(crate) fn read(
        message: &'a [u8],
        header: &MessageHeader,
        encoding: Encoding,
    ) -> CdrResult<Self> {
        let mut reader = CdrReader::new(message, header.order).with_text(encoding.text());
        if encoding.is_lite() {
            return Self::read_lite(reader);
        }
        reader.take(HEADER_SIZE, "message header")?;
        if header.version != GiopVersion::V1_2 {
            return Self::read_1_0(reader, header.version);
        }
        let id = reader.read_u32()?;
        let answer = match reader.read_u8()? & RESULTS {
            RESULTS => Expected::Results,
            RESPONSE => Expected::Acknowledgement,
            _ => Expected::Nothing,
        };
        reader.take(3, "reserved")?;
        let Some(key) = read_target(&mut reader)? else {
            return Ok(Self { id, answer, key: None, operation: &[], arguments: reader });
        };
        // What has a NUL inside is the name of no operation.
        let Some((0, operation)) = reader.read_octets()?.split_last() else {
            return Err(reader.error(CdrErrorKind::BadString, "operation"));
        };
        ServiceContexts::read(&mut reader)?;
        if reader.remaining() > 0 {
            reader.align(8);
        }
        Ok(Self { id, answer, key: Some(key), operation, arguments: reader })
    }

    #[cold]
    fn read_1_0(mut reader: CdrReader<'a>, version: GiopVersion) -> CdrResult<Self> {
        ServiceContexts::read(&mut reader)?;
        let id = reader.read_u32()?;
        let answer = if reader.read_u8()? == 0 { Expected::Nothing } else { Expected::Results };
        if version == GiopVersion::V1_1 {
            reader.take(3, "reserved")?;
        }
        let key = reader.read_octets()?;
        let operation = reader.read_string_octets(u32::MAX, "operation")?;
        reader.read_octets()?;
        Ok(Self { id, answer, key: Some(key), operation, arguments: reader })
    }

    /// The layout is that of `zorb_giop::GiopLite`.
    fn read_lite(mut reader: CdrReader<'a>) -> CdrResult<Self> {
        reader.take(LITE_HEADER_SIZE, "message header")?;
        let id = reader.read_u32()?;
        let answer = match reader.read_u8()? {
            0 => Expected::Nothing,
            LITE_WITH_SERVER => Expected::Acknowledgement,
            _ => Expected::Results,
        };
        let key = reader.read_octets()?;
        let name = reader.read_octets()?;
        // Bridges align arguments with more NULs than the terminating one.
        let end = name.iter().rposition(|octet| *octet != 0).map_or(0, |last| last + 1);
        let (operation, nuls) = name.split_at_checked(end).unwrap_or_default();
        if nuls.is_empty() || nuls.len() > LITE_MAX_NULS {
            return Err(reader.error(CdrErrorKind::BadString, "operation"));
        }
        Ok(Self { id, answer, key: Some(key), operation, arguments: reader })
    }

    /// Reads a whole LocateRequest.
    pub(crate) fn read_locate(
        message: &'a [u8],
        header: &MessageHeader,
        encoding: Encoding,
    ) -> CdrResult<Self> {
        let mut reader = CdrReader::new(message, header.order);
        let is_lite = encoding.is_lite();
        reader.take(if is_lite { LITE_HEADER_SIZE } else { HEADER_SIZE }, "message header")?;
        let id = reader.read_u32()?;
        let key = match header.version {
            GiopVersion::V1_2 if !is_lite => read_target(&mut reader)?,
            _ => Some(reader.read_octets()?),
        };
        Ok(Self { id, answer: Expected::Results, key, operation: &[], arguments: reader })
    }
}

/// The object key of a target; `None` for a whole reference, which is not read.
fn read_target<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Option<&'a [u8]>> {
    match AddressingDisposition::from_short(reader.read_i16()?) {
        Some(AddressingDisposition::KeyAddr) => reader.read_octets().map(Some),
        Some(AddressingDisposition::ProfileAddr) => {
            let tag = ProfileTag(reader.read_u32()?);
            let profile = reader.read_octets()?;
            // No object has an empty key.
            let key = profile::object_key(tag, profile)?;
            Ok(Some(key.unwrap_or_default()))
        }
        Some(AddressingDisposition::ReferenceAddr) => Ok(None),
        None => Err(reader.error(CdrErrorKind::BadDiscriminator, "target address")),
    }
}
