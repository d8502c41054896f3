//! Object references in memory and in the store.
//!
//! ```text
//! +------------------+---------+------------------+---------------------------------------------+
//! | length, variable | type id | number of profiles | for each: tag, length (variable), octets    |
//! +------------------+---------+------------------+---------------------------------------------+
//! ```
//!
//! Numbers have 7 bits in each octet, the lowest first; all octets but the last have the highest bit set. This takes
//! about 30 octets less than an encapsulation, and is written to a reply without decoding it. In memory, references of
//! the same server share [parts] of it.

pub(crate) mod parts;

use smallvec::SmallVec;
use zorb::giop::{Ior, ProfileTag, TaggedProfile};
use zorb::{CdrErrorKind, CdrResult, CdrWriter};

/// One reference in the stored form. Usual ones need no memory of their own, nor do usual names: allocating both took a
/// tenth of the instructions of `resolve`.
pub(crate) type StoredReference = SmallVec<[u8; 256]>;

/// The stored form of a reference; empty for nil.
pub(crate) fn encode(ior: &Ior) -> Vec<u8> {
    if ior.is_nil() {
        return Vec::new();
    }
    let profiles: usize = ior.profiles.iter().map(|profile| profile.data.len() + 10).sum();
    let mut octets = Vec::with_capacity(ior.type_id.len() + profiles + 4);
    push_number(&mut octets, ior.type_id.len());
    octets.extend_from_slice(ior.type_id.as_bytes());
    push_number(&mut octets, ior.profiles.len());
    for profile in &ior.profiles {
        push_number(&mut octets, profile.tag.0 as usize);
        push_number(&mut octets, profile.data.len());
        octets.extend_from_slice(&profile.data);
    }
    octets
}

/// The reference; `None` if the octets are not one.
pub(crate) fn decode(octets: &[u8]) -> Option<Ior> {
    if octets.is_empty() {
        return Some(Ior::NIL);
    }
    let mut parser = Parser(octets);
    let type_id = parser.text()?.to_owned();
    let count = parser.number()?;
    let mut profiles = Vec::new();
    for _ in 0..count {
        let (tag, data) = parser.profile()?;
        profiles.push(TaggedProfile { tag, data: data.to_vec() });
    }
    parser.0.is_empty().then_some(Ior { type_id, profiles })
}

/// Whether the octets are a reference, without allocating one: a start reads very many of them.
pub(crate) fn is_reference(octets: &[u8]) -> bool {
    let mut parser = Parser(octets);
    let mut rest = || {
        parser.text()?;
        for _ in 0..parser.number()? {
            parser.profile()?;
        }
        Some(parser.0.len())
    };
    octets.is_empty() || rest() == Some(0)
}

/// Writes the reference as a result.
///
/// # Errors
/// `BadReference` if the octets are not a reference, which [`is_reference`] has excluded before.
pub(crate) fn write(octets: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    if octets.is_empty() {
        writer.write_latin1("")?;
        return writer.write_count(0, "profile list");
    }
    let mut parser = Parser(octets);
    let broken = |writer: &CdrWriter<'_>| writer.error(CdrErrorKind::BadReference, "reference");
    let type_id = parser.octets().ok_or_else(|| broken(writer))?;
    match type_id.is_ascii() {
        true => {
            writer.write_count(type_id.len() + 1, "string")?;
            writer.put(type_id);
            writer.write_u8(0);
        }
        false => {
            let type_id = std::str::from_utf8(type_id).map_err(|_| broken(writer))?;
            writer.write_latin1(type_id)?;
        }
    }
    let count = parser.number().ok_or_else(|| broken(writer))?;
    writer.write_count(count, "profile list")?;
    for _ in 0..count {
        let (tag, data) = parser.profile().ok_or_else(|| broken(writer))?;
        writer.write_u32(tag.0);
        writer.write_octets(data)?;
    }
    Ok(())
}

/// Appends a number.
pub(crate) fn push_number(octets: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        octets.push(number as u8 | 0x80);
        number >>= 7;
    }
    octets.push(number as u8);
}

/// The number at the start of some octets, and those behind it.
pub(crate) fn take_number(octets: &[u8]) -> Option<(usize, &[u8])> {
    let mut parser = Parser(octets);
    parser.number().map(|number| (number, parser.0))
}

#[derive(Clone, Copy)]
struct Parser<'a>(&'a [u8]);

impl<'a> Parser<'a> {
    fn number(&mut self) -> Option<usize> {
        let mut number = 0usize;
        for shift in (0..35).step_by(7) {
            let (octet, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(octet & 0x7f) << shift;
            if octet & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn octets(&mut self) -> Option<&'a [u8]> {
        let len = self.number()?;
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.octets()?).ok()
    }

    fn profile(&mut self) -> Option<(ProfileTag, &'a [u8])> {
        let tag = u32::try_from(self.number()?).ok()?;
        Some((ProfileTag(tag), self.octets()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zorb::Wire as _;
    use zorb::cdr::ByteOrder;

    fn sample() -> Ior {
        let profile = |tag, len| TaggedProfile { tag: ProfileTag(tag), data: vec![7; len] };
        let profiles = vec![profile(0, 60), profile(u32::MAX, 300), profile(5, 0)];
        Ior { type_id: "IDL:Sämple:1.0".into(), profiles }
    }

    #[test]
    fn a_reference_survives_octet_for_octet() {
        for ior in [sample(), Ior::NIL] {
            assert!(is_reference(&encode(&ior)));
            assert_eq!(decode(&encode(&ior)), Some(ior));
        }
    }

    #[test]
    fn a_reference_is_written_as_an_ior() {
        for ior in [sample(), Ior::NIL] {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            write(&encode(&ior), &mut CdrWriter::new(&mut ours, ByteOrder::Little)).unwrap();
            Ior::write(&ior, &mut CdrWriter::new(&mut theirs, ByteOrder::Little)).unwrap();
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn truncated_octets_are_no_reference() {
        let octets = encode(&sample());
        for len in 1..octets.len() {
            assert_eq!(decode(&octets[..len]), None, "{len} octets");
            assert!(!is_reference(&octets[..len]), "{len} octets");
        }
        let longer = [&octets[..], &[0]].concat();
        assert_eq!(decode(&longer), None);
        assert!(!is_reference(&longer));
    }
}
