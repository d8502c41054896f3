//! The views of sequences, and of the elements of arrays.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use super::{Place, Received, Viewed, Walk};
use crate::{Bounded, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

/// A sequence or array of values that are read in place from received octets.
///
/// ```
/// # use zorb_cdr::{ByteOrder, CdrReader, Views, Wire};
/// let octets = [0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 9];
/// let mut reader = CdrReader::new(&octets, ByteOrder::Big);
/// let received = <Views<Vec<i32>>>::read_borrowed(&mut reader)?;
/// let numbers = received.view();
/// assert_eq!((numbers.len(), numbers.get(1), numbers.get(2)), (2, Some(9), None));
/// assert_eq!(numbers.iter().sum::<i32>(), 16);
/// # Ok::<(), zorb_cdr::CdrError>(())
/// ```
pub struct SequenceView<'a, T> {
    place: Place<'a>,
    count: usize,
    elements: PhantomData<fn() -> T>,
}

impl<T> Clone for SequenceView<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SequenceView<'_, T> {}

impl<T: Viewed> fmt::Debug for SequenceView<'_, T>
where
    for<'a> T::Seen<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<'a, T: Viewed> SequenceView<'a, T> {
    #[inline]
    pub(crate) const fn new(place: Place<'a>, count: usize) -> Self {
        Self { place, count, elements: PhantomData }
    }

    /// How many elements it has.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        self.count
    }

    /// Whether it has none.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// The element at `index`; `None` behind the last one. Elements of variable size, such as strings, are found from the
    /// first one on: read these in order.
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<T::Seen<'a>> {
        (index < self.count).then(|| self.element(index))
    }

    #[inline]
    pub(super) fn element(self, index: usize) -> T::Seen<'a> {
        T::see(T::element(self.place, index))
    }

    /// The elements in order.
    #[inline]
    #[must_use]
    pub fn iter(self) -> SequenceViewIter<'a, T> {
        SequenceViewIter { places: T::places(self.place, self.count) }
    }

    /// The elements as values of their own.
    #[must_use]
    pub fn to_vec(self) -> Vec<T::Value> {
        self.iter().map(T::value).collect()
    }
}

impl<'a, T: Viewed> IntoIterator for SequenceView<'a, T> {
    type Item = T::Seen<'a>;
    type IntoIter = SequenceViewIter<'a, T>;

    #[inline]
    fn into_iter(self) -> SequenceViewIter<'a, T> {
        self.iter()
    }
}

/// The elements of a [`SequenceView`], in order.
pub struct SequenceViewIter<'a, T: Viewed> {
    places: T::Places<'a>,
}

impl<T: Viewed> fmt::Debug for SequenceViewIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SequenceViewIter").finish_non_exhaustive()
    }
}

impl<'a, T: Viewed> Iterator for SequenceViewIter<'a, T> {
    type Item = T::Seen<'a>;

    #[inline]
    fn next(&mut self) -> Option<T::Seen<'a>> {
        self.places.next().map(T::see)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, T::Seen<'a>) -> B>(self, start: B, mut with: F) -> B {
        self.places.fold(start, |folded, place| with(folded, T::see(place)))
    }
}

impl<T: Viewed> ExactSizeIterator for SequenceViewIter<'_, T> {}

/// The element count of a sequence of at most `bound` elements.
#[inline]
fn read_count<T: Viewed>(reader: &mut CdrReader<'_>, bound: u32) -> CdrResult<usize> {
    reader.step(4);
    let count = reader.read_count(T::MIN_SIZE, "sequence")?;
    if count > bound as usize {
        return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence"));
    }
    Ok(count)
}

macro_rules! sequences {
    ($([$($generics:tt)*] $type:ty, $bound:expr;)*) => {$(
        impl<T: Viewed, $($generics)*> Viewed for $type {
            type Seen<'a> = SequenceView<'a, T>;
            type Places<'a> = Walk<'a, Self>;

            #[inline]
            fn see(place: Place<'_>) -> SequenceView<'_, T> {
                let (count, place) = place.counted();
                SequenceView::new(place, count)
            }

            #[inline]
            fn behind(place: Place<'_>) -> Place<'_> {
                let (count, place) = place.counted();
                T::behind_all(place, count)
            }

            #[inline]
            fn places(place: Place<'_>, count: usize) -> Walk<'_, Self> {
                Walk::new(place, count)
            }

            fn value(seen: SequenceView<'_, T>) -> Vec<T::Value> {
                seen.to_vec()
            }

            #[inline]
            fn check(reader: &mut CdrReader<'_>) -> Option<()> {
                let count = read_count::<T>(reader, $bound).ok()?;
                T::check_all(reader, count)
            }

            fn copy(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                let count = read_count::<T>(reader, $bound)?;
                writer.write_count(count, "sequence")?;
                T::copy_all(reader, count, writer)
            }

            #[inline]
            fn receive<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Received<'a, Self>> {
                let count = read_count::<T>(reader, $bound)?;
                Received::values::<T>(reader, count)
            }

            #[inline]
            fn see_received(place: Place<'_>, count: usize) -> SequenceView<'_, T> {
                SequenceView::new(place, count)
            }
        }
    )*};
}

sequences! {
    [] Vec<T>, u32::MAX;
    [const N: u32] Bounded<Vec<T>, N>, N;
}
