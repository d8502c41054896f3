//! The compressors of the messages that a stream may receive.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::policy::{CompressorId, CompressorIdLevelList};

/// Compressors that this side has announced, one bit for each. Data of others does not reach their libraries: this crate
/// may have a compressor only because another part of the program needs it.
#[derive(Debug, Default)]
pub(crate) struct Accepted(AtomicU8);

impl Accepted {
    /// Those of a list that this crate has.
    pub(crate) fn of(list: &CompressorIdLevelList) -> Self {
        let accepted = Self::default();
        accepted.add(list);
        accepted
    }

    /// All that this crate has.
    pub(crate) const fn all() -> Self {
        Self(AtomicU8::new(u8::MAX))
    }

    /// Adds those of a list.
    pub(crate) fn add(&self, list: &CompressorIdLevelList) {
        let bits = list.0.iter().fold(0, |bits, known| bits | bit(known.compressor));
        self.0.fetch_or(bits, Ordering::Relaxed);
    }

    pub(crate) fn contains(&self, compressor: CompressorId) -> bool {
        self.bits() & bit(compressor) != 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bits() == 0
    }

    /// A number that is equal for equal sets.
    pub(crate) fn bits(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The bit of a compressor; 0 if this crate does not have it.
const fn bit(compressor: CompressorId) -> u8 {
    match compressor {
        CompressorId::ZLIB => 1,
        #[cfg(feature = "zstd")]
        CompressorId::ZSTD => 2,
        _ => 0,
    }
}
