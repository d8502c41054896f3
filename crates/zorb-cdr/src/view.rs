//! Views: values that are read in place from the octets of a message.
//!
//! A view of a struct is its octets, the offset at which they begin, and their byte order: a [`Position`]. Its methods read
//! one member each, in the byte order of the message, so a program that looks at some members of many structs decodes
//! only these, and nothing is allocated or copied.
//!
//! Views exist for types of [fixed size](FixedSize): numbers, `char`, `boolean`, enums, bit masks, bit sets, structs and
//! arrays of them. The offset of each member is a compile-time constant for each offset modulo 8 at which the struct
//! begins; in a sequence all structs but the first have the same, and the same distance from each other (see
//! [`FixedLayout`]). They exist also for strings, wide strings, sequences, and structs and arrays of these. Where a member of such a struct begins is
//! found by the lengths before it; nothing is recorded.
//!
//! What a servant or a stub gets is validated once, before it sees a view: all octets are there, and all booleans, enums,
//! characters, strings and bounds are valid. Types in which all octets are valid, such as numbers, cost one comparison,
//! however many values there are. Methods of views cannot fail: if they met other octets, they would return zero, the
//! first enumerator, or nothing.
//!
//! Octets that cannot be read in place are copied to memory of their own, which [`Received`] owns: those of a message in
//! several parts with alignment of their own (GIOP 1.1 fragments), text that is not UTF-8, wide text of GIOP 1.1, and strings and sequences in
//! memory that another process may change after the validation.

mod array;
mod fixed;
mod positions;
mod received;
mod sequence;
mod text;
mod wide;

pub use array::ViewedArray;
pub use positions::{FixedPositions, VariablePositions};
pub use received::{Received, Viewed, Views};
pub use sequence::{SequenceView, SequenceViewIter};
pub use wide::WideStringView;

use crate::wire::MAX_ALIGNMENT;
use crate::{ByteOrder, CdrReader, FixedLayout, Wire};

/// A type whose values all have the same size and can be read in place.
///
/// The IDL compiler implements it for enums, bit masks, bit sets, and structs with the annotation `@view`.
pub trait FixedSize: Wire {
    /// What reading a value in place yields: the value itself, or a view of a struct or array.
    type InPlace<'a>: Copy;

    /// The layout of a value.
    const FIXED: FixedLayout;
    /// Which octets are valid.
    const VALIDITY: Validity;

    /// The value at a position.
    fn in_place(position: Position<'_>) -> Self::InPlace<'_>;

    /// The value of what was read in place.
    fn owned(in_place: Self::InPlace<'_>) -> Self::Value;

    /// Whether the value at a position is valid. `last_char` is the last octet that is a character by itself.
    fn is_valid(position: Position<'_>, last_char: u8) -> bool;
}

/// Which octets of the size of a type are a value of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Validity {
    /// All.
    All,
    /// Those whose characters are in the code set.
    AllButCharacters,
    /// Others: it has booleans or enums.
    Some,
}

impl Validity {
    /// That of a struct with members of these.
    pub const fn of_all(members: &[Self]) -> Self {
        let mut whole = Self::All;
        let mut rest = members;
        while let [first, tail @ ..] = rest {
            if *first as u8 > whole as u8 {
                whole = *first;
            }
            rest = tail;
        }
        whole
    }

    /// Whether there may be invalid octets, when `last_char` is the last octet that is a character by itself.
    #[inline]
    pub(crate) const fn needs_check(self, last_char: u8) -> bool {
        match self {
            Self::All => false,
            Self::AllButCharacters => last_char < u8::MAX,
            Self::Some => true,
        }
    }
}

/// Where a value begins in received octets: the octets from there on, how they are aligned, and their byte order.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    octets: &'a [u8],
    /// The offset of the first octet, modulo 8.
    class: usize,
    order: ByteOrder,
}

impl<'a> Position<'a> {
    #[inline]
    pub(crate) const fn new(octets: &'a [u8], class: usize, order: ByteOrder) -> Self {
        Self { octets, class, order }
    }

    /// The position of what a reader reads next.
    #[inline]
    fn of_next(reader: &CdrReader<'a>) -> Self {
        Self::new(reader.rest(), reader.offset() % MAX_ALIGNMENT, reader.order())
    }

    /// The position of a member after those with this layout.
    #[inline]
    #[must_use]
    pub fn after(self, before: &FixedLayout) -> Self {
        let size = before.size_at(self.class);
        let octets = self.octets.get(size..).unwrap_or_default();
        Self { octets, class: (self.class + size) % MAX_ALIGNMENT, order: self.order }
    }

    /// The position of element `index` of an array.
    #[inline]
    pub(crate) fn element(self, layout: &FixedLayout, index: usize) -> Self {
        let Some(others) = index.checked_sub(1) else { return self };
        let start =
            layout.size_at(self.class).saturating_add(others.saturating_mul(layout.stride()));
        let octets = self.octets.get(start..).unwrap_or_default();
        Self { octets, class: layout.class(), order: self.order }
    }

    /// The position after some octets.
    #[inline]
    fn skip(self, count: usize) -> Self {
        let octets = self.octets.get(count..).unwrap_or_default();
        let class = self.class.wrapping_add(count) % MAX_ALIGNMENT;
        Self { octets, class, order: self.order }
    }

    /// The number of octets or elements that begins here, and the position after it.
    #[inline]
    fn counted(self) -> (usize, Self) {
        (u32::in_place(self) as usize, self.after(const { &u32::FIXED }))
    }

    /// The first octets from here on.
    #[inline]
    fn octets(self, count: usize) -> &'a [u8] {
        self.octets.get(..count).unwrap_or_default()
    }

    /// The octets of an aligned number, the least significant one first; zero after the end.
    #[inline]
    fn number<const N: usize>(self) -> [u8; N] {
        let start = self.class.wrapping_neg() % N;
        let octets = self.octets.get(start..).and_then(|rest| rest.first_chunk::<N>());
        let mut octets = octets.copied().unwrap_or([0; N]);
        if self.order == ByteOrder::Big {
            octets.reverse();
        }
        octets
    }
}
