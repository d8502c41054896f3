//! The header of the request that a buffer has: of the next one to the same operation of the same object only the id differs.

use zorb_giop::{GiopVersion, HEADER_SIZE, RequestStart, ResponseFlags};

use crate::endpoint::Encoding;

/// Where the object key begins in a Request of GIOP 1.2: id, flags, the kind of target and the length of the key precede it.
const KEY_AT: usize = HEADER_SIZE + 16;

/// A header that can be used again. Without it, a void call takes a tenth more instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    response: ResponseFlags,
    /// Octets of the object key, and of the name of the operation.
    key: usize,
    operation: usize,
    /// Where the header ends, and where the arguments begin.
    pub(crate) end: usize,
    pub(crate) body_start: usize,
}

impl Head {
    /// The header of a request that has been written; `None` if it is not of the usual kind.
    pub(crate) fn of(
        start: &RequestStart<'_>,
        (encoding, key): (Encoding, &[u8]),
        (end, body_start): (usize, usize),
    ) -> Option<Self> {
        let (response, operation) = (start.response, start.operation.len());
        let head = Self { response, key: key.len(), operation, end, body_start };
        is_usual(start, encoding).then_some(head)
    }

    /// Whether it is that of another request, but for the id.
    pub(crate) fn serves(
        &self,
        message: &[u8],
        start: &RequestStart<'_>,
        (encoding, key): (Encoding, &[u8]),
    ) -> bool {
        let name = start.operation.as_bytes();
        let has = |at: usize, octets: &[u8]| {
            message.get(at..).is_some_and(|rest| rest.starts_with(octets))
        };
        is_usual(start, encoding)
            && self.response == start.response
            && (self.key, self.operation) == (key.len(), name.len())
            && has(KEY_AT, key)
            // The name has its length before it, at a multiple of 4.
            && has(KEY_AT + ((key.len() + 3) & !3) + 4, name)
    }

    /// Sets the id.
    pub(crate) fn set_id(message: &mut [u8], id: u32) {
        if let Some(place) = message.get_mut(HEADER_SIZE..HEADER_SIZE + 4) {
            place.copy_from_slice(&id.to_ne_bytes());
        }
    }
}

/// Whether the header has the layout that is known here.
fn is_usual(start: &RequestStart<'_>, encoding: Encoding) -> bool {
    !encoding.is_lite()
        && encoding.version == GiopVersion::V1_2
        && start.service_contexts.is_empty()
}
