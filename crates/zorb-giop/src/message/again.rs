//! Requests that begin as the one before them did.
//!
//! Who calls an object again and again sends the same header again and again, but for the request's
//! id. Whether a buffer begins with it is seen in less time than writing it takes.

use zorb_cdr::ByteOrder;

use super::{HEADER_SIZE, MessageHeader, MessageKind, RequestStart, TargetAddress};
use crate::GiopVersion;

/// Where the size stands in a message's header: it is filled in at the end.
const SIZE_AT: usize = 8;

/// Where the header ends, if `buffer` begins with that of a request which is this one but for its id
/// and its size: in GIOP 1.2, to an object key, without service contexts.
#[inline]
pub(super) fn same_start(
    buffer: &[u8],
    version: GiopVersion,
    order: ByteOrder,
    start: &RequestStart<'_>,
) -> Option<usize> {
    let TargetAddress::Key(key) = start.target else { return None };
    if version != GiopVersion::V1_2 || !start.service_contexts.is_empty() {
        return None;
    }
    let kind = MessageKind::Request;
    let header = MessageHeader { version, order, more_fragments: false, kind, size: 0 };
    let [fixed @ .., _, _, _, _] = header.to_octets();
    let mut rest = Rest::of(buffer, order);
    rest.is(&fixed)?;
    // The size, and the id.
    rest.skip(HEADER_SIZE - SIZE_AT + 4)?;
    // Response flags and what is reserved; the kind of target, and what aligns the key behind it.
    rest.is(&[start.response as u8, 0, 0, 0, 0, 0, 0, 0])?;
    rest.is_count(key.len())?;
    rest.is(key)?;
    rest.is_padding()?;
    let name = start.operation.as_bytes();
    rest.is_count(name.len() + 1)?;
    rest.is(name)?;
    rest.is(&[0])?;
    rest.is_padding()?;
    rest.is_count(0)?;
    Some(rest.at)
}

/// Gives the request that `buffer` begins with another id.
#[inline]
pub(super) fn set_id(buffer: &mut [u8], order: ByteOrder, id: u32) {
    if let Some(place) = buffer.get_mut(HEADER_SIZE..HEADER_SIZE + 4) {
        place.copy_from_slice(&octets_of(order, id));
    }
}

#[inline]
pub(crate) fn octets_of(order: ByteOrder, word: u32) -> [u8; 4] {
    match order {
        ByteOrder::Little => word.to_le_bytes(),
        ByteOrder::Big => word.to_be_bytes(),
    }
}

/// What has not been compared yet. Nothing is the answer at the first difference.
pub(crate) struct Rest<'a> {
    octets: &'a [u8],
    pub(crate) at: usize,
    order: ByteOrder,
}

impl<'a> Rest<'a> {
    #[inline]
    pub(crate) fn of(octets: &'a [u8], order: ByteOrder) -> Self {
        Self { octets, at: 0, order }
    }

    #[inline]
    pub(crate) fn skip(&mut self, count: usize) -> Option<()> {
        self.octets = self.octets.get(count..)?;
        self.at += count;
        Some(())
    }

    #[inline]
    pub(crate) fn is(&mut self, expected: &[u8]) -> Option<()> {
        let found = self.octets.get(..expected.len())?;
        if found == expected { self.skip(expected.len()) } else { None }
    }

    #[inline]
    pub(crate) fn is_count(&mut self, count: usize) -> Option<()> {
        let count = u32::try_from(count).ok()?;
        let found = self.octets.first_chunk::<4>()?;
        if *found == octets_of(self.order, count) { self.skip(4) } else { None }
    }

    /// Zeros up to a multiple of four.
    #[inline]
    pub(crate) fn is_padding(&mut self) -> Option<()> {
        let count = self.at.next_multiple_of(4) - self.at;
        let padding = self.octets.get(..count)?;
        if padding.iter().all(|octet| *octet == 0) { self.skip(count) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use zorb_cdr::TextCoding;

    use super::*;
    use crate::{MessageWriter, ResponseFlags, ServiceContext, ServiceId};

    #[derive(Clone, Copy)]
    struct Case {
        version: GiopVersion,
        order: ByteOrder,
        key: &'static [u8],
        operation: &'static str,
        response: ResponseFlags,
        has_context: bool,
    }

    fn cases() -> Vec<Case> {
        let plain = Case {
            version: GiopVersion::V1_2,
            order: ByteOrder::Little,
            key: b"a key of some 24 octets.",
            operation: "nothing",
            response: ResponseFlags::SyncWithTarget,
            has_context: false,
        };
        let keys: [&[u8]; 3] = [b"", b"odd", b"a key of some 24 octets!"];
        let mut cases = Vec::from([
            plain,
            Case { version: GiopVersion::V1_1, ..plain },
            Case { version: GiopVersion::V1_0, ..plain },
            Case { order: ByteOrder::Big, ..plain },
            Case { response: ResponseFlags::NoResponse, ..plain },
            Case { has_context: true, ..plain },
        ]);
        cases.extend(keys.map(|key| Case { key, ..plain }));
        cases.extend(["a", "note", "nothin", "nothings"].map(|it| Case { operation: it, ..plain }));
        cases
    }

    fn write(buffer: &mut Vec<u8>, case: &Case, request_id: u32, body: &[u8]) {
        let contexts = [ServiceContext::new(ServiceId::CODE_SETS, &[1, 2, 3][..])];
        let start = RequestStart {
            request_id,
            response: case.response,
            target: TargetAddress::Key(case.key),
            operation: case.operation,
            service_contexts: if case.has_context { &contexts } else { &[] },
        };
        let message = MessageWriter::request(buffer, case.version, case.order, &start);
        let mut message = message.expect("it can be written");
        message.body(TextCoding::default()).put(body);
        message.finish().expect("it is short");
    }

    #[test]
    fn what_a_buffer_held_before_changes_nothing() {
        let cases = cases();
        for before in &cases {
            for case in &cases {
                for bodies in [[&b""[..], b"123456789"], [b"123456789", b""], [b"x", b"x"]] {
                    let (mut used, mut fresh) = (Vec::new(), Vec::new());
                    write(&mut used, before, 1, bodies[0]);
                    write(&mut used, case, 0x0102_0304, bodies[1]);
                    write(&mut fresh, case, 0x0102_0304, bodies[1]);
                    assert_eq!(used, fresh);
                }
            }
        }
    }

    #[test]
    fn the_same_request_is_found_and_no_other() {
        let cases = cases();
        for (held, before) in cases.iter().enumerate() {
            let mut buffer = Vec::new();
            write(&mut buffer, before, 1, b"body");
            let asked = cases.iter().enumerate().filter(|(_, case)| !case.has_context);
            for (asked, case) in asked {
                let start = RequestStart {
                    request_id: 2,
                    response: case.response,
                    target: TargetAddress::Key(case.key),
                    operation: case.operation,
                    service_contexts: &[],
                };
                let found = same_start(&buffer, case.version, case.order, &start);
                let is_newest = case.version == GiopVersion::V1_2;
                assert_eq!(found.is_some(), held == asked && is_newest, "{held} {asked}");
            }
            // Whatever is cut off or changed, it is another one.
            let Case { version, order, key, operation, response, .. } = *before;
            let target = TargetAddress::Key(key);
            let start =
                RequestStart { request_id: 2, response, target, operation, service_contexts: &[] };
            let Some(end) = same_start(&buffer, version, order, &start) else { continue };
            assert_eq!(same_start(&buffer[..end - 1], version, order, &start), None);
            for place in (0..end).filter(|place| !(8..16).contains(place)) {
                let mut other = buffer.clone();
                other[place] ^= 1;
                assert_eq!(same_start(&other, version, order, &start), None, "{place}");
            }
        }
    }
}
