//! The format of packets (MIOP 1.0).
//!
//! ```text
//!  0   1   2   3    4       5       6       7      8..12           12..16             16..20
//! +---+---+---+---+-------+-------+---------------+---------------+------------------+-----------+
//! | M | I | O | P | 0x10  | flags | ushort length | ulong number  | ulong how many   | ulong n   |
//! +---+---+---+---+-------+-------+---------------+---------------+------------------+-----------+
//! | n octets of id | zeros up to a multiple of 8 | payload, as long as `length` says             |
//! +----------------+-----------------------------+------------------------------------------------+
//! ```
//!
//! Flags bit 0: 1 for little-endian numbers; bit 1: the last packet. Packets are numbered from 0;
//! their count may be 0 while the sender does not know it. The id is the same in all packets of a
//! message, and unique among the sender's messages.

use zorb_cdr::{ByteOrder, Number};

/// The maximum size of an id in octets.
pub const MAX_ID: usize = 252;

const MAGIC: [u8; 4] = *b"MIOP";
const VERSION: u8 = 0x10;
const LITTLE_ENDIAN: u8 = 1;
const LAST: u8 = 2;
/// Octets before the id.
const FIXED: usize = 20;
/// The alignment of the payload.
const ALIGNMENT: usize = 8;

/// A received packet: the fields of its header, and its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Its number, from 0.
    pub number: u32,
    /// The number of packets; 0 if unknown.
    pub count: u32,
    /// Whether it is the last one.
    pub last: bool,
    /// Identifies the message among the sender's.
    pub id: &'a [u8],
    /// Its part of the message: at least one octet.
    pub payload: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Parses a datagram; `None` if it is malformed: truncated, too long, or with invalid numbers.
    #[must_use]
    pub fn parse(octets: &'a [u8]) -> Option<Self> {
        let (fixed, rest) = octets.split_first_chunk::<FIXED>()?;
        let [
            m0,
            m1,
            m2,
            m3,
            version,
            flags,
            l0,
            l1,
            n0,
            n1,
            n2,
            n3,
            c0,
            c1,
            c2,
            c3,
            i0,
            i1,
            i2,
            i3,
        ] = *fixed;
        if [m0, m1, m2, m3] != MAGIC || version != VERSION {
            return None;
        }
        let order = ByteOrder::from_flag(flags & LITTLE_ENDIAN);
        let ulong = |octets| u32::from_octets(octets, order);
        let length = u16::from_octets([l0, l1], order);
        let (number, count) = (ulong([n0, n1, n2, n3]), ulong([c0, c1, c2, c3]));
        let id_length = usize::try_from(ulong([i0, i1, i2, i3])).ok()?;
        if id_length > MAX_ID {
            return None;
        }
        let id = rest.get(..id_length)?;
        let payload = octets.get((FIXED + id_length).next_multiple_of(ALIGNMENT)..)?;
        let last = flags & LAST != 0;
        let is_in_order = match count {
            0 => true,
            count => number < count && last == (number == count - 1),
        };
        let fits = !payload.is_empty() && payload.len() == usize::from(length);
        (fits && is_in_order).then_some(Self { number, count, last, id, payload })
    }

    /// Writes the header before the payload to `header`, in native byte order.
    pub fn write_header(&self, header: &mut Vec<u8>) {
        header.clear();
        header.extend_from_slice(&MAGIC);
        let little = if ByteOrder::NATIVE == ByteOrder::Little { LITTLE_ENDIAN } else { 0 };
        let last = if self.last { LAST } else { 0 };
        header.extend_from_slice(&[VERSION, little | last]);
        let length = u16::try_from(self.payload.len()).unwrap_or(u16::MAX);
        header.extend_from_slice(&length.to_ne_bytes());
        header.extend_from_slice(&self.number.to_ne_bytes());
        header.extend_from_slice(&self.count.to_ne_bytes());
        let id_length = u32::try_from(self.id.len()).unwrap_or(u32::MAX);
        header.extend_from_slice(&id_length.to_ne_bytes());
        header.extend_from_slice(self.id);
        header.resize(header.len().next_multiple_of(ALIGNMENT), 0);
    }
}

/// The packets of `message` with `id`, each with at most `most` octets of payload.
pub fn packets<'a>(
    message: &'a [u8],
    id: &'a [u8],
    most: usize,
) -> impl Iterator<Item = Packet<'a>> {
    let parts = message.chunks(most.max(1));
    let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    (0..count).zip(parts).map(move |(number, payload)| Packet {
        number,
        count,
        last: number + 1 == count,
        id,
        payload,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The second of three packets in both byte orders, in the standard's format.
    const BIG: [u8; 35] =
        *b"MIOP\x10\x00\x00\x03\0\0\0\x01\0\0\0\x03\0\0\0\x0cabcdefghijkl\x01\x02\x03";
    const LITTLE: [u8; 35] =
        *b"MIOP\x10\x01\x03\x00\x01\0\0\0\x03\0\0\0\x0c\0\0\0abcdefghijkl\x01\x02\x03";

    const PACKET: Packet<'_> =
        Packet { number: 1, count: 3, last: false, id: b"abcdefghijkl", payload: &[1, 2, 3] };

    #[test]
    fn golden_octets_are_read() {
        for octets in [BIG, LITTLE] {
            assert_eq!(Packet::parse(&octets), Some(PACKET));
        }
        let mut last = BIG;
        (last[5], last[11]) = (2, 2);
        let packet = Packet::parse(&last).unwrap();
        assert!(packet.last && packet.number == 2);
        // The id of five octets is padded up to octet 32.
        let padded = b"MIOP\x10\x02\x00\x01\0\0\0\0\0\0\0\x01\0\0\0\x05abcde\0\0\0\0\0\0\0\xff";
        let packet = Packet::parse(padded).unwrap();
        assert_eq!((packet.id, packet.payload), (&b"abcde"[..], &[0xff][..]));
    }

    #[test]
    fn headers_match_the_golden_octets() {
        let mut header = vec![7];
        PACKET.write_header(&mut header);
        header.extend_from_slice(PACKET.payload);
        let native = if ByteOrder::NATIVE == ByteOrder::Little { LITTLE } else { BIG };
        assert_eq!(header, native);
    }

    #[test]
    fn truncated_and_malformed_packets_are_rejected() {
        for cut in 0..BIG.len() {
            assert_eq!(Packet::parse(&BIG[..cut]), None, "{cut}");
        }
        let mut longer = BIG.to_vec();
        longer.push(0);
        assert_eq!(Packet::parse(&longer), None);
        // Magic, version, length, number beyond the count, last in the middle, length of the id.
        for (at, octet) in [(0, b'm'), (4, 0x11), (7, 4), (11, 3), (5, 2), (19, 253), (16, 1)] {
            let mut octets = BIG;
            octets[at] = octet;
            assert_eq!(Packet::parse(&octets), None, "{at}");
        }
        assert_eq!(
            Packet::parse(b"MIOP\x10\x02\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0"),
            None,
            "empty"
        );
    }

    #[test]
    fn a_message_is_cut_into_numbered_packets() {
        let message: Vec<u8> = (0..100).collect();
        let all: Vec<_> = packets(&message, b"id", 48).collect();
        assert_eq!(all.iter().map(|packet| packet.payload.len()).collect::<Vec<_>>(), [48, 48, 4]);
        assert_eq!(all.iter().map(|packet| packet.last).collect::<Vec<_>>(), [false, false, true]);
        assert!(all.iter().enumerate().all(|(at, packet)| packet.number as usize == at));
        assert!(all.iter().all(|packet| packet.count == 3));
    }
}
