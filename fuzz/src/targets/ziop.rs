//! Compressed and other messages as a server receives them from a connection.

use std::io;

use zorb_ziop::{Incoming, Step};

use super::{AllocationBound, Target};

/// An octet that chooses in which pieces the octets arrive that follow it. What becomes of them does not depend on that,
/// and is no more than zlib can make of so many.
pub const TARGET: Target = Target {
    name: "ziop",
    run,
    allocation: AllocationBound { per_octet: 1, constant: 512 << 10 },
    words: &[
        b"ZIOP\x01\x02\x01\0",
        b"ZIOP\x01\x02\x01\0\x1f\0\0\0\x04\0\0\0\x40\0\0\0\x13\0\0\0\x78\x9c",
        b"GIOP\x01\x02\x01\0\x04\0\0\0",
        b"\x78\xda\xed\xc1\x01",
        b"\x40\0\0\0\x02\0\0\0\x01\x01",
        b"\xff\xff\xff\xff",
    ],
};

/// More than zlib achieves.
const RATIO: u32 = 1_100;

fn run(octets: &[u8]) {
    let Some((piece, octets)) = octets.split_first() else { return };
    check(octets, *piece, RATIO);
}

/// Receives octets at once and in pieces, which makes no difference.
pub(super) fn check(octets: &[u8], piece: u8, ratio: u32) {
    let receive = |octets, piece| receive(octets, piece, ratio);
    let whole = receive(octets, usize::MAX);
    let pieces = receive(octets, usize::from(piece) + 1);
    match (whole, pieces) {
        // Of a message that is incomplete, more may have been given while its end was not known.
        (Ok(None), Ok(None)) => {}
        (Ok(Some(whole)), Ok(Some(pieces))) => {
            assert_eq!(whole, pieces, "pieces make no difference");
            assert!(whole.0 <= octets.len() * ratio as usize, "octets come from somewhere");
        }
        (whole, pieces) => {
            assert!(whole.is_err() && pieces.is_err(), "{whole:?} {pieces:?}");
        }
    }
}

/// The number of the octets that become of these, and their hash; `None` if they end within a compressed message.
fn receive(octets: &[u8], piece: usize, ratio: u32) -> io::Result<Option<(usize, u64)>> {
    let mut incoming = Incoming::of_server(ratio);
    let (mut rest, mut buffer) = (octets, [0; 999]);
    let (mut count, mut hash) = (0, 0xcbf2_9ce4_8422_2325_u64);
    let mut add = |octets: &[u8]| {
        count += octets.len();
        let mix = |hash: u64, octet: &u8| (hash ^ u64::from(*octet)).wrapping_mul(0x100_0000_01b3);
        hash = octets.iter().fold(hash, mix);
    };
    loop {
        match incoming.take(&mut buffer)? {
            Step::Taken(taken) => add(&buffer[..taken]),
            Step::Needs(_) if rest.is_empty() => {
                // A message that has begun may end with the stream.
                incoming.has_ended();
                while let Step::Taken(taken) = incoming.take(&mut buffer)? {
                    add(&buffer[..taken]);
                }
                return Ok((!incoming.is_within_compressed()).then_some((count, hash)));
            }
            Step::Needs(Some(most)) => {
                let (now, later) = rest.split_at(most.min(piece).min(rest.len()).min(buffer.len()));
                add(now);
                incoming.passed(now.len());
                rest = later;
            }
            Step::Needs(None) => {
                let space = incoming.space();
                let (now, later) = rest.split_at(piece.min(rest.len()).min(space.len()));
                space[..now.len()].copy_from_slice(now);
                incoming.filled(now.len());
                rest = later;
            }
        }
    }
}
