//! A connection's octets: messages of GIOP 1.0, 1.1 and 1.2, one after the other, in fragments too.

use zorb_testkit::giop;

use super::{AllocationBound, Target};

/// Octets read as one message, as a message to be sent in fragments, and as a stream.
pub const TARGET: Target = Target {
    name: "giop",
    run,
    allocation: AllocationBound { per_octet: 512, constant: 8 << 10 },
    words: &[
        b"GIOP\x01\x02\x01\x00",
        b"GIOP\x01\x02\x02\x00",
        b"GIOP\x01\x02\x03\x07",
        b"GIOP\x01\x01\x02\x01",
        b"GIOP\x01\x00\x00\x04",
        b"GIOP",
        b"\xff\xff\xff\xff",
        b"\0\0\0\x0c",
        b"\x0c\0\0\0",
    ],
};

fn run(octets: &[u8]) {
    // The sizes of pieces depend on the input only, so that a run is reproducible.
    let seed = octets.iter().fold(0_u8, |sum, octet| sum.rotate_left(3) ^ octet);
    giop::message(octets);
    giop::split_and_join(octets, usize::from(seed));
    let mut stream = Vec::with_capacity(octets.len() + 1);
    stream.push(seed);
    stream.extend_from_slice(octets);
    giop::inbound(&stream);
}
