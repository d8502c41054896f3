//! CDR streams: numbers at their alignment, in either byte order.
//!
//! The engine as it was found calls a function for each number ([`Outlined`]). The first step expands these in place
//! ([`Inlined`]). Both are the same code.

use crate::{Error, Result};

/// A cursor that appends to a buffer.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    buffer: &'a mut Vec<u8>,
    /// The index of the alignment base, modulo 8.
    base: usize,
    /// Whether the message has not the machine's byte order.
    pub(crate) swap: bool,
}

impl<'a> Writer<'a> {
    /// A writer whose first octet has the offset `start` from the alignment base.
    pub(crate) fn new(buffer: &'a mut Vec<u8>, start: usize, swap: bool) -> Self {
        let base = buffer.len().wrapping_sub(start);
        Self { buffer, base, swap }
    }

    #[inline(always)]
    pub(crate) fn align(&mut self, alignment: usize) {
        let padding = self.base.wrapping_sub(self.buffer.len()) & (alignment - 1);
        if padding > 0 {
            let end = self.buffer.len() + padding;
            self.buffer.resize(end, 0);
        }
    }

    #[inline(always)]
    pub(crate) fn put_number<const N: usize>(&mut self, mut octets: [u8; N]) {
        self.align(N);
        if self.swap {
            octets.reverse();
        }
        self.buffer.extend_from_slice(&octets);
    }

    #[inline(always)]
    pub(crate) fn put_octets(&mut self, octets: &[u8]) {
        self.buffer.extend_from_slice(octets);
    }

    #[inline(always)]
    pub(crate) fn put_length(&mut self, length: usize) -> Result<()> {
        let length = u32::try_from(length).map_err(|_| Error::TooLong)?;
        self.put_number(length.to_ne_bytes());
        Ok(())
    }
}

/// A cursor over the octets of a message.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// The offset of the end from the alignment base.
    end: usize,
    pub(crate) swap: bool,
}

impl<'a> Reader<'a> {
    /// Creates a reader of octets that begin at the offset `start` from the alignment base.
    pub(crate) fn new(octets: &'a [u8], start: usize, swap: bool) -> Self {
        Self { rest: octets, end: start + octets.len(), swap }
    }

    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }

    #[inline(always)]
    pub(crate) fn align(&mut self, alignment: usize) -> Result<()> {
        let padding = self.rest.len().wrapping_sub(self.end) & (alignment - 1);
        match self.rest.get(padding..) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(Error::Truncated),
        }
    }

    #[inline(always)]
    pub(crate) fn get_number<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.align(N)?;
        let Some((octets, rest)) = self.rest.split_first_chunk() else {
            return Err(Error::Truncated);
        };
        self.rest = rest;
        let mut octets = *octets;
        if self.swap {
            octets.reverse();
        }
        Ok(octets)
    }

    #[inline(always)]
    pub(crate) fn get_octets(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some((octets, rest)) = self.rest.split_at_checked(count) else {
            return Err(Error::Truncated);
        };
        self.rest = rest;
        Ok(octets)
    }

    /// The length of a sequence whose elements have this size in memory. The least octets of an element are at least an
    /// eighth of those.
    #[inline(always)]
    pub(crate) fn get_length(&mut self, size: usize) -> Result<usize> {
        let length = u32::from_ne_bytes(self.get_number()?) as usize;
        match length.checked_mul(size) {
            Some(octets) if octets <= self.rest.len().saturating_mul(8) => Ok(length),
            _ => Err(Error::Truncated),
        }
    }
}

/// How the numbers of messages are put and got.
pub(crate) trait Access {
    fn put_octet(writer: &mut Writer<'_>, octets: [u8; 1]);
    fn put_short(writer: &mut Writer<'_>, octets: [u8; 2]);
    fn put_long(writer: &mut Writer<'_>, octets: [u8; 4]);
    fn put_long_long(writer: &mut Writer<'_>, octets: [u8; 8]);
    fn get_octet(reader: &mut Reader<'_>) -> Result<[u8; 1]>;
    fn get_short(reader: &mut Reader<'_>) -> Result<[u8; 2]>;
    fn get_long(reader: &mut Reader<'_>) -> Result<[u8; 4]>;
    fn get_long_long(reader: &mut Reader<'_>) -> Result<[u8; 8]>;
}

macro_rules! access {
    ($(#[$doc:meta])* $name:ident, $inline:meta) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) enum $name {}

        access!($name, $inline,
            put_octet get_octet 1, put_short get_short 2, put_long get_long 4, put_long_long get_long_long 8);
    };
    ($name:ident, $inline:meta, $($put:ident $get:ident $size:literal),*) => {
        impl Access for $name {$(
            #[$inline]
            fn $put(writer: &mut Writer<'_>, octets: [u8; $size]) {
                writer.put_number(octets);
            }

            #[$inline]
            fn $get(reader: &mut Reader<'_>) -> Result<[u8; $size]> {
                reader.get_number()
            }
        )*}
    };
}

access! {
    /// By a call.
    Outlined, inline(never)
}
access! {
    /// By code that is expanded in place.
    Inlined, inline(always)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_to_the_base_and_swapped() {
        let mut octets = vec![9];
        let mut writer = Writer::new(&mut octets, 3, true);
        writer.put_number([1, 2]);
        writer.put_number([1, 2, 3, 4]);
        assert_eq!(octets, [9, 0, 2, 1, 0, 0, 4, 3, 2, 1]);
        let mut reader = Reader::new(&octets[1..], 3, true);
        assert_eq!((reader.get_number(), reader.get_number()), (Ok([1, 2]), Ok([1, 2, 3, 4])));
        assert_eq!(reader.get_number::<1>(), Err(Error::Truncated));
    }

    #[test]
    fn lengths_are_checked_before_memory_is_used() {
        let octets = [[255; 4], [0; 4]].concat();
        assert_eq!(Reader::new(&octets, 0, false).get_length(1), Err(Error::Truncated));
        assert_eq!(
            Reader::new(&[0, 0, 0, 1], 0, cfg!(target_endian = "little")).get_length(16),
            Err(Error::Truncated)
        );
        assert_eq!(Reader::new(&[0; 4], 0, false).get_length(16), Ok(0));
    }
}
