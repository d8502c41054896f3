//! Encapsulations and nested values.

use alloc::sync::Arc;

use super::CdrReader;
use crate::{ByteOrder, CdrError, CdrErrorKind, CdrResult, TextCoding};

/// The maximum nesting depth of values: recursive types, nested anys, TypeCodes and encapsulations.
pub const MAX_DEPTH: u16 = 128;

impl<'a> CdrReader<'a> {
    /// A reader over an encapsulation: `octets[0]` is the byte order and the alignment base.
    ///
    /// # Errors
    /// `Truncated` when there is no byte-order octet.
    pub fn for_encapsulation(octets: &'a [u8]) -> CdrResult<Self> {
        let order = octets
            .first()
            .map(|&octet| ByteOrder::from_flag(octet))
            .ok_or_else(|| CdrError::new(CdrErrorKind::Truncated, 0, "encapsulation"))?;
        let mut reader = Self::new(octets, order);
        reader.position = 1;
        reader.text = TextCoding::ENCAPSULATION;
        Ok(reader)
    }

    /// A reader over the encapsulation in a `sequence<octet>`.
    ///
    /// The inner reader inherits depth and context, and has the text coding of encapsulations.
    ///
    /// # Errors
    /// As [`read_octets`](Self::read_octets) and [`for_encapsulation`](Self::for_encapsulation).
    pub fn read_encapsulation(&mut self) -> CdrResult<Self> {
        let octets = self.read_octets()?;
        let mut inner = Self::for_encapsulation(octets)?;
        inner.depth = self.depth;
        inner.memory = self.memory;
        inner.context = self.context;
        Ok(inner)
    }

    /// Ends the decoding of an [encapsulation](Self::read_encapsulation) whose values live on: the memory that they take
    /// is that of the message.
    pub fn leave_encapsulation(&mut self, inner: Self) {
        self.memory = inner.memory;
        if let Some(values) = &inner.values {
            values.charged.iter().for_each(|charge| self.retain_charge(Arc::clone(charge)));
        }
    }

    /// Enters a nested value. Call [`ascend`](Self::ascend) at its end.
    ///
    /// # Errors
    /// `TooDeep` at [`MAX_DEPTH`].
    #[inline]
    pub fn descend(&mut self, what: &'static str) -> CdrResult<()> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(CdrErrorKind::TooDeep, what));
        }
        self.depth += 1;
        Ok(())
    }

    /// Leaves a nested value entered with [`descend`](Self::descend).
    #[inline]
    pub fn ascend(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
