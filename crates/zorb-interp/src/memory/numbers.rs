//! Structs of numbers, which are encoded as they are in memory.

use alloc::vec::Vec;
use core::marker::PhantomData;

use zorb_cdr::{InMemory, Wire};

/// That the values of an IDL type `T` are numbers in a row in memory, without padding, in the order in which they are sent;
/// or that nothing is known about them.
pub struct Numbers<T: ?Sized> {
    /// Octets of the first number.
    pub(super) first: Option<usize>,
    /// Invariant: they are of no other type.
    marker: PhantomData<fn(*mut T) -> *mut T>,
}

impl<T: ?Sized> core::fmt::Debug for Numbers<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Numbers").field("first", &self.first).finish_non_exhaustive()
    }
}

/// A member of a struct: its offset and size in memory, and the octets of its first number if it consists of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub(super) offset: usize,
    pub(super) size: usize,
    pub(super) first: Option<usize>,
}

impl<T: Wire> Numbers<T> {
    /// Values that begin with a number of so many octets; none if they have something else, or padding.
    ///
    /// # Safety
    /// That is true of the values of `T`.
    pub(super) const unsafe fn new(first: Option<usize>) -> Self {
        Self { first, marker: PhantomData }
    }

    /// Nothing is known.
    const UNKNOWN: Self = Self { first: None, marker: PhantomData };

    /// Those of a struct, if it has no padding, and its members are in memory in the order in which they are sent.
    ///
    /// # Safety
    /// A `T` has these members at their offsets, and no others. Generated code calls it by
    /// [`struct_numbers!`](crate::struct_numbers).
    #[must_use]
    pub const unsafe fn structure(members: &[Part]) -> Self {
        let [Part { first, .. }, ..] = members else { return Self::UNKNOWN };
        let mut end = 0;
        let mut rest = members;
        while let [member, tail @ ..] = rest {
            if member.first.is_none() || member.offset != end {
                return Self::UNKNOWN;
            }
            end += member.size;
            rest = tail;
        }
        if end != size_of::<T::Value>() {
            return Self::UNKNOWN;
        }
        // SAFETY: all members are numbers, one behind the other.
        unsafe { Self::new(*first) }
    }

    /// What copies the values.
    #[must_use]
    pub const fn in_memory(&self) -> Option<InMemory<T::Value>> {
        // Only here, where the values are known to be numbers without padding, are these functions used.
        match self.first {
            None => None,
            Some(first) => Some(InMemory { octets, values, append, first }),
        }
    }
}

fn octets<V>(values: &[V]) -> &[u8] {
    // SAFETY: they have no padding, so that all their octets have values.
    let (_, octets, _) = unsafe { values.align_to() };
    octets
}

fn values<V>(octets: &[u8]) -> Option<&[V]> {
    // SAFETY: any octets are numbers.
    let (before, values, after) = unsafe { octets.align_to() };
    (before.is_empty() && after.is_empty()).then_some(values)
}

fn append<V>(values: &mut Vec<V>, octets: &[u8]) {
    let room = values.spare_capacity_mut();
    let count = (octets.len() / size_of::<V>()).min(room.len());
    let to = room.as_mut_ptr().cast::<u8>();
    // SAFETY: there are octets and room for so many values.
    unsafe { to.copy_from_nonoverlapping(octets.as_ptr(), count * size_of::<V>()) };
    let length = values.len() + count;
    // SAFETY: any octets are numbers, and those of the new values were just copied.
    unsafe { values.set_len(length) };
}
