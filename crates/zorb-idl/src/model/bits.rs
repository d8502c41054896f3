//! Bitmasks and bitsets.

use super::{Annotation, DefId, Type};
use crate::source::Span;

/// `bitmask M { a, b };`: a set of named bits, which are names in its scope.
#[derive(Clone, Debug, Default)]
pub struct Bitmask {
    /// Its number of bits: 1 to 64. A value is an unsigned integer of the smallest size (8, 16, 32
    /// or 64) that has this many bits.
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
    /// The span of its name.
    pub span: Span,
}

/// `bitset S : Base { bitfield<3> a; };`: adjacent bitfields.
#[derive(Clone, Debug, Default)]
pub struct Bitset {
    /// The base bitset, whose fields come first.
    pub base: Option<DefId>,
    /// Its own fields, from the least significant bit on.
    pub fields: Vec<Bitfield>,
    /// Its total number of bits, those of its base included: at most 64.
    pub size: u16,
}

/// A field of a [`Bitset`].
#[derive(Clone, Debug)]
pub struct Bitfield {
    /// Its name; none for padding bits.
    pub name: Option<String>,
    /// Its number of bits: 1 to 64.
    pub bits: u16,
    /// The position of its least significant bit, counted from the first bit of the base.
    pub offset: u16,
    /// The type of its value: as written, or else the smallest sufficient type: `boolean` for one
    /// bit, otherwise an unsigned integer.
    pub ty: Type,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// Its span.
    pub span: Span,
}
