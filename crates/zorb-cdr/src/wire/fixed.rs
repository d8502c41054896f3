//! Types of fixed size, which are moved in runs: one bounds check for many values, and members at
//! offsets that are compile-time constants.

mod layout;
#[cfg(test)]
mod tests;

use crate::ByteOrder;

pub use layout::FixedLayout;
pub(crate) use layout::MAX_ALIGNMENT;

/// Writes one value of a fixed-size type, member by member, to octets reserved for it.
///
/// It is created where size and alignment are constants, so that the offset of each member is one too.
#[derive(Debug)]
pub struct FixedWriter<'a> {
    octets: &'a mut [u8],
    position: usize,
    /// The offset of the first octet, modulo 8.
    class: usize,
    order: ByteOrder,
    /// The last character that has a single octet.
    last_char: char,
}

impl<'a> FixedWriter<'a> {
    #[inline]
    pub(super) fn new(
        octets: &'a mut [u8],
        class: usize,
        order: ByteOrder,
        last_char: char,
    ) -> Self {
        Self { octets, position: 0, class, order, last_char }
    }

    /// The byte order in use.
    #[inline]
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// Writes a number of `N` octets, aligned to its size; `None` when the octets are used up.
    #[inline]
    pub fn put<const N: usize>(&mut self, octets: [u8; N]) -> Option<()> {
        let [number] = self.reserve::<N>(1)? else { return None };
        *number = octets;
        Some(())
    }

    /// Returns the octets of `count` aligned numbers of `N` octets, to be overwritten; `None` when the
    /// octets are used up.
    #[inline]
    pub fn reserve<const N: usize>(&mut self, count: usize) -> Option<&mut [[u8; N]]> {
        let start = aligned(self.position, self.class, N);
        let size = count.checked_mul(N)?;
        let (numbers, _) = self.octets.get_mut(start..)?.get_mut(..size)?.as_chunks_mut::<N>();
        self.position = start + size;
        Some(numbers)
    }

    /// Writes a `char`; `None` when the code set needs more than one octet for it.
    #[inline]
    pub fn put_char(&mut self, value: char) -> Option<()> {
        if value > self.last_char {
            return None;
        }
        // Not above `last_char`, which is one octet.
        self.put([value as u8])
    }
}

/// Reads one value of a fixed-size type, member by member.
///
/// It is created where size and alignment are constants, so that the offset of each member is one too.
#[derive(Debug)]
pub struct FixedReader<'a> {
    octets: &'a [u8],
    position: usize,
    /// The offset of the first octet, modulo 8.
    class: usize,
    order: ByteOrder,
    /// The last octet that is a character by itself.
    last_char: u8,
    refused: bool,
}

impl<'a> FixedReader<'a> {
    #[inline]
    pub(super) fn new(octets: &'a [u8], class: usize, order: ByteOrder, last_char: u8) -> Self {
        Self { octets, position: 0, class, order, last_char, refused: false }
    }

    /// Whether a value was refused.
    #[inline]
    pub(super) fn has_refused(&self) -> bool {
        self.refused
    }

    /// The byte order in use.
    #[inline]
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// Reads a number of `N` octets, aligned to its size; `None` at the end of the octets.
    #[inline]
    pub fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let [octets] = self.take_many::<N>(1)? else { return None };
        Some(*octets)
    }

    /// Reads `count` numbers of `N` octets; `None` at the end of the octets.
    #[inline]
    pub fn take_many<const N: usize>(&mut self, count: usize) -> Option<&'a [[u8; N]]> {
        let start = aligned(self.position, self.class, N);
        let size = count.checked_mul(N)?;
        let (octets, _) = self.octets.get(start..)?.get(..size)?.as_chunks::<N>();
        self.position = start + size;
        Some(octets)
    }

    /// Reads a `char`, and [refuses](Self::refuse) an octet that is not a whole character.
    #[inline]
    pub fn take_char(&mut self) -> Option<char> {
        let [octet] = self.take()?;
        self.refuse(octet > self.last_char);
        Some(char::from(octet))
    }

    /// Marks the value as invalid, if `bad`. The caller then discards it: setting a flag is cheaper in a
    /// loop than leaving it.
    #[inline]
    pub fn refuse(&mut self, bad: bool) {
        self.refused |= bad;
    }
}

/// The next position whose offset is a multiple of `alignment`; position 0 has the offset `class`.
#[inline]
fn aligned(position: usize, class: usize, alignment: usize) -> usize {
    position + (position + class).wrapping_neg() % alignment
}
