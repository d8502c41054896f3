//! The bodies of messages. Their first octet identifies the call.

use crate::operation::Operation;
use crate::values::{Cubed as _, Value as _};

/// The body of call 0.
pub(super) fn new(size: usize) -> Vec<u8> {
    crate::values::sequence(size)
}

/// Changes a body to that of call `number`.
pub(super) fn set_first(body: &mut [u8], number: u32) {
    crate::values::set_first(body, number);
}

/// Replaces octets by their cubes.
pub(super) fn cube(body: &mut [u8]) {
    for octet in body {
        *octet = octet.cubed();
    }
}

/// The sum of the octets.
pub(super) fn sum(body: &[u8]) -> [u8; 8] {
    body.iter().map(|octet| u64::from(*octet)).sum::<u64>().to_ne_bytes()
}

/// What a tally counts for a body, and the number of its elements.
pub(super) fn tally(operation: Operation, body: &[u8]) -> (u64, u64) {
    let number = |octet: Option<&u8>| octet.map_or(0, u8::number);
    let elements = body.len() / operation.element().size().max(1);
    (number(body.first()) + number(body.last()), elements as u64)
}
