//! The views of sequences and arrays.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::slice::ChunksExact;

use super::{FixedSize, Place, Validity};
use crate::{ByteOrder, FixedLayout};

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

impl<T: FixedSize> fmt::Debug for SequenceView<'_, T>
where
    for<'a> T::InPlace<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<'a, T: FixedSize> SequenceView<'a, T> {
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

    /// The element at `index`; `None` behind the last one.
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<T::InPlace<'a>> {
        (index < self.count).then(|| self.element(index))
    }

    #[inline]
    pub(super) fn element(self, index: usize) -> T::InPlace<'a> {
        T::in_place(self.place.element(const { &T::FIXED }, index))
    }

    /// The elements in order.
    #[inline]
    #[must_use]
    pub fn iter(self) -> SequenceViewIter<'a, T> {
        SequenceViewIter { places: self.places(), elements: PhantomData }
    }

    /// The elements as values of their own.
    #[must_use]
    pub fn to_vec(self) -> Vec<T::Value> {
        self.iter().map(T::owned).collect()
    }

    /// Whether all elements are valid.
    #[inline]
    pub(super) fn is_valid(self, last_char: u8) -> bool {
        // To the end in any case: a loop that is not left is faster.
        self.places().fold(true, |valid, place| valid & T::is_valid(place, last_char))
    }

    #[inline]
    fn places(self) -> Places<'a, T> {
        let Place { octets, class, order } = self.place;
        let first = octets.get(..T::FIXED.size_at(class)).filter(|_| self.count > 0);
        let others = self.count.saturating_sub(1).saturating_mul(Places::<T>::STRIDE);
        let start = first.map_or(0, <[u8]>::len);
        let others = octets.get(start..).and_then(|rest| rest.get(..others)).unwrap_or_default();
        Places {
            first: first.map(|first| Place::new(first, class, order)),
            others: others.chunks_exact(Places::<T>::STRIDE),
            order,
            elements: PhantomData,
        }
    }
}

impl<'a, T: FixedSize> IntoIterator for SequenceView<'a, T> {
    type Item = T::InPlace<'a>;
    type IntoIter = SequenceViewIter<'a, T>;

    #[inline]
    fn into_iter(self) -> SequenceViewIter<'a, T> {
        self.iter()
    }
}

/// The places of the elements. All but the first one have compile-time constants as alignment and size.
struct Places<'a, T> {
    first: Option<Place<'a>>,
    others: ChunksExact<'a, u8>,
    order: ByteOrder,
    elements: PhantomData<fn() -> T>,
}

impl<'a, T: FixedSize> Places<'a, T> {
    const CLASS: usize = T::FIXED.class();
    const STRIDE: usize = match T::FIXED.stride() {
        // A type without octets has no sequences.
        0 => 1,
        stride => stride,
    };

    #[inline]
    fn next(&mut self) -> Option<Place<'a>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        self.others.next().map(|octets| Place::new(octets, Self::CLASS, self.order))
    }

    #[inline]
    fn fold<B>(self, start: B, mut with: impl FnMut(B, Place<'a>) -> B) -> B {
        let Some(first) = self.first else { return self.fold_others(start, with) };
        let start = with(start, first);
        self.fold_others(start, with)
    }

    /// One loop for each byte order.
    #[inline]
    fn fold_others<B>(self, start: B, mut with: impl FnMut(B, Place<'a>) -> B) -> B {
        match self.order {
            ByteOrder::Little => self.others.fold(start, |folded, octets| {
                with(folded, Place::new(octets, Self::CLASS, ByteOrder::Little))
            }),
            ByteOrder::Big => self.others.fold(start, |folded, octets| {
                with(folded, Place::new(octets, Self::CLASS, ByteOrder::Big))
            }),
        }
    }

    #[inline]
    fn left(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }
}

/// The elements of a [`SequenceView`], in order.
pub struct SequenceViewIter<'a, T> {
    places: Places<'a, T>,
    elements: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for SequenceViewIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SequenceViewIter").finish_non_exhaustive()
    }
}

impl<'a, T: FixedSize> Iterator for SequenceViewIter<'a, T> {
    type Item = T::InPlace<'a>;

    #[inline]
    fn next(&mut self) -> Option<T::InPlace<'a>> {
        self.places.next().map(T::in_place)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.places.left();
        (left, Some(left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, T::InPlace<'a>) -> B>(self, start: B, mut with: F) -> B {
        self.places.fold(start, |folded, place| with(folded, T::in_place(place)))
    }
}

impl<T: FixedSize> ExactSizeIterator for SequenceViewIter<'_, T> {}

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
        Self::in_place(place).is_valid(last_char)
    }
}
