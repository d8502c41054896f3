//! CDR bodies. The first octet chooses the byte order, the origin and the text coding.

use super::{AllocationBound, Target};

#[path = "../../../crates/zorb-cdr/tests/it/hostile/checks.rs"]
mod checks;

/// Octets decoded as values of many types; a decoded value must survive a round trip.
pub const TARGET: Target = Target {
    name: "cdr",
    run: checks::check_values,
    allocation: AllocationBound { per_octet: 512, constant: 4096 },
    words: &[
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\x01\0\0\0",
        b"\0\0\0\x01",
        b"\xfe\xff",
        b"\xd8\0",
    ],
};
