//! Where the elements of a sequence are.

use core::fmt;
use core::marker::PhantomData;
use core::slice::ChunksExact;

use super::{FixedSize, Position, Viewed};
use crate::ByteOrder;

/// The positions of elements of fixed size. All but the first one have compile-time constants as alignment and size.
pub struct FixedPositions<'a, T> {
    first: Option<Position<'a>>,
    others: ChunksExact<'a, u8>,
    order: ByteOrder,
    elements: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for FixedPositions<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FixedPositions").finish_non_exhaustive()
    }
}

impl<'a, T: FixedSize> FixedPositions<'a, T> {
    const CLASS: usize = T::FIXED.class();
    const STRIDE: usize = match T::FIXED.stride() {
        // A type without octets has no sequences.
        0 => 1,
        stride => stride,
    };

    #[inline]
    pub(super) fn new(position: Position<'a>, count: usize) -> Self {
        let Position { octets, class, order } = position;
        let first = octets.get(..T::FIXED.size_at(class)).filter(|_| count > 0);
        let others = count.saturating_sub(1).saturating_mul(Self::STRIDE);
        let start = first.map_or(0, <[u8]>::len);
        let others = octets.get(start..).and_then(|rest| rest.get(..others)).unwrap_or_default();
        Self {
            first: first.map(|first| Position::new(first, class, order)),
            others: others.chunks_exact(Self::STRIDE),
            order,
            elements: PhantomData,
        }
    }

    /// One loop for each byte order.
    #[inline]
    fn fold_others<B>(self, start: B, mut with: impl FnMut(B, Position<'a>) -> B) -> B {
        match self.order {
            ByteOrder::Little => self.others.fold(start, |folded, octets| {
                with(folded, Position::new(octets, Self::CLASS, ByteOrder::Little))
            }),
            ByteOrder::Big => self.others.fold(start, |folded, octets| {
                with(folded, Position::new(octets, Self::CLASS, ByteOrder::Big))
            }),
        }
    }
}

impl<'a, T: FixedSize> Iterator for FixedPositions<'a, T> {
    type Item = Position<'a>;

    #[inline]
    fn next(&mut self) -> Option<Position<'a>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        self.others.next().map(|octets| Position::new(octets, Self::CLASS, self.order))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.first.is_some()) + self.others.len();
        (left, Some(left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, Position<'a>) -> B>(self, start: B, mut with: F) -> B {
        let Some(first) = self.first else { return self.fold_others(start, with) };
        let start = with(start, first);
        self.fold_others(start, with)
    }
}

impl<T: FixedSize> ExactSizeIterator for FixedPositions<'_, T> {}

/// Iterates over elements of any size, by reading the length of each to find the next.
pub struct VariablePositions<'a, T> {
    next: Position<'a>,
    left: usize,
    elements: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for VariablePositions<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VariablePositions").field("left", &self.left).finish_non_exhaustive()
    }
}

impl<'a, T> VariablePositions<'a, T> {
    /// Iterates over `count` elements that start at `position`.
    #[must_use]
    pub fn new(position: Position<'a>, count: usize) -> Self {
        Self { next: position, left: count, elements: PhantomData }
    }
}

impl<'a, T: Viewed> Iterator for VariablePositions<'a, T> {
    type Item = Position<'a>;

    #[inline]
    fn next(&mut self) -> Option<Position<'a>> {
        self.left = self.left.checked_sub(1)?;
        let position = self.next;
        self.next = T::after(position);
        Some(position)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Viewed> ExactSizeIterator for VariablePositions<'_, T> {}
