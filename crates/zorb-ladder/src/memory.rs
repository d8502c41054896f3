//! Memory as the C++ mapping lays it out: images of values, and blocks that they point to.
//!
//! ```text
//! sequence  | maximum: 4 | length: 4 | pointer: 8 |
//! string    | pointer: 8 |
//! ```
//!
//! Numbers are in the machine's byte order and aligned to their sizes, members of structs as in C. A pointer is the number
//! of a block, 0 if there is none. So engines that interpret memory need no unsafe code; a pointer costs them a lookup.

use crate::{Error, Result};

/// The size of a sequence in memory.
pub const SEQUENCE: usize = 16;
/// The offset of a sequence's length.
pub(crate) const LENGTH: usize = 4;
/// The offset of a sequence's pointer.
pub(crate) const POINTER: usize = 8;

/// The blocks that values point to.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    blocks: Vec<Option<Vec<u8>>>,
    unused: Vec<usize>,
}

impl Heap {
    /// Adds a block, and returns the pointer to it.
    pub fn insert(&mut self, block: Vec<u8>) -> u64 {
        let index = self.unused.pop().unwrap_or_else(|| {
            self.blocks.push(None);
            self.blocks.len() - 1
        });
        if let Some(place) = self.blocks.get_mut(index) {
            *place = Some(block);
        }
        index as u64 + 1
    }

    /// The block that a pointer leads to; no octets for a null pointer.
    ///
    /// # Errors
    /// There is none.
    #[inline]
    pub fn block(&self, pointer: u64) -> Result<&[u8]> {
        if pointer == 0 {
            return Ok(&[]);
        }
        match self.blocks.get(index(pointer)) {
            Some(Some(block)) => Ok(block),
            _ => Err(Error::BadPointer),
        }
    }

    /// Takes a block out of the heap; one without octets for a null pointer.
    ///
    /// # Errors
    /// There is none.
    #[inline]
    pub fn take(&mut self, pointer: u64) -> Result<Vec<u8>> {
        if pointer == 0 {
            return Ok(Vec::new());
        }
        let block = self.blocks.get_mut(index(pointer)).and_then(Option::take);
        let block = block.ok_or(Error::BadPointer)?;
        self.unused.push(index(pointer));
        Ok(block)
    }

    /// The number of blocks in the heap.
    #[must_use]
    pub fn live(&self) -> usize {
        self.blocks.len() - self.unused.len()
    }
}

fn index(pointer: u64) -> usize {
    pointer.wrapping_sub(1) as usize
}

/// The octets of a number at an offset of a memory image.
#[inline(always)]
pub(crate) fn load<const N: usize>(memory: &[u8], at: usize) -> Result<[u8; N]> {
    match memory.get(at..).and_then(|memory| memory.first_chunk()) {
        Some(octets) => Ok(*octets),
        None => Err(Error::BadPointer),
    }
}

/// Sets the octets of a number at an offset of a memory image.
#[inline(always)]
pub(crate) fn store<const N: usize>(memory: &mut [u8], at: usize, octets: [u8; N]) -> Result<()> {
    match memory.get_mut(at..).and_then(|memory| memory.first_chunk_mut()) {
        Some(place) => {
            *place = octets;
            Ok(())
        }
        None => Err(Error::BadPointer),
    }
}

/// Length and pointer of a sequence.
#[inline]
pub(crate) fn load_sequence(memory: &[u8], at: usize) -> Result<(u32, u64)> {
    let length = u32::from_ne_bytes(load(memory, at + LENGTH)?);
    Ok((length, u64::from_ne_bytes(load(memory, at + POINTER)?)))
}

/// Sets a sequence.
///
/// # Errors
/// The image ends before it.
#[inline]
pub fn store_sequence(memory: &mut [u8], at: usize, length: u32, pointer: u64) -> Result<()> {
    store(memory, at, length.to_ne_bytes())?;
    store(memory, at + LENGTH, length.to_ne_bytes())?;
    store(memory, at + POINTER, pointer.to_ne_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_by_their_pointers_until_they_are_taken() {
        let mut heap = Heap::default();
        let (first, second) = (heap.insert(vec![1]), heap.insert(vec![2]));
        assert_eq!((heap.block(first), heap.block(second)), (Ok(&[1][..]), Ok(&[2][..])));
        assert_eq!((heap.take(first), heap.live()), (Ok(vec![1]), 1));
        assert_eq!(heap.block(first), Err(Error::BadPointer));
        assert_eq!(heap.take(first), Err(Error::BadPointer));
        assert_eq!((heap.block(0), heap.block(u64::MAX)), (Ok(&[][..]), Err(Error::BadPointer)));
        assert_eq!(heap.insert(vec![3]), first);
    }

    #[test]
    fn numbers_outside_an_image_are_errors() {
        let mut image = [0; 16];
        store_sequence(&mut image, 0, 3, 4).unwrap();
        assert_eq!(load_sequence(&image, 0), Ok((3, 4)));
        assert_eq!(store(&mut image, 13, [0; 4]), Err(Error::BadPointer));
        assert_eq!(load::<4>(&image, usize::MAX), Err(Error::BadPointer));
    }
}
