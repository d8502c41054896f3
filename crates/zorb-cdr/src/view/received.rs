//! Arguments and results whose octets are kept for views.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::Position;
use crate::{ByteOrder, CdrReader, CdrResult, CdrWriter, Context, FixedLayout, Wire};

/// A type whose values can be read in place: all types of [fixed size](super::FixedSize), strings, wide strings, sequences,
/// and structs and arrays of these.
///
/// The IDL compiler implements it for structs with the annotation `@view`.
pub trait Viewed: Wire + Sized {
    /// What reading a value in place yields: a number, an enum, text, octets, or a view.
    type ReadAs<'a>: Copy;
    /// An iterator over the positions of a sequence's elements.
    type Positions<'a>: ExactSizeIterator<Item = Position<'a>>;

    /// Whether all values have the same size, and methods find a value whatever the octets are: those may then change
    /// after they were checked.
    const IS_FIXED: bool = false;

    /// The value at a position.
    fn read_at(position: Position<'_>) -> Self::ReadAs<'_>;

    /// The position after the value at `position`.
    fn after(position: Position<'_>) -> Position<'_>;

    /// The position after `count` elements that start at `position`.
    #[inline]
    fn after_all(position: Position<'_>, count: usize) -> Position<'_> {
        (0..count).fold(position, |position, _| Self::after(position))
    }

    /// The position of element `index` of a sequence whose elements start at `position`.
    #[inline]
    fn element(position: Position<'_>, index: usize) -> Position<'_> {
        Self::after_all(position, index)
    }

    /// The positions of `count` elements that start at `position`.
    fn positions(position: Position<'_>, count: usize) -> Self::Positions<'_>;

    /// The value of what was read in place.
    fn value(read: Self::ReadAs<'_>) -> Self::Value;

    /// Moves the reader past a value; `None` if it is not valid or cannot be read in place.
    fn check(reader: &mut CdrReader<'_>) -> Option<()>;

    /// Moves the reader past the elements of a sequence. [`CdrReader::read_count`] has checked `count`.
    #[inline]
    fn check_all(reader: &mut CdrReader<'_>, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| Self::check(reader))
    }

    /// Reads a value, and writes it so that it can be read in place.
    ///
    /// # Errors
    /// As [`Wire::read`].
    fn copy(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// [Copies](Self::copy) the elements of a sequence. [`CdrReader::read_count`] has checked `count`.
    ///
    /// # Errors
    /// As [`Wire::read`].
    fn copy_all(
        reader: &mut CdrReader<'_>,
        count: usize,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        (0..count).try_for_each(|_| Self::copy(reader, writer))
    }

    /// Checks an argument or result and keeps its octets.
    ///
    /// # Errors
    /// As [`Wire::read`].
    #[inline]
    fn receive<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Received<'a, Self>> {
        Received::values::<Self>(reader, 1)
    }

    /// Reads what [`receive`](Self::receive) kept: `count` values that start at `position`.
    #[inline]
    fn read_received(position: Position<'_>, count: usize) -> Self::ReadAs<'_> {
        let _ = count;
        Self::read_at(position)
    }
}

/// The checked octets of an argument or result, for as long as there are views of it.
#[derive(Debug)]
pub struct Received<'a, W> {
    octets: Cow<'a, [u8]>,
    /// The offset of the first octet, modulo 8.
    class: usize,
    order: ByteOrder,
    /// The number of values.
    count: usize,
    of: PhantomData<fn() -> W>,
}

impl<W: Viewed> Received<'_, W> {
    /// The view of the value.
    #[inline]
    pub fn view(&self) -> W::ReadAs<'_> {
        W::read_received(Position::new(&self.octets, self.class, self.order), self.count)
    }
}

impl<'a, W> Received<'a, W> {
    /// Checks `count` values. [`CdrReader::read_count`] has checked `count`.
    #[inline]
    pub(super) fn values<T: Viewed>(reader: &mut CdrReader<'a>, count: usize) -> CdrResult<Self> {
        match Self::in_place::<T>(reader, count) {
            Some(received) => Ok(received),
            None => Self::copied::<T>(reader, count),
        }
    }

    /// `None`, without moving the reader, when the octets are not valid or cannot be read in place.
    #[inline]
    fn in_place<T: Viewed>(reader: &mut CdrReader<'a>, count: usize) -> Option<Self> {
        let is_in_tail = reader.is_in_tail();
        // What another process may change is validated in place only where that decides nothing.
        if !reader.is_evenly_aligned() || reader.is_in_chunks() || is_in_tail && !T::IS_FIXED {
            return None;
        }
        let start = Position::of_next(reader);
        let mut ahead = reader.clone();
        T::check_all(&mut ahead, count)?;
        // What follows in a tail is elsewhere in memory.
        let size = ahead.offset() - reader.offset();
        let octets = start.octets.get(..size).filter(|_| ahead.is_in_tail() == is_in_tail)?;
        *reader = ahead;
        let Position { class, order, .. } = start;
        Some(Self { octets: Cow::Borrowed(octets), class, order, count, of: PhantomData })
    }

    /// Decodes the values, which finds which one is invalid, and encodes them again.
    #[cold]
    #[inline(never)]
    fn copied<T: Viewed>(reader: &mut CdrReader<'a>, count: usize) -> CdrResult<Self> {
        let mut octets: Vec<u8> = reader.vector(reader.remaining(), "view")?;
        // The default code set, ISO 8859-1, encodes each character in one octet. Strings are written in UTF-8.
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE);
        T::copy_all(reader, count, &mut writer)?;
        writer.finish()?;
        let (octets, order) = (Cow::Owned(octets), ByteOrder::NATIVE);
        Ok(Self { octets, class: 0, order, count, of: PhantomData })
    }
}

/// The IDL type `W` as an argument or result that its receiver gets as a view. It has the octets and values of `W`.
#[derive(Clone, Copy, Debug)]
pub struct Views<W>(PhantomData<W>);

impl<W: Viewed> Wire for Views<W> {
    type Value = W::Value;
    type View = W::View;
    type Borrowed<'a> = Received<'a, W>;
    const MIN_SIZE: usize = W::MIN_SIZE;
    const LAYOUT: Option<FixedLayout> = None;

    #[inline]
    fn view(value: &W::Value) -> &W::View {
        W::view(value)
    }

    #[inline]
    fn write(value: &W::View, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        W::write(value, writer)
    }

    #[inline]
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<W::Value> {
        W::read(reader)
    }

    #[inline]
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Received<'a, W>> {
        W::receive(reader)
    }

    #[inline]
    fn passes_as_is(value: &W::View, context: &Context) -> bool {
        W::passes_as_is(value, context)
    }
}
