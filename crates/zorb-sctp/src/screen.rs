//! The filter in front of the SCTP stack.
//!
//! The stack trusts the peer of an association too much: a chunk can make it iterate over two
//! thousand million numbers, store any number of stream reset requests, open a stream per number,
//! accept data from an unvalidated peer, or close an association when the network duplicates its
//! first datagram. The filter passes only the chunks that a reliable, ordered stream needs at this
//! time.

use crate::packet::{self, Chunk, Packet, REFLECTED, Start, kind};

/// The maximum number of unread segments; beyond it only the next one in order is accepted.
const MAX_PIECES: usize = 1024;
/// The maximum number of those in order.
const MAX_PIECES_IN_ORDER: usize = 2 * MAX_PIECES;
/// The maximum distance of a segment from the last one in order.
const MAX_AHEAD: u32 = 16_384;
/// The end of the sequence numbers: the stack does not handle the wrap-around.
pub(crate) const LAST_NUMBER: u32 = 0xf000_0000;
/// The minimum window of a peer (RFC 9260, 3.3.2).
const MIN_ROOM: u32 = 1500;

/// The state of the datagram's association.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) is_server: bool,
    pub(crate) is_established: bool,
    pub(crate) own_tag: u32,
    pub(crate) peer_tag: Option<u32>,
    /// The peer's last sequence number in order.
    pub(crate) received: u32,
    /// The number of unread segments.
    pub(crate) pieces: usize,
}

/// The information in a datagram that the stack does not get.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) start: Option<Start>,
    /// The peer has aborted the association.
    pub(crate) aborts: bool,
    /// The peer has started the shutdown.
    pub(crate) shuts_down: bool,
    /// The peer has acknowledged the shutdown.
    pub(crate) completes: bool,
    /// The peer has violated the protocol.
    pub(crate) is_wrong: bool,
}

/// The contents of an `INIT` up to its parameters.
const INIT: usize = 16;
/// The parameter of an `INIT` with which its sender supports `FORWARD TSN` (RFC 3758, 3.1), which is never used. Without
/// it, the stack would log a warning for each `INIT`.
const SUPPORTS: [u8; 5] = [0x80, 8, 0, 5, 192];

/// Checks a datagram; writes the chunks that the stack may see, possibly none, to `kept`, whose
/// contents it replaces. Without `keeps_data` it sees no data, for which there is no memory. `None` if the datagram does
/// not belong to this association or is irrelevant.
pub(crate) fn check(
    side: &Side,
    packet: &Packet<'_>,
    keeps_data: bool,
    kept: &mut Vec<u8>,
) -> Option<Seen> {
    let mut seen = Seen::default();
    let first = packet.first()?;
    kept.clear();
    if matches!(first.kind, kind::INIT | kind::INIT_ACK) {
        seen.start = Some(start(side, packet, &first)?);
        if first.kind == kind::INIT {
            packet::begin(packet.address()?, kept);
            let body = [first.body.get(..INIT)?, &SUPPORTS].concat();
            packet::add(kind::INIT, 0, &body, kept);
            packet::seal(kept);
        } else {
            kept.extend_from_slice(packet.octets());
        }
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
            // The answer to a probe of this side, which the stack does not know.
            kind::HEARTBEAT_ACK => {}
            kind::COOKIE_ECHO if side.is_server => packet::add_whole(&chunk, kept),
            kind::COOKIE_ACK if !side.is_server => packet::add_whole(&chunk, kept),
            // The rest is repeated once both sides are established.
            _ if !side.is_established => {}
            kind::DATA => match data(side, &chunk) {
                Some(true) if keeps_data => packet::add_whole(&chunk, kept),
                Some(_) => {}
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

/// The first chunk of an association, if it is due.
fn start(side: &Side, packet: &Packet<'_>, first: &Chunk<'_>) -> Option<Start> {
    let is_due = match first.kind {
        kind::INIT => side.is_server && packet.tag == 0,
        _ => !side.is_server && packet.tag == side.own_tag,
    };
    let start = first.start()?;
    // The number before the first must be valid, too.
    let is_sound = start.tag != 0
        && start.room >= MIN_ROOM
        && (1..LAST_NUMBER).contains(&start.number)
        && packet.chunks().count() == 1;
    // A repeated INIT requests the same.
    let is_same = side.peer_tag.is_none_or(|tag| first.kind == kind::INIT_ACK || tag == start.tag);
    (is_due && is_sound && is_same && !side.is_established).then_some(start)
}

/// Whether there is room for a segment; `None` if it is invalid.
fn data(side: &Side, chunk: &Chunk<'_>) -> Option<bool> {
    let piece = chunk.piece()?;
    if piece.stream != 0 || piece.is_unordered || piece.is_empty || piece.number >= LAST_NUMBER {
        return None;
    }
    let ahead = piece.number.wrapping_sub(side.received);
    if ahead > u32::MAX / 2 {
        // A duplicate, which has to be acknowledged again.
        return Some(true);
    }
    let most = if ahead == 1 { MAX_PIECES_IN_ORDER } else { MAX_PIECES };
    Some(ahead <= MAX_AHEAD && side.pieces < most)
}
