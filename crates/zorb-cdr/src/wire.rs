//! The trait that ties an IDL type to a Rust type.

mod compound;
mod fixed;
mod map;
mod primitive;
#[cfg(test)]
mod tests;
mod text;

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::any::Any;

use arrayvec::ArrayVec;

use crate::{CdrReader, CdrResult, CdrWriter};

pub use compound::Octets;
pub use fixed::{FixedLayout, FixedReader, FixedWriter};
pub use text::{Bounded, WChar, WString};

/// Octets that are filled with zeros at a time, to be written over while they are in the cache.
const BLOCK: usize = 4096;

/// What some types decode against; see [`CdrReader::with_context`].
pub type Context = dyn Any + Send + Sync;

/// Octets of memory that a sequence's count alone may claim.
const READ_AHEAD: usize = 64 * 1024;

/// An IDL type: how its values look in Rust and how they are written.
///
/// Most Rust types stand for an IDL type themselves: `i32` for `long`, `String` for `string`,
/// `Vec<T>` for `sequence<T>`, `[T; N]` for an array, and every struct, union and enum that the
/// IDL compiler makes. Where one Rust type serves two IDL types a marker tells them apart:
/// [`WString`] and [`WChar`] for wide text, [`Bounded`] for bounds. So `Vec<WString>` is
/// `sequence<wstring>`, and its [`Value`](Wire::Value) is `Vec<String>`.
pub trait Wire {
    /// What a program holds.
    type Value: Clone + 'static;
    /// What a parameter refers to: `str` for strings, `[T]` for sequences, else the value.
    type View: ?Sized;
    /// What an `in` parameter is decoded to for a servant: borrowed from the request where possible.
    type Borrowed<'a>;

    /// The fewest octets a value takes on the wire, padding left out; at least 1.
    /// It bounds what a received length may allocate.
    const MIN_SIZE: usize;

    /// Where the parts of a value lie, for types whose values all take the same room; then there
    /// are [`place`](Wire::place) and [`pick`](Wire::pick), and runs of values are moved as one.
    /// Default: none.
    const LAYOUT: Option<FixedLayout> = None;
    /// Whether [`passes_as_is`](Wire::passes_as_is) says yes to every value: numbers, enums and
    /// what is made of nothing else.
    const ALWAYS_AS_IS: bool = false;

    /// The view of a value.
    fn view(value: &Self::Value) -> &Self::View;

    /// Appends a value.
    ///
    /// # Errors
    /// When the value has no encoding: too long, a NUL inside, no such character.
    fn write(value: &Self::View, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Takes a value.
    ///
    /// # Errors
    /// When the octets left are no encoding of this type.
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self::Value>;

    /// Takes a value, borrowing from the buffer where the type allows.
    ///
    /// # Errors
    /// As [`read`](Wire::read).
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self::Borrowed<'a>>;

    /// Whether a value may be handed over inside a process as it is: to write it, with text in
    /// UTF-8 and UTF-16, and to read it again, with `context` as in
    /// [`CdrReader::with_context`], could not fail and would make an equal value.
    ///
    /// `false` is right for every type: the value is then written and read.
    #[inline]
    fn passes_as_is(value: &Self::View, context: &Context) -> bool {
        let _ = (value, context);
        Self::ALWAYS_AS_IS
    }

    /// Writes a value to the room that [`LAYOUT`](Wire::LAYOUT) says it needs; `None` for one that
    /// [`write`](Wire::write) refuses, and for types without a layout.
    #[inline(always)]
    fn place(_value: &Self::Value, _writer: &mut FixedWriter<'_>) -> Option<()> {
        None
    }

    /// Takes a value from the room that [`LAYOUT`](Wire::LAYOUT) says it has; `None` for types without
    /// a layout. Octets that [`read`](Wire::read) refuses are [refused](FixedReader::refuse).
    #[inline(always)]
    fn pick(_reader: &mut FixedReader<'_>) -> Option<Self::Value> {
        None
    }

    /// [Places](Wire::place) the elements of an array.
    #[inline(always)]
    fn place_array(values: &[Self::Value], writer: &mut FixedWriter<'_>) -> Option<()> {
        values.iter().try_for_each(|value| Self::place(value, writer))
    }

    /// [Picks](Wire::pick) the elements of an array.
    #[inline(always)]
    fn pick_array<const N: usize>(reader: &mut FixedReader<'_>) -> Option<[Self::Value; N]> {
        let mut elements = ArrayVec::new();
        for _ in 0..N {
            elements.push(Self::pick(reader)?);
        }
        elements.into_inner().ok()
    }

    /// Appends values one after the other: in one move where the type has a layout.
    ///
    /// # Errors
    /// As [`write`](Wire::write).
    #[inline]
    fn write_slice(values: &[Self::Value], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        if const { Self::LAYOUT.is_some() } {
            return fixed::write_run::<Self>(values, writer);
        }
        values.iter().try_for_each(|value| Self::write(Self::view(value), writer))
    }

    /// Takes `count` values, a number that [`CdrReader::read_count`] has checked.
    ///
    /// # Errors
    /// As [`read`](Wire::read).
    #[inline]
    fn read_vec(reader: &mut CdrReader<'_>, count: usize) -> CdrResult<Vec<Self::Value>> {
        if const { Self::LAYOUT.is_some() }
            && let Some(values) = fixed::read_run::<Self>(reader, count)
        {
            return Ok(values);
        }
        // A count may promise much, and one inside another again: what is set aside before the
        // elements are there is limited, the rest grows with what is read.
        let ahead = READ_AHEAD / size_of::<Self::Value>().max(1);
        let mut values = Vec::with_capacity(count.min(ahead));
        for _ in 0..count {
            values.push(Self::read(reader)?);
        }
        Ok(values)
    }

    /// As [`read_vec`](Wire::read_vec), but lends the values from the buffer where they lie there
    /// as they lie in memory: numbers in the machine's byte order and at addresses that suit them.
    ///
    /// # Errors
    /// As [`read`](Wire::read).
    #[inline]
    fn read_elements<'a>(
        reader: &mut CdrReader<'a>,
        count: usize,
    ) -> CdrResult<Cow<'a, [Self::Value]>> {
        Self::read_vec(reader, count).map(Cow::Owned)
    }
}
