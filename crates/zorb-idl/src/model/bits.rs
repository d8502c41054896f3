//! Bit masks and bit sets.

use super::{Annotation, DefId, Type};
use crate::source::Span;

/// `bitmask M { a, b };`: a set of named bits. Its bits are names inside it.
#[derive(Clone, Debug, Default)]
pub struct Bitmask {
    /// How many bits a value has: 1 to 64. A value is an unsigned integer of the smallest size
    /// (8, 16, 32 or 64) that holds them.
    pub bit_bound: u16,
    /// The named bits, in declaration order.
    pub bits: Vec<Bit>,
}

/// A named bit of a [`Bitmask`].
#[derive(Clone, Debug)]
pub struct Bit {
    /// Its name.
    pub name: String,
    /// Its position: 0 is the least significant.
    pub position: u16,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// Where the name stands.
    pub span: Span,
}

/// `bitset S : Base { bitfield<3> a; };`: fields of bits, side by side.
#[derive(Clone, Debug, Default)]
pub struct Bitset {
    /// The bit set whose fields come first.
    pub base: Option<DefId>,
    /// Its own fields, from the least significant bit on.
    pub fields: Vec<Bitfield>,
    /// How many bits it has in all, those of its base included: at most 64.
    pub size: u16,
}

/// A field of a [`Bitset`].
#[derive(Clone, Debug)]
pub struct Bitfield {
    /// Its name; none for bits that are skipped.
    pub name: Option<String>,
    /// How many bits it has: 1 to 64.
    pub bits: u16,
    /// The position of its least significant bit, bases included.
    pub offset: u16,
    /// The type of its value: the one written, or the smallest that holds it: `boolean` for
    /// one bit, else an unsigned integer.
    pub ty: Type,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// Where it stands.
    pub span: Span,
}
