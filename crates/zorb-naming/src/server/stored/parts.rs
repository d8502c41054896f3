//! The parts of a reference: what it has in common with others, and what is its own.
//!
//! References of one server to objects of one interface differ in their object keys, and in the lengths that depend on
//! them. All else, type id and addresses above all, is the common part:
//!
//! ```text
//! +----------------------+----------------------------------------------+------------------------------------+
//! | number of own pieces | the length of the piece before each own one  | the common pieces, one by one      |
//! +----------------------+----------------------------------------------+------------------------------------+
//! ```
//!
//! The own part is the own pieces, each with its length before it. Numbers are those of the [stored](super) form.

use std::ops::Range;

use zorb::giop::{ProfileTag, iiop_object_key};

use super::{Parser, push_number};

/// The common part of any octets, and their own part. [`join`] is the inverse.
pub(crate) fn split(octets: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let ranges = own_pieces(octets);
    let (mut common, mut own) = (Vec::new(), Vec::new());
    push_number(&mut common, ranges.len());
    let mut end = 0;
    for range in &ranges {
        push_number(&mut common, range.start - end);
        end = range.end;
        push_number(&mut own, range.len());
        own.extend_from_slice(octets.get(range.clone()).unwrap_or_default());
    }
    let starts = std::iter::once(0).chain(ranges.iter().map(|range| range.end));
    let ends = ranges.iter().map(|range| range.start).chain([octets.len()]);
    for (start, end) in starts.zip(ends) {
        common.extend_from_slice(octets.get(start..end).unwrap_or_default());
    }
    (common, own)
}

/// The octets with these parts.
pub(crate) fn join(common: &[u8], own: &[u8]) -> Vec<u8> {
    let mut octets = Vec::with_capacity(common.len() + own.len());
    take_pieces(common, own, |piece| octets.extend_from_slice(piece));
    octets
}

/// Calls `take` with the pieces of the octets with these parts, one after the other.
pub(crate) fn take_pieces<'p>(common: &'p [u8], own: &'p [u8], mut take: impl FnMut(&'p [u8])) {
    let (mut lengths, mut own) = (Parser(common), Parser(own));
    let count = lengths.number().unwrap_or(0);
    let mut pieces = lengths;
    for _ in 0..count {
        pieces.number();
    }
    for _ in 0..count {
        let length = lengths.number().unwrap_or(0);
        let (piece, rest) = pieces.0.split_at_checked(length).unwrap_or((pieces.0, &[]));
        take(piece);
        pieces = Parser(rest);
        take(own.octets().unwrap_or_default());
    }
    take(pieces.0);
}

/// What is a reference's own: of each profile its length, and the object key; of profiles whose object key cannot be
/// found, everything. Ascending; none if the octets are not a reference.
fn own_pieces(octets: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut parser = Parser(octets);
    let position = |parser: &Parser<'_>| octets.len() - parser.0.len();
    let count = parser.text().and_then(|_| parser.number()).unwrap_or(0);
    for _ in 0..count {
        let Some(tag) = parser.number() else { break };
        let start = position(&parser);
        let Some(data) = parser.octets() else { break };
        let end = position(&parser);
        let key = match tag == ProfileTag::INTERNET_IOP.0 as usize {
            true => iiop_object_key(data).ok(),
            false => None,
        };
        match key {
            Some(key) => {
                // The key is a part of the data.
                let key_start = end - data.len() + (key.as_ptr().addr() - data.as_ptr().addr());
                pieces.push(start..end - data.len());
                pieces.push(key_start..key_start + key.len());
            }
            None => pieces.push(start..end),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::*;
    use zorb::cdr::ByteOrder;
    use zorb::giop::{GiopVersion, IiopProfile, Ior, TaggedProfile};

    fn iiop(host: &str, key: &[u8]) -> TaggedProfile {
        let profile = IiopProfile {
            version: GiopVersion::V1_2,
            host: host.to_owned(),
            port: 2809,
            object_key: key.to_vec(),
            components: Vec::new(),
        };
        profile.encode(ByteOrder::Big).unwrap()
    }

    fn reference(profiles: Vec<TaggedProfile>) -> Vec<u8> {
        encode(&Ior { type_id: "IDL:Pump:1.0".into(), profiles })
    }

    #[test]
    fn parts_make_up_the_whole() {
        let other = |data: &[u8]| TaggedProfile { tag: ProfileTag(77), data: data.to_vec() };
        let long = vec![7; 300];
        for octets in [
            reference(Vec::new()),
            reference(vec![iiop("h", b"key")]),
            reference(vec![iiop("h", b""), other(b"x"), iiop("g", &long), other(&long)]),
            reference(vec![TaggedProfile { tag: ProfileTag::INTERNET_IOP, data: vec![9; 5] }]),
            Vec::new(),
            b"no reference".to_vec(),
            vec![0xff; 40],
            vec![0, 200, 1, 2],
        ] {
            let (common, own) = split(&octets);
            assert_eq!(join(&common, &own), octets);
        }
    }

    #[test]
    fn references_of_one_server_differ_in_their_own_part_only() {
        let common = |host: &str, key: &[u8]| split(&reference(vec![iiop(host, key)])).0;
        assert_eq!(common("h", b"1234"), common("h", b"abcd"));
        assert_ne!(common("h", b"1234"), common("g", b"1234"));
        let (_, own) = split(&reference(vec![iiop("a.long.name.example", b"1234")]));
        assert_eq!(own.len(), 2 + 5, "a length and a key, each with its length");
    }

    #[test]
    fn damaged_parts_are_joined_without_a_panic() {
        for (common, own) in [(&[200][..], &[][..]), (&[1, 90, 3], &[200, 1]), (&[], &[1, 2])] {
            join(common, own);
        }
    }
}
