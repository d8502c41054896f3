//! Memory for decoded values, within the allowance of their message.

use alloc::string::String;
use alloc::vec::Vec;

use super::CdrReader;
use super::memory::STEP;
use crate::{CdrError, CdrErrorKind, CdrResult};

/// What an element without octets takes from the allowance.
const EMPTY_ELEMENT: usize = 64;

impl CdrReader<'_> {
    /// Takes octets of memory for decoded values from the allowance of the stream, before they are allocated.
    ///
    /// An empty any has 4 octets in a message and about 50 in memory, so without a limit a message could need a
    /// multiple of its size. The elements of sequences, TypeCodes, references and valuetypes in a message together may
    /// take 4 octets for each of its octets, and 64 MiB. Numbers and text do not count.
    ///
    /// What exceeds 256 KiB is [charged](crate::ReadContext::charge) to the context, until the reader is dropped.
    ///
    /// # Errors
    /// `TooMuchMemory`; `OutOfMemory` if the context has no memory.
    #[inline]
    pub fn allow(&mut self, octets: usize, what: &'static str) -> CdrResult<()> {
        if octets <= self.memory.allowance && self.use_memory(octets) {
            self.memory.allowance -= octets;
            return Ok(());
        }
        Err(self.without_memory(octets, what))
    }

    /// Takes elements without octets, those of structs without members, from the same allowance, each as 64
    /// octets: a message may have about a million of them.
    ///
    /// They need no memory, but a message of a few octets could make its reader count to four billion.
    /// [`read_count`](Self::read_count) takes the elements of sequences and maps, so that a type only has to take those
    /// of its arrays.
    ///
    /// # Errors
    /// `TooMuchMemory`.
    #[cold]
    pub fn allow_empty(&mut self, count: usize, what: &'static str) -> CdrResult<()> {
        let octets = count.saturating_mul(EMPTY_ELEMENT);
        match self.memory.allowance.checked_sub(octets) {
            Some(left) => self.memory.allowance = left,
            None => return Err(self.error(CdrErrorKind::TooMuchMemory, what)),
        }
        Ok(())
    }

    #[cold]
    fn without_memory(&self, octets: usize, what: &'static str) -> CdrError {
        let is_too_much = octets > self.memory.allowance;
        let too_much = is_too_much.then_some(CdrErrorKind::TooMuchMemory);
        self.error(too_much.unwrap_or(CdrErrorKind::OutOfMemory), what)
    }

    /// A vector with room for `count` numbers or characters, which take nothing from the [allowance](Self::allow) but
    /// are charged in the same way.
    ///
    /// # Errors
    /// `OutOfMemory`.
    #[inline]
    pub fn vector<T>(&mut self, count: usize, what: &'static str) -> CdrResult<Vec<T>> {
        let mut values = Vec::new();
        let octets = count.saturating_mul(size_of::<T>());
        match self.use_memory(octets) && values.try_reserve_exact(count).is_ok() {
            true => Ok(values),
            false => Err(self.error(CdrErrorKind::OutOfMemory, what)),
        }
    }

    /// A vector with room for `count` elements whose memory was [allowed](Self::allow).
    ///
    /// # Errors
    /// `OutOfMemory`.
    #[inline]
    pub fn vector_of_allowed<T>(&self, count: usize, what: &'static str) -> CdrResult<Vec<T>> {
        let mut values = Vec::new();
        match values.try_reserve_exact(count) {
            Ok(()) => Ok(values),
            Err(_) => Err(self.error(CdrErrorKind::OutOfMemory, what)),
        }
    }

    /// A copy of octets that were read.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn copied(&mut self, octets: &[u8], what: &'static str) -> CdrResult<Vec<u8>> {
        let mut copy = self.vector(octets.len(), what)?;
        copy.extend_from_slice(octets);
        Ok(copy)
    }

    /// A `String` with room for `octets` octets, which are charged as those of a [vector](Self::vector).
    pub(crate) fn string(&mut self, octets: usize, what: &'static str) -> CdrResult<String> {
        let mut text = String::new();
        match self.use_memory(octets) && text.try_reserve_exact(octets).is_ok() {
            true => Ok(text),
            false => Err(self.error(CdrErrorKind::OutOfMemory, what)),
        }
    }

    /// A copy of text that was read.
    #[cold]
    #[inline(never)]
    pub(crate) fn copied_text(&mut self, text: &str, what: &'static str) -> CdrResult<String> {
        let mut copy = self.string(text.len(), what)?;
        copy.push_str(text);
        Ok(copy)
    }

    /// Uses octets that are free or charged; `false` if more are needed than the context has.
    #[inline]
    fn use_memory(&mut self, octets: usize) -> bool {
        if octets > self.memory.charged && !self.charge_more(octets - self.memory.charged) {
            return false;
        }
        self.memory.charged -= octets;
        true
    }

    /// Charges at least `octets` more.
    #[cold]
    #[inline(never)]
    fn charge_more(&mut self, octets: usize) -> bool {
        let octets = octets.max(STEP);
        if let Some(context) = self.context {
            let Some(charge) = context.charge(octets) else { return false };
            self.retain_charge(charge);
        }
        self.memory.charged += octets;
        true
    }
}
