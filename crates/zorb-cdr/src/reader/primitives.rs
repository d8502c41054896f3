//! Decoding primitives, runs of numbers, and sequences of octets.

use super::CdrReader;
use crate::{CdrErrorKind, CdrResult, Number};

macro_rules! read_primitive {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $is_float:literal, $what:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// `Truncated` when the stream ends first.
        #[inline]
        pub fn $name(&mut self) -> CdrResult<$type> {
            const SIZE: usize = size_of::<$type>();
            let octets = self.take_aligned::<SIZE>($what)?;
            if SIZE == 8 && !self.parts.is_empty() {
                self.note_numbers(octets, $is_float);
            }
            Ok(<$type>::from_octets(*octets, self.order))
        }
    )*};
}

impl<'a> CdrReader<'a> {
    read_primitive! {
        /// An `octet`.
        read_u8: u8, false, "octet";
        /// An `int8`.
        read_i8: i8, false, "int8";
        /// A `short`.
        read_i16: i16, false, "short";
        /// An `unsigned short`.
        read_u16: u16, false, "unsigned short";
        /// A `long`.
        read_i32: i32, false, "long";
        /// An `unsigned long`.
        read_u32: u32, false, "unsigned long";
        /// A `long long`.
        read_i64: i64, false, "long long";
        /// An `unsigned long long`.
        read_u64: u64, false, "unsigned long long";
        /// A `float`.
        read_f32: f32, true, "float";
        /// A `double`.
        read_f64: f64, true, "double";
    }

    #[inline]
    fn take_aligned<const SIZE: usize>(&mut self, what: &'static str) -> CdrResult<&'a [u8; SIZE]> {
        let start = self.aligned(SIZE);
        match self.buffer.get(start..).and_then(|rest| rest.first_chunk::<SIZE>()) {
            Some(octets) => {
                self.position = start + SIZE;
                Ok(octets)
            }
            None => Err(self.error(CdrErrorKind::Truncated, what)),
        }
    }

    /// The octets of `count` numbers of `size` octets (1, 2, 4 or 8) in a row, aligned once, in the
    /// [order](Self::order) of the stream. `is_float` if they are floating-point numbers.
    ///
    /// # Errors
    /// `Truncated` when the stream ends first.
    pub fn read_numbers(
        &mut self,
        size: usize,
        count: usize,
        is_float: bool,
        what: &'static str,
    ) -> CdrResult<&'a [u8]> {
        let start = self.aligned(size);
        let octets = self.buffer.get(start..);
        match octets.and_then(|rest| rest.get(..count.saturating_mul(size))) {
            Some(octets) => {
                self.position = start + octets.len();
                if size == 8 && !self.parts.is_empty() {
                    self.note_numbers(octets, is_float);
                }
                Ok(octets)
            }
            None => Err(self.error(CdrErrorKind::Truncated, what)),
        }
    }

    /// A `boolean`.
    ///
    /// # Errors
    /// `BadBoolean` for an octet other than 0 and 1; `Truncated`.
    #[inline]
    pub fn read_bool(&mut self) -> CdrResult<bool> {
        match self.read_u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.error(CdrErrorKind::BadBoolean, "boolean")),
        }
    }

    /// The element count of a sequence whose elements have at least `min_size` octets each. The caller
    /// may allocate memory for the count that this returns.
    ///
    /// Elements that may have no octets, whose `min_size` is 0, are [limited](Self::allow_empty) for all of a message.
    ///
    /// # Errors
    /// `LengthBeyondEnd` when the octets left cannot hold that many elements; `TooMuchMemory`; `Truncated`.
    #[inline]
    pub fn read_count(&mut self, min_size: usize, what: &'static str) -> CdrResult<usize> {
        let count = self.read_u32()? as usize;
        if min_size == 0 {
            self.allow_empty(count, what)?;
            return Ok(count);
        }
        match count.checked_mul(min_size) {
            Some(octets) if octets <= self.buffer.len() - self.position => Ok(count),
            Some(octets) if self.enter_tail(octets) => Ok(count),
            // The elements may span several chunks.
            Some(octets) if self.is_in_chunks() && octets <= self.remaining_in_all() => Ok(count),
            _ => Err(self.error(CdrErrorKind::LengthBeyondEnd, what)),
        }
    }

    /// As [`read_count`](Self::read_count), but compiled once, for code that is to be small.
    ///
    /// # Errors
    /// As [`read_count`](Self::read_count).
    #[doc(hidden)] // for zorb-interp
    #[inline(never)]
    pub fn read_count_by_call(&mut self, min_size: usize, what: &'static str) -> CdrResult<usize> {
        self.read_count(min_size, what)
    }

    /// As many octets as the count before them, without reading them, and the position behind them. `None` if they are not
    /// all in the buffer.
    #[inline]
    pub(crate) fn peek_counted(&mut self) -> Option<(&'a [u8], usize)> {
        let start = self.aligned(size_of::<u32>());
        let (count, rest) = self.buffer.get(start..)?.split_first_chunk()?;
        let octets = rest.get(..u32::from_octets(*count, self.order) as usize)?;
        Some((octets, start + size_of::<u32>() + octets.len()))
    }

    /// Reads on at a position that [`peek_counted`](Self::peek_counted) returned.
    #[inline]
    pub(crate) fn skip_to(&mut self, position: usize) {
        self.position = position;
    }

    /// A `sequence<octet>`, borrowed from the buffer.
    ///
    /// # Errors
    /// `LengthBeyondEnd`, `Truncated`.
    #[inline]
    pub fn read_octets(&mut self) -> CdrResult<&'a [u8]> {
        let count = self.read_count(1, "sequence<octet>")?;
        self.take(count, "sequence<octet>")
    }
}
