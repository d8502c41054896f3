//! What the policies of both sides mean together.

use crate::policy::{
    CompressionLowValue, CompressionMinRatio, CompressorId, CompressorIdLevel,
    CompressorIdLevelList,
};

/// How messages are compressed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) compressor: CompressorId,
    pub(crate) level: u8,
}

/// Which messages are compressed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Thresholds {
    pub(crate) low_value: CompressionLowValue,
    pub(crate) min_ratio: CompressionMinRatio,
}

impl Choice {
    /// The first compressor of the client's list that the server's contains, at the level of the side that sends.
    pub(crate) fn of(
        client: &CompressorIdLevelList,
        server: &CompressorIdLevelList,
        sender: &CompressorIdLevelList,
    ) -> Option<Self> {
        let compressor = client.clone().in_common_with(server).0.first()?.compressor;
        let sent = sender.0.iter().find(|known| known.compressor == compressor);
        let level = sent.map_or(CompressorIdLevel::ZLIB.level, |known| known.level);
        Some(Self { compressor, level: u8::try_from(level.min(9)).unwrap_or(9) })
    }
}

impl Thresholds {
    /// The maximum number of octets that the body of a message of `size` octets may have when it is compressed, its
    /// description included; `None` if it is not to be compressed.
    pub(crate) fn most_of(&self, size: usize) -> Option<usize> {
        if u32::try_from(size).is_ok_and(|size| size <= self.low_value.0) {
            return None;
        }
        let ratio = f64::from(self.min_ratio.0.clamp(0.0, 1.0));
        // A NaN becomes 0.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most `size`"
        )]
        #[expect(clippy::cast_precision_loss, reason = "messages have less than 2^52 octets")]
        let most = (size as f64 * ratio) as usize;
        Some(most.min(size.saturating_sub(1)))
    }

    /// A cache key, equal only for equal thresholds.
    pub(crate) fn key(&self) -> [i64; 2] {
        [i64::from(self.low_value.0), i64::from(self.min_ratio.0.to_bits())]
    }
}
