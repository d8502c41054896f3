//! TypeCodes, anys and system exceptions. The first octet selects byte order, origin and text coding.

use super::{AllocationBound, Target};

#[path = "../../../crates/zorb-types/tests/it/hostile/checks.rs"]
mod checks;

/// Octets read as a TypeCode and as an any.
pub const TARGET: Target = Target {
    name: "type_code",
    run: |octets| {
        checks::check_type_code(octets);
        checks::check_any(octets);
    },
    allocation: AllocationBound { per_octet: 1024, constant: 16 << 10 },
    words: &[
        b"\xff\xff\xff\xff",
        b"\xfe\xff\xff\xff",
        b"\xf8\xff\xff\xff",
        b"\xff\xff\xff\xf0",
        b"\x0f\0\0\0",
        b"\x13\0\0\0",
        b"\0\0\0\x13",
        b"\x15\0\0\0",
        b"IDL:a:1.0\0",
    ],
};
