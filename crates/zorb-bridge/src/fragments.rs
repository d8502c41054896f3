//! Requests whose first fragment is too small for the whole header.

use std::sync::Arc;

use zorb_cdr::Number;
use zorb_giop::{
    Charge, GiopVersion, HEADER_SIZE, MessageBudget, MessageHeader, ProtocolError,
    ProtocolErrorKind,
};

use crate::relay::MAX_HEAD;

/// The octets before the data of a GIOP 1.2 Fragment.
const FRAGMENT_HEADER_SIZE: usize = HEADER_SIZE + 4;

/// The identity of a fragmented message: its request id; in GIOP 1.1, where only one is in progress
/// at a time, none.
pub(crate) fn fragment_id(header: &MessageHeader, request_id: u32) -> Option<u32> {
    (header.version >= GiopVersion::V1_2).then_some(request_id)
}

/// The identity in the header of a fragment; `None` if more octets are needed.
pub(crate) fn id_in(header: &MessageHeader, seen: &[u8]) -> Option<Option<u32>> {
    if header.version < GiopVersion::V1_2 {
        return Some(None);
    }
    let octets = seen.get(HEADER_SIZE..FRAGMENT_HEADER_SIZE)?.first_chunk()?;
    Some(Some(u32::from_octets(*octets, header.order)))
}

/// The fragments received so far of a request whose header is still incomplete.
#[derive(Debug)]
pub(crate) struct PendingRequest {
    pub(crate) id: Option<u32>,
    /// The number of messages before it.
    pub(crate) ordinal: u32,
    /// The header of the first fragment.
    header: MessageHeader,
    /// The fragments as received.
    fragments: Vec<u8>,
    /// The fragments reassembled into one message.
    joined: Vec<u8>,
    /// The number of octets of `joined` before the current fragment.
    before: usize,
    /// What is charged for the octets.
    charge: Charge,
}

impl PendingRequest {
    /// Starts with a complete first fragment, which follows `ordinal` messages.
    pub(crate) fn begin(
        header: &MessageHeader,
        fragment: &[u8],
        ordinal: u32,
        budget: &Arc<MessageBudget>,
    ) -> Result<Self, ProtocolError> {
        let id = id_in(header, fragment).ok_or(ProtocolErrorKind::BadFragment)?;
        let mut charge = Charge::to(Arc::clone(budget));
        charge_octets(&mut charge, fragment.len() * 2)?;
        let (mut fragments, mut joined) = (Vec::new(), Vec::new());
        append(&mut fragments, fragment)?;
        append(&mut joined, fragment)?;
        Ok(Self { id, ordinal, header: *header, fragments, before: joined.len(), joined, charge })
    }

    /// The header of the message, with the size reassembled so far.
    pub(crate) fn header(&self) -> MessageHeader {
        let size = u32::try_from(self.joined.len().saturating_sub(HEADER_SIZE));
        MessageHeader { size: size.unwrap_or(u32::MAX), ..self.header }
    }

    pub(crate) fn joined(&self) -> &[u8] {
        &self.joined
    }

    /// Appends the available octets of a fragment, to examine the header.
    pub(crate) fn append(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
    ) -> Result<(), ProtocolError> {
        let matches = self.header.version == header.version && self.header.order == header.order;
        // In GIOP 1.1 each fragment is aligned separately; no header field needs more than this.
        let aligned = header.version >= GiopVersion::V1_2 || self.before.is_multiple_of(4);
        if !matches || !aligned {
            return Err(ProtocolErrorKind::BadFragment.into());
        }
        let skipped =
            if header.version < GiopVersion::V1_2 { HEADER_SIZE } else { FRAGMENT_HEADER_SIZE };
        self.charge_more(seen.len())?;
        append(&mut self.joined, seen.get(skipped..).unwrap_or_default())
    }

    /// Discards the current fragment, which will be examined again.
    pub(crate) fn take_back(&mut self) {
        self.joined.truncate(self.before);
        self.charge.reduce(self.fragments.len() + self.joined.len());
    }

    fn charge_more(&mut self, octets: usize) -> Result<(), ProtocolError> {
        charge_octets(&mut self.charge, self.fragments.len() + self.joined.len() + octets)
    }

    /// Keeps the current fragment, which is complete but does not complete the header.
    pub(crate) fn store(&mut self, fragment: &[u8]) -> Result<(), ProtocolError> {
        self.charge_more(fragment.len())?;
        append(&mut self.fragments, fragment)?;
        self.before = self.joined.len();
        if self.fragments.len() > MAX_HEAD {
            let (size, limit) = (self.fragments.len() as u64, MAX_HEAD);
            return Err(ProtocolErrorKind::MessageTooLarge { size, limit }.into());
        }
        Ok(())
    }

    /// All fragments except the current one.
    pub(crate) fn into_fragments(self) -> Vec<u8> {
        self.fragments
    }
}

/// Appends octets, if there is memory for them.
fn append(to: &mut Vec<u8>, octets: &[u8]) -> Result<(), ProtocolError> {
    to.try_reserve(octets.len()).map_err(|_| ProtocolErrorKind::OutOfMemory(octets.len()))?;
    to.extend_from_slice(octets);
    Ok(())
}

fn charge_octets(charge: &mut Charge, octets: usize) -> Result<(), ProtocolError> {
    if charge.set(octets) { Ok(()) } else { Err(ProtocolErrorKind::OutOfMemory(octets).into()) }
}
