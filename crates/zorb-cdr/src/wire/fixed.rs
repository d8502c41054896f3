//! Types of fixed size, moved in runs: one check of space for many values, members at offsets
//! that the compiler knows.

mod layout;
mod run;
#[cfg(test)]
mod tests;

use crate::ByteOrder;

pub use layout::FixedLayout;
pub(super) use run::{read_one, read_run, write_run};

/// The room of one value of a fixed-size type, to be filled member by member.
///
/// Made where room and alignment are constants, so that each member's place becomes one too.
#[derive(Debug)]
pub struct FixedWriter<'a> {
    room: &'a mut [u8],
    position: usize,
    /// Octets from a multiple of 8 octets to the room's first.
    class: usize,
    order: ByteOrder,
    /// The last character that one octet can carry.
    last_char: char,
}

impl FixedWriter<'_> {
    /// The byte order in use.
    #[inline(always)]
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// Writes a number of `N` octets, aligned to its size; `None` where there is no room.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, octets: [u8; N]) -> Option<()> {
        let [place] = self.places::<N>(1)? else { return None };
        *place = octets;
        Some(())
    }

    /// Lends the places of `count` numbers of `N` octets; `None` where there is no room.
    #[inline(always)]
    pub fn places<const N: usize>(&mut self, count: usize) -> Option<&mut [[u8; N]]> {
        let start = aligned(self.position, self.class, N);
        let size = count.checked_mul(N)?;
        let (places, _) = self.room.get_mut(start..)?.get_mut(..size)?.as_chunks_mut::<N>();
        self.position = start + size;
        Some(places)
    }

    /// Writes a `char`; `None` where its code set has no single octet for it.
    #[inline(always)]
    pub fn put_char(&mut self, value: char) -> Option<()> {
        if value > self.last_char {
            return None;
        }
        // Not above `last_char`, which is one octet.
        self.put([value as u8])
    }
}

/// The octets of one value of a fixed-size type, to be taken member by member.
///
/// Made where size and alignment are constants, so that each member's place becomes one too.
#[derive(Debug)]
pub struct FixedReader<'a> {
    octets: &'a [u8],
    position: usize,
    /// Octets from a multiple of 8 octets to the first.
    class: usize,
    order: ByteOrder,
    /// The last octet that is a character in itself.
    last_char: u8,
    refused: bool,
}

impl<'a> FixedReader<'a> {
    /// The byte order in use.
    #[inline(always)]
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// Takes a number of `N` octets, aligned to its size; `None` where they are not there.
    #[inline(always)]
    pub fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let [octets] = self.take_many::<N>(1)? else { return None };
        Some(*octets)
    }

    /// Takes `count` numbers of `N` octets; `None` where they are not there.
    #[inline(always)]
    pub fn take_many<const N: usize>(&mut self, count: usize) -> Option<&'a [[u8; N]]> {
        let start = aligned(self.position, self.class, N);
        let size = count.checked_mul(N)?;
        let (octets, _) = self.octets.get(start..)?.get(..size)?.as_chunks::<N>();
        self.position = start + size;
        Some(octets)
    }

    /// Takes a `char`, and [refuses](Self::refuse) an octet that is no whole character.
    #[inline(always)]
    pub fn take_char(&mut self) -> Option<char> {
        let [octet] = self.take()?;
        self.refuse(octet > self.last_char);
        Some(char::from(octet))
    }

    /// Notes, if `bad`, that the octets just taken are no value of their type. What is made of them
    /// all the same is not used: a note is cheaper in a loop than a way out of it.
    #[inline(always)]
    pub fn refuse(&mut self, bad: bool) {
        self.refused |= bad;
    }
}

/// The next position that is a multiple of `alignment`, where position 0 is `class` after one.
#[inline(always)]
fn aligned(position: usize, class: usize, alignment: usize) -> usize {
    position + (position + class).wrapping_neg() % alignment
}
