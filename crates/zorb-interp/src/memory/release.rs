//! Dropping values by their tables: what has been read of a value whose rest is invalid.

use alloc::borrow::Cow;
use alloc::string::String;

use super::elements::Elements;
use super::table::{Kind, Member, drop_at};

/// Drops the value at `at`.
///
/// # Safety
/// A value of this kind is at `at`, and is not used again.
pub(super) unsafe fn release(kind: &Kind, at: *mut u8) {
    match *kind {
        Kind::Numbers(..) | Kind::Boolean | Kind::Char | Kind::Enumeration(_) => {}
        // SAFETY: as the caller guarantees.
        Kind::Text(_) => unsafe { drop_at::<String>(at) },
        // SAFETY: as the caller guarantees.
        Kind::BorrowedText(_) => unsafe { drop_at::<Cow<'_, str>>(at) },
        Kind::Structure(structure) => {
            if structure.needs_drop {
                // SAFETY: a struct of this kind has these members.
                unsafe { release_members(structure.members, at) };
            }
        }
        Kind::Sequence(sequence) => {
            // SAFETY: as the caller guarantees.
            let parts = unsafe { (sequence.parts)(at) };
            // SAFETY: these are the parts of the value.
            let elements = unsafe { Elements::of(sequence, parts) };
            // SAFETY: as the caller guarantees.
            unsafe { release_elements(&elements) };
        }
        Kind::Array(array) => {
            if array.needs_drop {
                // SAFETY: an array of this kind has these elements.
                unsafe { release_each(&array.element, array.stride, at, array.count) };
            }
        }
        Kind::Codec(codec) => {
            if let Some(drop) = codec.drop {
                // SAFETY: the codec is the one of the value's type.
                unsafe { drop(at) };
            }
        }
    }
}

/// Drops members of the value at `at`.
///
/// # Safety
/// Values of these members are there, and are not used again.
pub(super) unsafe fn release_members(members: &[Member], at: *mut u8) {
    for member in members {
        // SAFETY: the member is inside the value.
        let at = unsafe { at.add(member.offset as usize) };
        // SAFETY: as the caller guarantees.
        unsafe { release(&member.kind, at) };
    }
}

/// Drops `count` values in a row.
///
/// # Safety
/// They are at `at`, each `stride` octets behind the one before, and are not used again.
pub(super) unsafe fn release_each(kind: &Kind, stride: usize, mut at: *mut u8, count: usize) {
    for _ in 0..count {
        // SAFETY: as the caller guarantees.
        unsafe { release(kind, at) };
        // SAFETY: the end of the value is at most that of the last one.
        at = unsafe { at.add(stride) };
    }
}

/// Drops the elements of a sequence and frees their memory.
///
/// # Safety
/// They are not used again.
pub(super) unsafe fn release_elements(elements: &Elements<'_>) {
    let (sequence, parts) = (elements.sequence, elements.parts);
    // Elements that are borrowed have no capacity.
    if sequence.needs_drop && parts.capacity > 0 {
        // SAFETY: as the caller guarantees.
        unsafe { release_each(&sequence.element, sequence.stride, parts.data, parts.length) };
    }
    // SAFETY: as the caller guarantees.
    unsafe { elements.free() };
}
