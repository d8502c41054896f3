//! The format of SCTP packets: a header of twelve octets, and chunks (RFC 9260).

use crc::{CRC_32_ISCSI, Crc, Table};

/// The common header: two ports, the receiver's tag, a checksum.
pub(crate) const HEADER: usize = 12;
/// The header of a chunk: type, flags and length.
const CHUNK_HEADER: usize = 4;

static CHECKSUM: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);

/// Types of chunks.
pub(crate) mod kind {
    pub(crate) const DATA: u8 = 0;
    pub(crate) const INIT: u8 = 1;
    pub(crate) const INIT_ACK: u8 = 2;
    pub(crate) const SACK: u8 = 3;
    pub(crate) const HEARTBEAT: u8 = 4;
    pub(crate) const HEARTBEAT_ACK: u8 = 5;
    pub(crate) const ABORT: u8 = 6;
    pub(crate) const SHUTDOWN: u8 = 7;
    pub(crate) const SHUTDOWN_ACK: u8 = 8;
    pub(crate) const COOKIE_ECHO: u8 = 10;
    pub(crate) const COOKIE_ACK: u8 = 11;
    pub(crate) const SHUTDOWN_COMPLETE: u8 = 14;
}

/// Of `ABORT` and `SHUTDOWN COMPLETE`: the tag is the sender's own.
pub(crate) const REFLECTED: u8 = 1;
/// Of `DATA`: unordered.
pub(crate) const UNORDERED: u8 = 4;
/// Of `DATA`: acknowledge at once (RFC 7053).
pub(crate) const AT_ONCE: u8 = 8;

/// A valid packet: its checksum is right, and its chunks fill it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet<'d> {
    octets: &'d [u8],
    pub(crate) tag: u32,
}

/// A chunk of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk<'d> {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) body: &'d [u8],
    /// The chunk with its header and padding.
    whole: &'d [u8],
}

impl<'d> Packet<'d> {
    pub(crate) fn parse(octets: &'d [u8]) -> Option<Self> {
        let tag = u32_at(octets, 4)?;
        let sum = octets.get(8..HEADER)?.try_into().ok().map(u32::from_le_bytes)?;
        let has_ports = octets.get(..2)? != [0, 0] && octets.get(2..4)? != [0, 0];
        let packet = Self { octets, tag };
        let whole: usize = packet.chunks().map(|chunk| chunk.whole.len()).sum();
        let is_whole = whole > 0 && HEADER + whole == octets.len();
        (has_ports && is_whole && sum == checksum(octets)).then_some(packet)
    }

    /// A packet that was not checked: this side's own, or one that will be parsed again.
    pub(crate) fn trusted(octets: &'d [u8]) -> Self {
        Self { octets, tag: u32_at(octets, 4).unwrap_or(0) }
    }

    /// Its chunks, at least one.
    pub(crate) fn chunks(&self) -> Chunks<'d> {
        Chunks { rest: self.octets.get(HEADER..).unwrap_or_default() }
    }

    pub(crate) fn first(&self) -> Option<Chunk<'d>> {
        self.chunks().next()
    }

    pub(crate) fn octets(&self) -> &'d [u8] {
        self.octets
    }

    /// Ports and tag.
    pub(crate) fn address(&self) -> Option<[u8; 8]> {
        self.octets.get(..8)?.try_into().ok()
    }
}

/// The chunks of a packet, up to the first malformed one.
#[derive(Clone, Debug)]
pub(crate) struct Chunks<'d> {
    rest: &'d [u8],
}

impl<'d> Iterator for Chunks<'d> {
    type Item = Chunk<'d>;

    fn next(&mut self) -> Option<Chunk<'d>> {
        let [kind, flags, high, low, ..] = *self.rest else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let body = self.rest.get(CHUNK_HEADER..length)?;
        let (whole, rest) = self.rest.split_at_checked(length.next_multiple_of(4))?;
        self.rest = rest;
        Some(Chunk { kind, flags, body, whole })
    }
}

/// The contents of an `INIT` or `INIT ACK`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) tag: u32,
    /// The sender's window.
    pub(crate) room: u32,
    /// The sender's first sequence number.
    pub(crate) number: u32,
}

/// The contents of a `DATA` chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) number: u32,
    pub(crate) stream: u16,
    pub(crate) is_unordered: bool,
    pub(crate) is_empty: bool,
}

impl Chunk<'_> {
    pub(crate) fn start(&self) -> Option<Start> {
        let (tag, number) = (u32_at(self.body, 0)?, u32_at(self.body, 12)?);
        Some(Start { tag, room: u32_at(self.body, 4)?, number })
    }

    pub(crate) fn piece(&self) -> Option<Piece> {
        let number = u32_at(self.body, 0)?;
        let stream = u16::from_be_bytes(self.body.get(4..6)?.try_into().ok()?);
        let is_unordered = self.flags & UNORDERED != 0;
        let contents = self.body.get(12..)?;
        Some(Piece { number, stream, is_unordered, is_empty: contents.is_empty() })
    }

    /// Of a `SACK`: the cumulative acknowledgement, and the window.
    pub(crate) fn acknowledged(&self) -> Option<(u32, u32)> {
        Some((u32_at(self.body, 0)?, u32_at(self.body, 4)?))
    }
}

fn u32_at(octets: &[u8], at: usize) -> Option<u32> {
    octets.get(at..)?.first_chunk().copied().map(u32::from_be_bytes)
}

/// Starts a packet in `out`, whose contents it replaces.
pub(crate) fn begin(address: [u8; 8], out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&address);
    out.extend_from_slice(&[0; 4]);
}

/// Appends a chunk, padded to whole words.
pub(crate) fn add(kind: u8, flags: u8, body: &[u8], out: &mut Vec<u8>) {
    let length = u16::try_from(CHUNK_HEADER + body.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(body);
    out.resize(out.len().next_multiple_of(4), 0);
}

/// Appends a received chunk.
pub(crate) fn add_whole(chunk: &Chunk<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(chunk.whole);
}

/// Writes the checksum.
pub(crate) fn seal(packet: &mut [u8]) {
    let sum = checksum(packet).to_le_bytes();
    if let Some(field) = packet.get_mut(8..HEADER) {
        field.copy_from_slice(&sum);
    }
}

/// Writes the right checksum into an SCTP packet, for tests.
#[must_use]
pub fn sealed(octets: &[u8]) -> Vec<u8> {
    let mut packet = octets.to_vec();
    seal(&mut packet);
    packet
}

/// The CRC-32C of a packet with a zero checksum.
fn checksum(packet: &[u8]) -> u32 {
    let mut digest = CHECKSUM.digest();
    digest.update(packet.get(..8).unwrap_or_default());
    digest.update(&[0; 4]);
    digest.update(packet.get(HEADER..).unwrap_or_default());
    digest.finalize()
}

/// The ports exchanged.
pub(crate) fn turned([a, b, c, d, ..]: [u8; 8], tag: u32) -> [u8; 8] {
    let [e, f, g, h] = tag.to_be_bytes();
    [c, d, a, b, e, f, g, h]
}

/// Writes the answer to a packet without an association; `false` if there is none.
pub(crate) fn refusal(packet: &Packet<'_>, out: &mut Vec<u8>) -> bool {
    let (Some(first), Some(address)) = (packet.first(), packet.address()) else { return false };
    let is_final = |chunk: Chunk<'_>| matches!(chunk.kind, kind::ABORT | kind::SHUTDOWN_COMPLETE);
    if packet.chunks().any(is_final) {
        return false;
    }
    let (kind, flags, tag) = match (first.kind, first.start()) {
        (kind::INIT, Some(start)) => (kind::ABORT, 0, start.tag),
        (kind::INIT, None) => return false,
        (kind::SHUTDOWN_ACK, _) => (kind::SHUTDOWN_COMPLETE, REFLECTED, packet.tag),
        _ => (kind::ABORT, REFLECTED, packet.tag),
    };
    begin(turned(address, tag), out);
    add(kind, flags, &[], out);
    seal(out);
    true
}
