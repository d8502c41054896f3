//! The policies about compression (CORBA 3.3 part 2, 12.3).

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_core::options::Options;
use zorb_core::policy::{Levels, Policies, Policy, PolicyType, TypedPolicy};

/// The maximum number of compressors in a [`CompressorIdLevelList`] that is received.
const MAX_COMPRESSORS: usize = 64;

/// Policies that permit compression by zlib: for the calls of a client, and for the objects of a server.
///
/// They are [`CompressionEnabling`] and a [`CompressorIdLevelList`], without which other ORBs do not compress.
#[must_use]
pub fn enabled() -> Policies {
    Policies::new().with(CompressionEnabling(true)).with(CompressorIdLevelList::default())
}

/// Whether messages may be compressed (`ZIOP::CompressionEnablingPolicy`). Default: they may not.
///
/// Both sides must permit it: the client for the call, by the levels ORB, thread, reference or call; the server for the
/// object, by its adapter, which inherits the policy of the ORB when it is created. References of such an adapter contain
/// it. The server understands compressed messages on connections that clients open after the first adapter with the
/// policy has been created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct CompressionEnabling(pub bool);

impl TypedPolicy for CompressionEnabling {
    const POLICY_TYPE: PolicyType = PolicyType::COMPRESSION_ENABLING;
    const LEVELS: Levels = Levels::CLIENT.and(Levels::ADAPTER);
    const EXPOSED: bool = true;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_bool(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_bool().map(Self)
    }

    /// Adapters inherit it, although references can have it.
    fn merged_under(&self, stronger: &Policies) -> Option<Policy> {
        Some(Policy::new(stronger.value().copied().unwrap_or(*self)))
    }

    fn default_of(_: &Options) -> Option<Self> {
        Some(Self::default())
    }
}

/// The number of a compressor (`Compression::CompressorId`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CompressorId(pub u16);

impl CompressorId {
    /// None.
    pub const NONE: Self = Self(0);
    /// gzip; not supported.
    pub const GZIP: Self = Self(1);
    /// bzip2; not supported.
    pub const BZIP2: Self = Self(3);
    /// zlib (RFC 1950).
    pub const ZLIB: Self = Self(4);
    /// Zstandard (RFC 8878), with the feature `zstd`. The standard has no number for it: only Zorb knows this one.
    #[cfg(feature = "zstd")]
    pub const ZSTD: Self = Self(0x5A53);

    /// Whether this crate has the compressor.
    #[must_use]
    pub const fn is_supported(self) -> bool {
        match self {
            Self::ZLIB => true,
            #[cfg(feature = "zstd")]
            Self::ZSTD => true,
            _ => false,
        }
    }
}

/// A compressor with the level at which it compresses (`Compression::CompressorIdLevel`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompressorIdLevel {
    /// The compressor.
    pub compressor: CompressorId,
    /// The level: from 0, no compression, to 9, the smallest messages. Higher ones mean 9.
    pub level: u16,
}

impl CompressorIdLevel {
    /// zlib at its usual level.
    pub(crate) const ZLIB: Self = Self { compressor: CompressorId::ZLIB, level: 6 };
}

/// The compressors, the preferred one first (`ZIOP::CompressorIdLevelListPolicy`). Default: zlib at level 6.
///
/// Calls use the first compressor of the client that the server has, too, and that Zorb supports. The levels are those
/// of [`CompressionEnabling`]; references contain the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompressorIdLevelList(pub Vec<CompressorIdLevel>);

impl Default for CompressorIdLevelList {
    fn default() -> Self {
        Self(vec![CompressorIdLevel::ZLIB])
    }
}

impl CompressorIdLevelList {
    /// The compressors that `server` has, too, and that are supported here.
    pub(crate) fn in_common_with(mut self, server: &Self) -> Self {
        let has = |wanted| server.0.iter().any(|known| known.compressor == wanted);
        self.0.retain(|known| known.compressor.is_supported() && has(known.compressor));
        self
    }
}

impl TypedPolicy for CompressorIdLevelList {
    const POLICY_TYPE: PolicyType = PolicyType::COMPRESSOR_ID_LEVEL_LIST;
    const LEVELS: Levels = Levels::CLIENT.and(Levels::ADAPTER);
    const EXPOSED: bool = true;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(self.0.len(), "CompressorIdLevelList")?;
        for CompressorIdLevel { compressor, level } in &self.0 {
            writer.write_u16(compressor.0);
            writer.write_u16(*level);
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let count = reader.read_count(4, "CompressorIdLevelList")?;
        if count > MAX_COMPRESSORS {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "CompressorIdLevelList"));
        }
        let mut list = reader.vector(count, "CompressorIdLevelList")?;
        for _ in 0..count {
            let compressor = CompressorId(reader.read_u16()?);
            list.push(CompressorIdLevel { compressor, level: reader.read_u16()? });
        }
        Ok(Self(list))
    }

    /// Adapters inherit it, although references can have it.
    fn merged_under(&self, stronger: &Policies) -> Option<Policy> {
        Some(Policy::new(stronger.value().cloned().unwrap_or(self.clone())))
    }

    fn default_of(_: &Options) -> Option<Self> {
        Some(Self::default())
    }
}

/// The size in octets that the body of a message must exceed to be compressed (`ZIOP::CompressionLowValuePolicy`).
/// Default: 1,024.
///
/// For the requests of a client, by the levels ORB, thread, reference and call; for the replies of a server by its ORB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompressionLowValue(pub u32);

impl Default for CompressionLowValue {
    fn default() -> Self {
        Self(1_024)
    }
}

impl TypedPolicy for CompressionLowValue {
    const POLICY_TYPE: PolicyType = PolicyType::COMPRESSION_LOW_VALUE;
    const LEVELS: Levels = Levels::CLIENT;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_u32().map(Self)
    }

    fn default_of(_: &Options) -> Option<Self> {
        Some(Self::default())
    }
}

/// The maximum ratio of the compressed size of a body to its original size (`ZIOP::CompressionMinRatioPolicy`, a
/// `Compression::CompressionRatio`), from 0 to 1. A message that becomes larger is sent as it is. Default: 0.9.
///
/// It has the levels of [`CompressionLowValue`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompressionMinRatio(pub f32);

impl Default for CompressionMinRatio {
    fn default() -> Self {
        Self(0.9)
    }
}

impl TypedPolicy for CompressionMinRatio {
    const POLICY_TYPE: PolicyType = PolicyType::COMPRESSION_MIN_RATIO;
    const LEVELS: Levels = Levels::CLIENT;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_f32(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_f32().map(Self)
    }

    fn default_of(_: &Options) -> Option<Self> {
        Some(Self::default())
    }
}
