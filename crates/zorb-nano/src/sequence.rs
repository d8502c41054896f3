//! Sequences as they are received.

use core::fmt;
use core::marker::PhantomData;

use crate::{Plain, Reader, SystemException};

/// The value of a `sequence<T>`, borrowed from a message: its elements are decoded one by one.
pub struct Sequence<'a, T> {
    elements: Elements<'a, T>,
}

/// Decodes the elements of a [`Sequence`].
pub struct Elements<'a, T> {
    reader: Reader<'a>,
    left: usize,
    of: PhantomData<fn() -> T>,
}

impl<'a> Reader<'a> {
    /// The next value, a `sequence<T>` of at most `bound` elements, borrowed from the message.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_sequence<T: Plain>(
        &mut self,
        bound: u32,
    ) -> Result<Sequence<'a, T>, SystemException> {
        Sequence::read(self, bound)
    }
}

impl<'a, T: Plain> Sequence<'a, T> {
    /// Checks all elements, and leaves `reader` behind them.
    fn read(reader: &mut Reader<'a>, bound: u32) -> Result<Self, SystemException> {
        let left = reader.read_count(T::MIN_SIZE, bound)?;
        let elements = Elements { reader: reader.clone(), left, of: PhantomData };
        for _ in 0..left {
            T::read(reader)?;
        }
        Ok(Self { elements })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements.left
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its elements, in order.
    pub fn iter(&self) -> Elements<'a, T> {
        self.elements.clone()
    }
}

impl<T: Plain> Iterator for Elements<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        // It has been read before.
        T::read(&mut self.reader).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Plain> ExactSizeIterator for Elements<'_, T> {}

impl<T> Clone for Elements<'_, T> {
    fn clone(&self) -> Self {
        Self { reader: self.reader.clone(), left: self.left, of: PhantomData }
    }
}

impl<T> Clone for Sequence<'_, T> {
    fn clone(&self) -> Self {
        Self { elements: self.elements.clone() }
    }
}

impl<'a, T: Plain> IntoIterator for Sequence<'a, T> {
    type Item = T;
    type IntoIter = Elements<'a, T>;

    fn into_iter(self) -> Elements<'a, T> {
        self.elements
    }
}

impl<'a, T: Plain> IntoIterator for &Sequence<'a, T> {
    type Item = T;
    type IntoIter = Elements<'a, T>;

    fn into_iter(self) -> Elements<'a, T> {
        self.iter()
    }
}

impl<T: Plain + fmt::Debug> fmt::Debug for Sequence<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> fmt::Debug for Elements<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elements").field("left", &self.left).finish_non_exhaustive()
    }
}
