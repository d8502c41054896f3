//! What of a datagram the stack gets to see.
//!
//! The stack believes an association's peer a good deal. It would step through two thousand million
//! numbers when a chunk says so, keep every request to reset streams, open a stream for each number that
//! comes, take data of who has not proven to be there, and close an association when the network doubles
//! its first datagram. So it sees the chunks that a reliable, ordered stream needs, when they are due.

use crate::packet::{self, Chunk, Packet, REFLECTED, Start, kind};

/// Pieces that wait to be read; past them no more are taken, but the next one in order.
const MAX_PIECES: usize = 1024;
/// As many of those in order.
const MAX_PIECES_IN_ORDER: usize = 2 * MAX_PIECES;
/// How far ahead of what has come in order a piece may be.
const MAX_AHEAD: u32 = 16_384;
/// Where numbers of pieces end: the stack does not know how they begin anew.
pub(crate) const LAST_NUMBER: u32 = 0xf000_0000;
/// The least that a peer has to have room for (RFC 9260, 3.3.2).
const MIN_ROOM: u32 = 1500;

/// What is known of the association that a datagram is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) is_server: bool,
    pub(crate) is_established: bool,
    pub(crate) own_tag: u32,
    pub(crate) peer_tag: Option<u32>,
    /// Up to where the peer's pieces have come.
    pub(crate) received: u32,
    /// Pieces that wait to be read.
    pub(crate) pieces: usize,
}

/// What a datagram says beside what the stack sees.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) start: Option<Start>,
    /// The peer has given it up.
    pub(crate) aborts: bool,
    /// The peer shuts it down.
    pub(crate) shuts_down: bool,
    /// The peer has heard that it is shut down.
    pub(crate) completes: bool,
    /// It says what no peer may.
    pub(crate) is_wrong: bool,
}

/// Looks at a datagram and writes what the stack may have of it over `kept`, which may be nothing.
/// `None`: it is not for this association, or does not matter to it.
pub(crate) fn look(side: &Side, packet: &Packet<'_>, kept: &mut Vec<u8>) -> Option<Seen> {
    let mut seen = Seen::default();
    let first = packet.first()?;
    kept.clear();
    if matches!(first.kind, kind::INIT | kind::INIT_ACK) {
        seen.start = Some(start(side, packet, &first)?);
        kept.extend_from_slice(packet.octets());
        return Some(seen);
    }
    if matches!(first.kind, kind::ABORT | kind::SHUTDOWN_COMPLETE) && first.flags & REFLECTED != 0 {
        seen.aborts = first.kind == kind::ABORT;
        seen.completes = !seen.aborts;
        return (side.peer_tag == Some(packet.tag)).then_some(seen);
    }
    if packet.tag != side.own_tag {
        return None;
    }
    packet::begin(packet.address()?, kept);
    for chunk in packet.chunks() {
        match chunk.kind {
            kind::ABORT => seen.aborts = true,
            kind::SHUTDOWN_COMPLETE => seen.completes = true,
            // What answers a question of this side's, of which the stack knows nothing.
            kind::HEARTBEAT_ACK => {}
            kind::COOKIE_ECHO if side.is_server => packet::add_whole(&chunk, kept),
            kind::COOKIE_ACK if !side.is_server => packet::add_whole(&chunk, kept),
            // The rest comes again once both sides know of each other.
            _ if !side.is_established => {}
            kind::DATA => match data(side, &chunk) {
                Some(true) => packet::add_whole(&chunk, kept),
                Some(false) => {}
                None => seen.is_wrong = true,
            },
            kind::SHUTDOWN => {
                seen.shuts_down = true;
                packet::add_whole(&chunk, kept);
            }
            kind::SACK | kind::HEARTBEAT | kind::SHUTDOWN_ACK => packet::add_whole(&chunk, kept),
            _ => {}
        }
    }
    if kept.len() == packet::HEADER || seen.aborts || seen.completes || seen.is_wrong {
        kept.clear();
    } else {
        packet::seal(kept);
    }
    Some(seen)
}

/// What the first chunk of an association says, if it is due.
fn start(side: &Side, packet: &Packet<'_>, first: &Chunk<'_>) -> Option<Start> {
    let is_due = match first.kind {
        kind::INIT => side.is_server && packet.tag == 0,
        _ => !side.is_server && packet.tag == side.own_tag,
    };
    let start = first.start()?;
    // The number before the first one has to be one as well.
    let is_sound = start.tag != 0
        && start.room >= MIN_ROOM
        && (1..LAST_NUMBER).contains(&start.number)
        && packet.chunks().count() == 1;
    // An INIT that comes again asks for the same.
    let is_same = side.peer_tag.is_none_or(|tag| first.kind == kind::INIT_ACK || tag == start.tag);
    (is_due && is_sound && is_same && !side.is_established).then_some(start)
}

/// Whether there is room for a piece; `None` where it is wrong.
fn data(side: &Side, chunk: &Chunk<'_>) -> Option<bool> {
    let piece = chunk.piece()?;
    if piece.stream != 0 || piece.is_unordered || piece.is_empty || piece.number >= LAST_NUMBER {
        return None;
    }
    let ahead = piece.number.wrapping_sub(side.received);
    if ahead > u32::MAX / 2 {
        // It has come already, and its sender has to hear that.
        return Some(true);
    }
    let most = if ahead == 1 { MAX_PIECES_IN_ORDER } else { MAX_PIECES };
    Some(ahead <= MAX_AHEAD && side.pieces < most)
}
