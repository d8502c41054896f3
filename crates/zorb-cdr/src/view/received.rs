//! Arguments and results whose octets are kept for views.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::{FixedSize, Place, SequenceView};
use crate::wire::MAX_ALIGNMENT;
use crate::{
    Bounded, ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Context, FixedLayout, Wire,
};

/// A type of arguments and results that can be views: a struct of fixed size, or a sequence of elements of fixed size.
pub trait Viewed: Wire + Sized {
    /// The view of a value.
    type Seen<'a>: Copy;

    /// Checks a value and keeps its octets.
    ///
    /// # Errors
    /// As [`Wire::read`].
    fn receive<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Received<'a, Self>>;

    /// The view of `count` values in octets that [`receive`](Self::receive) has kept.
    fn see(place: Place<'_>, count: usize) -> Self::Seen<'_>;
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
    pub fn view(&self) -> W::Seen<'_> {
        W::see(Place::new(&self.octets, self.class, self.order), self.count)
    }
}

impl<'a, W> Received<'a, W> {
    /// Checks `count` values. [`CdrReader::read_count`] has checked `count`.
    #[inline]
    fn values<T: FixedSize>(reader: &mut CdrReader<'a>, count: usize) -> CdrResult<Self> {
        match Self::in_place::<T>(reader, count) {
            Some(received) => Ok(received),
            None => Self::copied::<T>(reader, count),
        }
    }

    /// `None`, without moving the reader, when the octets are not valid or cannot be read in place.
    #[inline]
    fn in_place<T: FixedSize>(reader: &mut CdrReader<'a>, count: usize) -> Option<Self> {
        let order = reader.order();
        let class = reader.offset() % MAX_ALIGNMENT;
        let Some(others) = count.checked_sub(1) else {
            return Some(Self { octets: Cow::Borrowed(&[]), class, order, count, of: PhantomData });
        };
        let layout = const { &T::FIXED };
        if !reader.is_evenly_aligned()
            || reader.is_in_chunks()
            // What another process may change is not validated in place.
            || T::VALIDITY.needs_check(0) && reader.is_in_tail()
        {
            return None;
        }
        let size = others.checked_mul(layout.stride())?.checked_add(layout.size_at(class))?;
        let octets = reader.rest().get(..size)?;
        let last_char = reader.text().last_char();
        if T::VALIDITY.needs_check(last_char) {
            let place = Place::new(octets, class, order);
            SequenceView::<T>::new(place, count).is_valid(last_char).then_some(())?;
        }
        reader.take(size, "sequence").ok()?;
        Some(Self { octets: Cow::Borrowed(octets), class, order, count, of: PhantomData })
    }

    /// Decodes the values, which finds which one is invalid, and encodes them again.
    #[cold]
    #[inline(never)]
    fn copied<T: FixedSize>(reader: &mut CdrReader<'a>, count: usize) -> CdrResult<Self> {
        let values = T::read_vec(reader, count)?;
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE).with_text(reader.text());
        T::write_slice(&values, &mut writer)?;
        writer.finish()?;
        let (octets, order) = (Cow::Owned(octets), ByteOrder::NATIVE);
        Ok(Self { octets, class: 0, order, count: values.len(), of: PhantomData })
    }
}

impl<T: FixedSize> Viewed for T {
    type Seen<'a> = T::InPlace<'a>;

    #[inline]
    fn receive<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Received<'a, Self>> {
        Received::values::<T>(reader, 1)
    }

    #[inline]
    fn see(place: Place<'_>, _: usize) -> T::InPlace<'_> {
        T::in_place(place)
    }
}

impl<T: FixedSize> Viewed for Vec<T> {
    type Seen<'a> = SequenceView<'a, T>;

    #[inline]
    fn receive<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Received<'a, Self>> {
        reader.step(4);
        let count = reader.read_count(T::MIN_SIZE, "sequence")?;
        Received::values::<T>(reader, count)
    }

    #[inline]
    fn see(place: Place<'_>, count: usize) -> SequenceView<'_, T> {
        SequenceView::new(place, count)
    }
}

impl<T: FixedSize, const N: u32> Viewed for Bounded<Vec<T>, N> {
    type Seen<'a> = SequenceView<'a, T>;

    #[inline]
    fn receive<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Received<'a, Self>> {
        reader.step(4);
        let count = reader.read_count(T::MIN_SIZE, "sequence")?;
        if count > N as usize {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence"));
        }
        Received::values::<T>(reader, count)
    }

    #[inline]
    fn see(place: Place<'_>, count: usize) -> SequenceView<'_, T> {
        SequenceView::new(place, count)
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
