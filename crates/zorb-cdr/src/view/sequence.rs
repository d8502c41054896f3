//! The views of sequences, and of the elements of arrays.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use super::{Position, Received, VariablePositions, Viewed};
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
    position: Position<'a>,
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
    for<'a> T::ReadAs<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<'a, T: Viewed> SequenceView<'a, T> {
    #[inline]
    pub(crate) const fn new(position: Position<'a>, count: usize) -> Self {
        Self { position, count, elements: PhantomData }
    }

    /// The position of the first element.
    pub(super) const fn position(self) -> Position<'a> {
        self.position
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

    /// The element at `index`; `None` after the last one. Elements of variable size, such as strings, are found from the
    /// first one on: read these in order.
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<T::ReadAs<'a>> {
        (index < self.count).then(|| self.element(index))
    }

    #[inline]
    pub(super) fn element(self, index: usize) -> T::ReadAs<'a> {
        T::read_at(T::element(self.position, index))
    }

    /// The elements in order.
    #[inline]
    #[must_use]
    pub fn iter(self) -> SequenceViewIter<'a, T> {
        SequenceViewIter { positions: T::positions(self.position, self.count) }
    }

    /// The elements as values of their own.
    #[must_use]
    pub fn to_vec(self) -> Vec<T::Value> {
        self.iter().map(T::value).collect()
    }
}

impl<'a, T: Viewed> IntoIterator for SequenceView<'a, T> {
    type Item = T::ReadAs<'a>;
    type IntoIter = SequenceViewIter<'a, T>;

    #[inline]
    fn into_iter(self) -> SequenceViewIter<'a, T> {
        self.iter()
    }
}

/// The elements of a [`SequenceView`], in order.
pub struct SequenceViewIter<'a, T: Viewed> {
    positions: T::Positions<'a>,
}

impl<T: Viewed> fmt::Debug for SequenceViewIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SequenceViewIter").finish_non_exhaustive()
    }
}

impl<'a, T: Viewed> Iterator for SequenceViewIter<'a, T> {
    type Item = T::ReadAs<'a>;

    #[inline]
    fn next(&mut self) -> Option<T::ReadAs<'a>> {
        self.positions.next().map(T::read_at)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.positions.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, T::ReadAs<'a>) -> B>(self, start: B, mut with: F) -> B {
        self.positions.fold(start, |folded, position| with(folded, T::read_at(position)))
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
            type ReadAs<'a> = SequenceView<'a, T>;
            type Positions<'a> = VariablePositions<'a, Self>;

            #[inline]
            fn read_at(position: Position<'_>) -> SequenceView<'_, T> {
                let (count, position) = position.counted();
                SequenceView::new(position, count)
            }

            #[inline]
            fn after(position: Position<'_>) -> Position<'_> {
                let (count, position) = position.counted();
                T::after_all(position, count)
            }

            #[inline]
            fn positions(position: Position<'_>, count: usize) -> VariablePositions<'_, Self> {
                VariablePositions::new(position, count)
            }

            fn value(read: SequenceView<'_, T>) -> Vec<T::Value> {
                read.to_vec()
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
            fn read_received(position: Position<'_>, count: usize) -> SequenceView<'_, T> {
                SequenceView::new(position, count)
            }
        }
    )*};
}

sequences! {
    [] Vec<T>, u32::MAX;
    [const N: u32] Bounded<Vec<T>, N>, N;
}
