//! Octets read and written by both marshalling engines. The first octet chooses the type; the second one the byte order,
//! the code set, the alignment and what is read; the third one how the octets are split.

use super::{AllocationBound, Target};
use crate::engines::compare::compare;

/// Octets read as a type by its own code and by its table, and written again: both have the same results, and fail
/// alike.
pub const TARGET: Target = Target {
    name: "engines",
    run: |octets| {
        compare(octets);
    },
    allocation: AllocationBound { per_octet: 512, constant: 64 << 10 },
    words: &[
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\x01\0\0\0",
        b"\0\0\0\x01",
        b"\x7f\xff\xff\x02",
        b"\x7f\xff\xff\x0a",
        b"\x0a\xff\xff\x7f",
        b"IDL:Chunks/Base:1.0\0",
        b"IDL:Chunks/Derived:1.0\0",
    ],
};
