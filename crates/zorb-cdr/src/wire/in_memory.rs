//! Types whose values are encoded as they are in memory, in the machine's byte order.
//!
//! In the other order they are moved by their members, which swaps each number once: a copy whose numbers are then swapped
//! takes twice the instructions.

use alloc::vec::Vec;
use core::fmt;

/// What copies values that are numbers in a row in memory, without padding, in the order in which they are sent.
///
/// [`Wire::IN_MEMORY`](crate::Wire::IN_MEMORY) is one. `zorb-interp` makes those of structs.
pub struct InMemory<V> {
    /// The octets of values.
    pub octets: fn(&[V]) -> &[u8],
    /// The values that octets are; none if the octets are not aligned for them, or if a part of a value is left.
    pub values: fn(&[u8]) -> Option<&[V]>,
    /// Appends values, given their octets, for which the vector has room.
    pub append: fn(&mut Vec<V>, &[u8]),
    /// Octets of the first number of a value.
    pub first: usize,
}

impl<V> Clone for InMemory<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for InMemory<V> {}

impl<V> fmt::Debug for InMemory<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InMemory").field("first", &self.first).finish_non_exhaustive()
    }
}
