//! Messages that are compressed by Zstandard, as a server receives them from a connection.

use super::ziop;
use super::{AllocationBound, Target};

/// An octet that chooses in which pieces the message arrives, three for the size of the original body, and the compressed
/// body. Its decompressed size is at most what Zstandard can achieve.
pub const TARGET: Target = Target {
    name: "zstd",
    run,
    allocation: AllocationBound { per_octet: 1, constant: 160 << 10 },
    words: &[
        // Frames: of a window, of a size, with a checksum, with a dictionary, and to be skipped.
        b"\x28\xb5\x2f\xfd\x00\x38",
        b"\x28\xb5\x2f\xfd\x20\x08",
        b"\x28\xb5\x2f\xfd\x04\x38",
        b"\x28\xb5\x2f\xfd\x01\x38\x07",
        b"\x50\x2a\x4d\x18\x04\0\0\0",
        // Blocks: the last one, of one repeated octet, compressed, and reserved.
        b"\x21\0\0abcd",
        b"\x03\0\x10a",
        b"\x45\0\0",
        b"\x07\0\0",
        b"\xff\xff\xff",
    ],
};

/// More than Zstandard achieves.
const RATIO: u32 = 40_000;

fn run(octets: &[u8]) {
    let Some(([piece, a, b, c], data)) = octets.split_first_chunk() else { return };
    let Ok(length) = u32::try_from(data.len()) else { return };
    let header = [
        b"ZIOP\x01\x02\0\x01",
        &(12 + length).to_be_bytes()[..],
        b"\x5a\x53\0\0",
        &[0, *a, *b, *c],
        &length.to_be_bytes(),
    ];
    ziop::check(&[&header.concat(), data].concat(), *piece, RATIO);
}
