//! Types of fixed size: numbers, characters and booleans, and how all such types are read in place.

use super::{FixedPositions, FixedSize, Position, SequenceView, Validity, Viewed};
use crate::{CdrReader, CdrResult, CdrWriter, FixedLayout};

/// The parts of `FixedSize` for a type of `$size` octets whose values are read in place as they are.
macro_rules! own_in_place {
    ($size:expr, $validity:ident) => {
        type InPlace<'a> = Self;
        const FIXED: FixedLayout = FixedLayout::number($size);
        const VALIDITY: Validity = Validity::$validity;

        #[inline]
        fn owned(in_place: Self) -> Self {
            in_place
        }
    };
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl FixedSize for $type {
            own_in_place!(size_of::<Self>(), All);

            #[inline]
            fn in_place(position: Position<'_>) -> Self {
                Self::from_le_bytes(position.number())
            }

            #[inline]
            fn is_valid(_: Position<'_>, _: u8) -> bool {
                true
            }
        }
    )*};
}

numbers!(u8, i8, i16, u16, i32, u32, i64, u64, f32, f64);

impl FixedSize for bool {
    own_in_place!(1, Some);

    #[inline]
    fn in_place(position: Position<'_>) -> Self {
        u8::in_place(position) != 0
    }

    #[inline]
    fn is_valid(position: Position<'_>, _: u8) -> bool {
        u8::in_place(position) <= 1
    }
}

impl FixedSize for char {
    own_in_place!(1, AllButCharacters);

    #[inline]
    fn in_place(position: Position<'_>) -> Self {
        Self::from(u8::in_place(position))
    }

    #[inline]
    fn is_valid(position: Position<'_>, last_char: u8) -> bool {
        u8::in_place(position) <= last_char
    }
}

impl<T: FixedSize> Viewed for T {
    type ReadAs<'a> = T::InPlace<'a>;
    type Positions<'a> = FixedPositions<'a, T>;
    const IS_FIXED: bool = true;

    #[inline]
    fn read_at(position: Position<'_>) -> T::InPlace<'_> {
        T::in_place(position)
    }

    #[inline]
    fn after(position: Position<'_>) -> Position<'_> {
        position.after(const { &T::FIXED })
    }

    #[inline]
    fn after_all(position: Position<'_>, count: usize) -> Position<'_> {
        let Some(others) = count.checked_sub(1) else { return position };
        let others = others.saturating_mul(T::FIXED.stride());
        position.skip(T::FIXED.size_at(position.class).saturating_add(others))
    }

    #[inline]
    fn element(position: Position<'_>, index: usize) -> Position<'_> {
        position.element(const { &T::FIXED }, index)
    }

    #[inline]
    fn positions(position: Position<'_>, count: usize) -> FixedPositions<'_, T> {
        FixedPositions::new(position, count)
    }

    #[inline]
    fn value(read: T::InPlace<'_>) -> T::Value {
        T::owned(read)
    }

    #[inline]
    fn check(reader: &mut CdrReader<'_>) -> Option<()> {
        Self::check_all(reader, 1)
    }

    #[inline]
    fn check_all(reader: &mut CdrReader<'_>, count: usize) -> Option<()> {
        let Some(others) = count.checked_sub(1) else { return Some(()) };
        let start = Position::of_next(reader);
        let layout = const { &T::FIXED };
        let size = others.checked_mul(layout.stride())?.checked_add(layout.size_at(start.class))?;
        let octets = reader.take(size, "sequence").ok()?;
        let last_char = reader.text().last_char();
        let position = Position::new(octets, start.class, start.order);
        // To the end in any case: a loop that is not left is faster.
        let is_valid = !T::VALIDITY.needs_check(last_char)
            || T::positions(position, count)
                .fold(true, |valid, position| valid & T::is_valid(position, last_char));
        is_valid.then_some(())
    }

    fn copy(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let value = T::read(reader)?;
        T::write(T::view(&value), writer)
    }

    fn copy_all(
        reader: &mut CdrReader<'_>,
        count: usize,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        let values = T::read_vec(reader, count)?;
        T::write_slice(&values, writer)
    }
}

impl<T: FixedSize, const N: usize> FixedSize for [T; N] {
    type InPlace<'a> = SequenceView<'a, T>;
    const FIXED: FixedLayout = match FixedLayout::array(Some(T::FIXED), N) {
        Some(layout) => layout,
        // IDL has no arrays without elements, nor of more octets than there are addresses.
        None => FixedLayout::EMPTY,
    };
    const VALIDITY: Validity = T::VALIDITY;

    #[inline]
    fn in_place(position: Position<'_>) -> SequenceView<'_, T> {
        SequenceView::new(position, N)
    }

    #[inline]
    fn owned(in_place: SequenceView<'_, T>) -> [T::Value; N] {
        core::array::from_fn(|index| T::owned(in_place.element(index)))
    }

    #[inline]
    fn is_valid(position: Position<'_>, last_char: u8) -> bool {
        T::positions(position, N)
            .fold(true, |valid, position| valid & T::is_valid(position, last_char))
    }
}
