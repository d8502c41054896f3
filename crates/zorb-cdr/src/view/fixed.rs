//! Types of fixed size: numbers, characters and booleans, and how all such types are read in place.

use super::{FixedPlaces, FixedSize, Place, SequenceView, Validity, Viewed};
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
            fn in_place(place: Place<'_>) -> Self {
                Self::from_le_bytes(place.number())
            }

            #[inline]
            fn is_valid(_: Place<'_>, _: u8) -> bool {
                true
            }
        }
    )*};
}

numbers!(u8, i8, i16, u16, i32, u32, i64, u64, f32, f64);

impl FixedSize for bool {
    own_in_place!(1, Some);

    #[inline]
    fn in_place(place: Place<'_>) -> Self {
        u8::in_place(place) != 0
    }

    #[inline]
    fn is_valid(place: Place<'_>, _: u8) -> bool {
        u8::in_place(place) <= 1
    }
}

impl FixedSize for char {
    own_in_place!(1, AllButCharacters);

    #[inline]
    fn in_place(place: Place<'_>) -> Self {
        Self::from(u8::in_place(place))
    }

    #[inline]
    fn is_valid(place: Place<'_>, last_char: u8) -> bool {
        u8::in_place(place) <= last_char
    }
}

impl<T: FixedSize> Viewed for T {
    type Seen<'a> = T::InPlace<'a>;
    type Places<'a> = FixedPlaces<'a, T>;
    const IS_FIXED: bool = true;

    #[inline]
    fn see(place: Place<'_>) -> T::InPlace<'_> {
        T::in_place(place)
    }

    #[inline]
    fn behind(place: Place<'_>) -> Place<'_> {
        place.behind(const { &T::FIXED })
    }

    #[inline]
    fn behind_all(place: Place<'_>, count: usize) -> Place<'_> {
        let Some(others) = count.checked_sub(1) else { return place };
        let others = others.saturating_mul(T::FIXED.stride());
        place.skip(T::FIXED.size_at(place.class).saturating_add(others))
    }

    #[inline]
    fn element(place: Place<'_>, index: usize) -> Place<'_> {
        place.element(const { &T::FIXED }, index)
    }

    #[inline]
    fn places(place: Place<'_>, count: usize) -> FixedPlaces<'_, T> {
        FixedPlaces::new(place, count)
    }

    #[inline]
    fn value(seen: T::InPlace<'_>) -> T::Value {
        T::owned(seen)
    }

    #[inline]
    fn check(reader: &mut CdrReader<'_>) -> Option<()> {
        Self::check_all(reader, 1)
    }

    #[inline]
    fn check_all(reader: &mut CdrReader<'_>, count: usize) -> Option<()> {
        let Some(others) = count.checked_sub(1) else { return Some(()) };
        let start = Place::of_next(reader);
        let layout = const { &T::FIXED };
        let size = others.checked_mul(layout.stride())?.checked_add(layout.size_at(start.class))?;
        let octets = reader.take(size, "sequence").ok()?;
        let last_char = reader.text().last_char();
        let place = Place::new(octets, start.class, start.order);
        // To the end in any case: a loop that is not left is faster.
        let is_valid = !T::VALIDITY.needs_check(last_char)
            || T::places(place, count)
                .fold(true, |valid, place| valid & T::is_valid(place, last_char));
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
    fn in_place(place: Place<'_>) -> SequenceView<'_, T> {
        SequenceView::new(place, N)
    }

    #[inline]
    fn owned(in_place: SequenceView<'_, T>) -> [T::Value; N] {
        core::array::from_fn(|index| T::owned(in_place.element(index)))
    }

    #[inline]
    fn is_valid(place: Place<'_>, last_char: u8) -> bool {
        T::places(place, N).fold(true, |valid, place| valid & T::is_valid(place, last_char))
    }
}
