//! The memory that decoded values take: how much a message may need, and what it is charged to.

use alloc::vec::Vec;

use super::CdrReader;
use crate::{CdrErrorKind, CdrResult};

/// The octets of memory that the elements of the sequences in a message may take in any case.
const ALLOWANCE: usize = 64 << 20;
/// The binary logarithm of the octets of memory that they may take for each octet of the message.
const PER_OCTET: u32 = 2;
/// The octets of decoded values of a message that are not charged.
const FREE: usize = 256 << 10;
/// The octets that are charged at a time.
const STEP: usize = 1 << 20;

/// The memory for the values of a message that are not decoded yet.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    /// The octets that further elements may take.
    allowance: usize,
    /// The octets that are free or charged, and not in use yet.
    charged: usize,
}

impl Memory {
    /// For a message of `octets`.
    #[inline]
    pub(super) fn of_message(octets: usize) -> Self {
        Self { allowance: ALLOWANCE.saturating_add(octets << PER_OCTET), charged: FREE }
    }
}

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
        let Some(left) = self.memory.allowance.checked_sub(octets) else {
            return Err(self.error(CdrErrorKind::TooMuchMemory, what));
        };
        self.use_memory(octets, what)?;
        self.memory.allowance = left;
        Ok(())
    }

    /// A vector with room for `count` numbers or characters, which take nothing from the [allowance](Self::allow) but
    /// are charged in the same way.
    ///
    /// # Errors
    /// `OutOfMemory`.
    #[inline]
    pub fn vector<T>(&mut self, count: usize, what: &'static str) -> CdrResult<Vec<T>> {
        self.use_memory(count.saturating_mul(size_of::<T>()), what)?;
        self.vector_of_allowed(count, what)
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

    #[inline]
    fn use_memory(&mut self, octets: usize, what: &'static str) -> CdrResult<()> {
        if octets > self.memory.charged {
            self.charge_more(octets - self.memory.charged, what)?;
        }
        self.memory.charged -= octets;
        Ok(())
    }

    /// Charges at least `octets` more.
    #[cold]
    #[inline(never)]
    fn charge_more(&mut self, octets: usize, what: &'static str) -> CdrResult<()> {
        let octets = octets.max(STEP);
        if let Some(context) = self.context {
            let Some(charge) = context.charge(octets) else {
                return Err(self.error(CdrErrorKind::OutOfMemory, what));
            };
            self.retain_charge(charge);
        }
        self.memory.charged += octets;
        Ok(())
    }
}
