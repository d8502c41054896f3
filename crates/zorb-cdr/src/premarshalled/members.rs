//! The members of structs.

use core::fmt;

use crate::{CdrResult, CdrWriter, Wire};

/// A struct whose members can be written one by one. Generated code implements it for all structs.
pub trait Members: Wire<Value = Self, View = Self> + Sized + 'static {
    /// Its members, in the order in which they are sent.
    const MEMBERS: &'static [MemberOf<Self>];
}

/// A member of the struct `T`.
#[derive(Clone, Copy)]
pub struct MemberOf<T> {
    /// Where it is in a value, in octets.
    offset: usize,
    size: usize,
    pub(super) write: WriteMember<T>,
}

/// Writes a member of a struct.
type WriteMember<T> = fn(&T, &mut CdrWriter<'_>) -> CdrResult<()>;

impl<T> MemberOf<T> {
    /// The member of the IDL type `M` at this offset, in octets, of a `T`.
    #[must_use]
    pub const fn new<M: Wire>(offset: usize, write: WriteMember<T>) -> Self {
        Self { offset, size: size_of::<M::Value>(), write }
    }

    /// Whether it has all of the `size` octets at this offset.
    pub(super) const fn contains(&self, offset: usize, size: usize) -> bool {
        let within = offset.wrapping_sub(self.offset);
        within < self.size && size <= self.size - within
    }
}

impl<T> fmt::Debug for MemberOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemberOf").field("offset", &self.offset).finish_non_exhaustive()
    }
}
