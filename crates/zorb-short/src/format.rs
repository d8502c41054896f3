//! The format of message headers.

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Number};
use zorb_giop::{
    Abbreviation, MessageHeader, MessageKind, OperationName, ProtocolError, ProtocolErrorKind,
    RequestHeader, ResponseFlags, ServiceContexts, TargetAddress,
};

/// The size of a message header in octets.
pub const HEADER_SIZE: u8 = 4;

/// The maximum size of a message after its header: 256 MiB minus 1 octet.
pub const MAX_SIZE: u32 = (1 << 28) - 1;

/// The offset of the octet `how`.
pub(crate) const HOW_AT: usize = 8;
/// The offset of the index.
pub(crate) const INDEX_AT: usize = 9;

/// The bits of `how` with the response flags of GIOP 1.2.
const RESPONSE: u8 = 0b0011;
/// The bits of `how` that select how object and operation are given.
const NAMING: u8 = 0b1100;
const IN_FULL: u8 = 0;
const INTRODUCED: u8 = 0b0100;
pub(crate) const BY_INDEX: u8 = 0b1000;

/// The start of a Request, before the names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning {
    pub(crate) request_id: u32,
    pub(crate) response: ResponseFlags,
    pub(crate) abbreviation: Abbreviation,
}

impl Beginning {
    pub(crate) fn write(self, writer: &mut CdrWriter<'_>) {
        let (naming, index) = match self.abbreviation {
            Abbreviation::InFull => (IN_FULL, 0),
            Abbreviation::Introduce(index) => (INTRODUCED, index),
            Abbreviation::Index(index) => (BY_INDEX, index),
        };
        writer.write_u32(self.request_id);
        writer.put(&[self.response as u8 | naming, index]);
    }

    pub(crate) fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let request_id = reader.read_u32()?;
        let (how, index) = (reader.read_u8()?, reader.read_u8()?);
        let response = response(how);
        let abbreviation = match how & !RESPONSE {
            IN_FULL => Some(Abbreviation::InFull),
            INTRODUCED => Some(Abbreviation::Introduce(index)),
            BY_INDEX => Some(Abbreviation::Index(index)),
            _ => None,
        };
        match (response, abbreviation) {
            (Some(response), Some(abbreviation)) => Ok(Self { request_id, response, abbreviation }),
            _ => Err(reader.error(CdrErrorKind::BadEnum, "the addressing bits of a request")),
        }
    }
}

/// The response flags in the octet `how`.
pub(crate) fn response(how: u8) -> Option<ResponseFlags> {
    match how & RESPONSE {
        0 => Some(ResponseFlags::NoResponse),
        1 => Some(ResponseFlags::SyncWithServer),
        3 => Some(ResponseFlags::SyncWithTarget),
        _ => None,
    }
}

/// Whether a request with this octet `how` has only an index.
pub(crate) fn is_by_index(how: u8) -> bool {
    how & !RESPONSE == BY_INDEX
}

/// Whether a request with this octet `how` introduces an index.
pub(crate) fn introduces(how: u8) -> bool {
    how & NAMING == INTRODUCED
}

/// Reads the header of a request that contains object key and operation.
pub(crate) fn read_request<'a>(reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
    let Beginning { request_id, response, abbreviation } = Beginning::read(reader)?;
    if let Abbreviation::Index(_) = abbreviation {
        return Err(reader.error(CdrErrorKind::BadEnum, "an index that was not introduced"));
    }
    Ok(RequestHeader {
        request_id,
        response,
        target: TargetAddress::Key(reader.read_octets()?),
        operation: OperationName::read(reader)?,
        service_contexts: ServiceContexts::NONE,
    })
}

pub(crate) fn octets(order: ByteOrder, word: u32) -> [u8; 4] {
    word.to_octets(order)
}

pub(crate) fn word(order: ByteOrder, octets: &[u8; 4]) -> u32 {
    u32::from_octets(*octets, order)
}

/// A reader after the header of a whole message of the expected kind, limited to its end.
#[cold]
pub(crate) fn begin_reading<'a>(
    message: &'a [u8],
    header: &MessageHeader,
    expected: MessageKind,
) -> Result<CdrReader<'a>, ProtocolError> {
    if header.kind != expected {
        return Err(ProtocolErrorKind::WrongKind { expected, found: header.kind }.into());
    }
    let whole = usize::from(HEADER_SIZE).saturating_add(header.size as usize);
    let mut reader = CdrReader::new(message.get(..whole).unwrap_or(message), header.order);
    let own = reader.take(HEADER_SIZE.into(), "message header");
    own.map_err(|cause| bad_header(expected, cause))?;
    Ok(reader)
}

#[cold]
pub(crate) fn bad_header(message: MessageKind, cause: CdrError) -> ProtocolError {
    ProtocolErrorKind::BadHeader { message, cause }.into()
}
