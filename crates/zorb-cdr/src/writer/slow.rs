//! Writing to a buffer that has to grow.
//!
//! These functions get the buffer alone: what a writer has besides stays in registers across them. A buffer without
//! capacity is that of a writer without memory, for which all that follows is left out.

use alloc::vec::Vec;

/// Octets reserved behind a run for the numbers that follow it.
const ROOM: usize = 256;
/// The capacity that a writer gives an empty buffer.
const FIRST: usize = 32;

/// Gives a writer's buffer its first capacity, if there is memory.
#[cold]
#[inline(never)]
pub(super) fn begin(buffer: &mut Vec<u8>) {
    let _ = buffer.try_reserve(FIRST);
}

/// Grows `buffer` by at least `count` octets and [`ROOM`]; `false` without the memory.
#[cold]
#[inline(never)]
pub(super) fn grow(buffer: &mut Vec<u8>, count: usize) -> bool {
    try_reserve(buffer, count.saturating_add(ROOM))
}

/// Appends octets; `false` without the memory.
#[cold]
#[inline(never)]
pub(super) fn put_many(buffer: &mut Vec<u8>, octets: &[u8]) -> bool {
    let grown = grow(buffer, octets.len());
    if grown {
        buffer.extend_from_slice(octets);
    }
    grown
}

/// Appends octets, or frees the buffer.
#[cold]
#[inline(never)]
pub(super) fn put(buffer: &mut Vec<u8>, octets: &[u8]) {
    match try_reserve(buffer, octets.len()) {
        true => buffer.extend_from_slice(octets),
        false => *buffer = Vec::new(),
    }
}

/// Appends the first octets in the memory of `word`, or frees the buffer.
#[cold]
#[inline(never)]
pub(super) fn put_number(buffer: &mut Vec<u8>, word: u64, size: usize) {
    put(buffer, word.to_ne_bytes().get(..size).unwrap_or_default());
}

/// Appends `count` zeros and returns them, or frees the buffer.
#[cold]
#[inline(never)]
pub(super) fn reserve(buffer: &mut Vec<u8>, count: usize) -> &mut [u8] {
    let start = buffer.len();
    match try_reserve(buffer, count) {
        true => buffer.resize(start + count, 0),
        false => *buffer = Vec::new(),
    }
    buffer.get_mut(start..).unwrap_or_default()
}

fn try_reserve(buffer: &mut Vec<u8>, count: usize) -> bool {
    buffer.capacity() > 0 && buffer.try_reserve(count).is_ok()
}
