//! Requests in fragments so small that their headers are not in the first one.

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, HEADER_SIZE, MessageHeader, ProtocolError, ProtocolErrorKind};

use crate::relay::MOST_BEGINNING;

/// Octets before the data of a GIOP 1.2 Fragment.
const FRAGMENT_HEADER_SIZE: usize = HEADER_SIZE + 4;

/// What the parts of a fragmented message are known by: its id, and in GIOP 1.1, where there is one at
/// a time, nothing.
pub(crate) fn fragment_id(header: &MessageHeader, request_id: u32) -> Option<u32> {
    (header.version >= GiopVersion::V1_2).then_some(request_id)
}

/// The same out of the beginning of a part; `None` when it is not here.
pub(crate) fn id_in(header: &MessageHeader, seen: &[u8]) -> Option<Option<u32>> {
    if header.version < GiopVersion::V1_2 {
        return Some(None);
    }
    let octets = seen.get(HEADER_SIZE..FRAGMENT_HEADER_SIZE)?.first_chunk()?;
    Some(Some(match header.order {
        ByteOrder::Little => u32::from_le_bytes(*octets),
        ByteOrder::Big => u32::from_be_bytes(*octets),
    }))
}

/// The parts of a request that are here, and not enough to tell whom it is for.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) id: Option<u32>,
    /// Of the first part.
    header: MessageHeader,
    /// As they came.
    parts: Vec<u8>,
    /// As if there had been one.
    joined: Vec<u8>,
    /// Octets of `joined` before the part that is looked at.
    before: usize,
}

impl Held {
    /// From the whole first part.
    pub(crate) fn begin(header: &MessageHeader, part: &[u8]) -> Result<Self, ProtocolError> {
        let id = id_in(header, part).ok_or(ProtocolErrorKind::BadFragment)?;
        let (parts, joined) = (part.to_vec(), part.to_vec());
        Ok(Self { id, header: *header, parts, before: joined.len(), joined })
    }

    /// The header of the message as far as it is joined.
    pub(crate) fn header(&self) -> MessageHeader {
        let size = u32::try_from(self.joined.len().saturating_sub(HEADER_SIZE));
        MessageHeader { size: size.unwrap_or(u32::MAX), ..self.header }
    }

    pub(crate) fn joined(&self) -> &[u8] {
        &self.joined
    }

    /// Adds what is here of a part, for a look at it.
    pub(crate) fn append(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
    ) -> Result<(), ProtocolError> {
        let alike = self.header.version == header.version && self.header.order == header.order;
        // In GIOP 1.1 each part is aligned for itself; nothing in a header needs more than this.
        let aligned = header.version >= GiopVersion::V1_2 || self.before.is_multiple_of(4);
        if !alike || !aligned {
            return Err(ProtocolErrorKind::BadFragment.into());
        }
        let skipped =
            if header.version < GiopVersion::V1_2 { HEADER_SIZE } else { FRAGMENT_HEADER_SIZE };
        self.joined.extend_from_slice(seen.get(skipped..).unwrap_or_default());
        Ok(())
    }

    /// The part looked at will be looked at again.
    pub(crate) fn take_back(&mut self) {
        self.joined.truncate(self.before);
    }

    /// The whole part looked at was not enough.
    pub(crate) fn keep(&mut self, part: &[u8]) -> Result<(), ProtocolError> {
        self.parts.extend_from_slice(part);
        self.before = self.joined.len();
        if self.parts.len() > MOST_BEGINNING {
            let (size, limit) = (self.parts.len() as u64, MOST_BEGINNING);
            return Err(ProtocolErrorKind::MessageTooLarge { size, limit }.into());
        }
        Ok(())
    }

    /// All parts but the one looked at.
    pub(crate) fn into_parts(self) -> Vec<u8> {
        self.parts
    }
}
