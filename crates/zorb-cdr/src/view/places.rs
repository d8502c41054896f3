//! Where the elements of a sequence are.

use core::fmt;
use core::marker::PhantomData;
use core::slice::ChunksExact;

use super::{FixedSize, Place, Viewed};
use crate::ByteOrder;

/// The places of elements of fixed size. All but the first one have compile-time constants as alignment and size.
pub struct FixedPlaces<'a, T> {
    first: Option<Place<'a>>,
    others: ChunksExact<'a, u8>,
    order: ByteOrder,
    elements: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for FixedPlaces<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FixedPlaces").finish_non_exhaustive()
    }
}

impl<'a, T: FixedSize> FixedPlaces<'a, T> {
    const CLASS: usize = T::FIXED.class();
    const STRIDE: usize = match T::FIXED.stride() {
        // A type without octets has no sequences.
        0 => 1,
        stride => stride,
    };

    #[inline]
    pub(super) fn new(place: Place<'a>, count: usize) -> Self {
        let Place { octets, class, order } = place;
        let first = octets.get(..T::FIXED.size_at(class)).filter(|_| count > 0);
        let others = count.saturating_sub(1).saturating_mul(Self::STRIDE);
        let start = first.map_or(0, <[u8]>::len);
        let others = octets.get(start..).and_then(|rest| rest.get(..others)).unwrap_or_default();
        Self {
            first: first.map(|first| Place::new(first, class, order)),
            others: others.chunks_exact(Self::STRIDE),
            order,
            elements: PhantomData,
        }
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
}

impl<'a, T: FixedSize> Iterator for FixedPlaces<'a, T> {
    type Item = Place<'a>;

    #[inline]
    fn next(&mut self) -> Option<Place<'a>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        self.others.next().map(|octets| Place::new(octets, Self::CLASS, self.order))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.first.is_some()) + self.others.len();
        (left, Some(left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, Place<'a>) -> B>(self, start: B, mut with: F) -> B {
        let Some(first) = self.first else { return self.fold_others(start, with) };
        let start = with(start, first);
        self.fold_others(start, with)
    }
}

impl<T: FixedSize> ExactSizeIterator for FixedPlaces<'_, T> {}

/// Iterates over elements of any size, by reading the length of each to find the next.
pub struct Walk<'a, T> {
    next: Place<'a>,
    left: usize,
    elements: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for Walk<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk").field("left", &self.left).finish_non_exhaustive()
    }
}

impl<'a, T> Walk<'a, T> {
    /// Iterates over `count` elements that start at `place`.
    #[must_use]
    pub fn new(place: Place<'a>, count: usize) -> Self {
        Self { next: place, left: count, elements: PhantomData }
    }
}

impl<'a, T: Viewed> Iterator for Walk<'a, T> {
    type Item = Place<'a>;

    #[inline]
    fn next(&mut self) -> Option<Place<'a>> {
        self.left = self.left.checked_sub(1)?;
        let place = self.next;
        self.next = T::behind(place);
        Some(place)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Viewed> ExactSizeIterator for Walk<'_, T> {}
