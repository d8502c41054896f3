//! Sequences: a `Vec` or a `Cow` is taken apart and put together by functions of its element type.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::table::{Parts, Sequence, Tabled, as_u32};

/// Octets of memory that a sequence may allocate before its elements are read.
const READ_AHEAD: usize = 64 * 1024;

impl Sequence {
    /// As a `Vec`.
    pub(super) const fn vec<T: Tabled>(bound: u32) -> Self {
        Self::new::<T>(bound, parts_of_vec::<T::Value>, build_vec::<T::Value>)
    }

    /// As a `Cow`.
    pub(super) const fn cow<T: Tabled>(bound: u32) -> Self {
        Self::new::<T>(bound, parts_of_cow::<T::Value>, build_cow::<T::Value>)
    }

    const fn new<T: Tabled>(
        bound: u32,
        parts: unsafe fn(*const u8) -> Parts,
        build: unsafe fn(*mut u8, Parts),
    ) -> Self {
        Self {
            element: T::TABLE.value,
            stride: size_of::<T::Value>(),
            alignment: align_of::<T::Value>(),
            bound,
            min_size: as_u32(T::MIN_SIZE),
            ahead: match READ_AHEAD.checked_div(size_of::<T::Value>()) {
                Some(elements @ 1..) => as_u32(elements),
                _ => 1,
            },
            needs_drop: core::mem::needs_drop::<T::Value>(),
            parts,
            build,
        }
    }
}

/// # Safety
/// A `Vec<V>` is at `from`.
unsafe fn parts_of_vec<V>(from: *const u8) -> Parts {
    // SAFETY: as the caller guarantees.
    let elements = unsafe { &*from.cast::<Vec<V>>() };
    Parts {
        data: elements.as_ptr().cast_mut().cast(),
        length: elements.len(),
        capacity: elements.capacity(),
    }
}

/// # Safety
/// A `Vec<V>` may be written to `to`. The parts are those of one that does not exist any more.
unsafe fn build_vec<V>(to: *mut u8, parts: Parts) {
    // SAFETY: as the caller guarantees.
    let elements =
        unsafe { Vec::<V>::from_raw_parts(parts.data.cast(), parts.length, parts.capacity) };
    // SAFETY: as the caller guarantees.
    unsafe { to.cast::<Vec<V>>().write(elements) };
}

/// # Safety
/// A `Cow<[V]>` is at `from`.
unsafe fn parts_of_cow<V: Clone + 'static>(from: *const u8) -> Parts {
    // SAFETY: as the caller guarantees.
    match unsafe { &*from.cast::<Cow<'_, [V]>>() } {
        Cow::Borrowed(elements) => {
            Parts { data: elements.as_ptr().cast_mut().cast(), length: elements.len(), capacity: 0 }
        }
        // SAFETY: it is at this address.
        Cow::Owned(elements) => unsafe { parts_of_vec::<V>(core::ptr::from_ref(elements).cast()) },
    }
}

/// # Safety
/// As [`build_vec`], for a `Cow<[V]>`.
unsafe fn build_cow<V: Clone + 'static>(to: *mut u8, parts: Parts) {
    // SAFETY: as the caller guarantees.
    let elements =
        unsafe { Vec::<V>::from_raw_parts(parts.data.cast(), parts.length, parts.capacity) };
    // SAFETY: as the caller guarantees.
    unsafe { to.cast::<Cow<'_, [V]>>().write(Cow::Owned(elements)) };
}
