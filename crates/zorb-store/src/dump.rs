//! Dumps: all entries of a store as text, in lines of JSON.
//!
//! ```text
//! {"zorb-store-dump":1}
//! {"table":"naming.bindings","key":"printer","value":"IOR%00"}
//! {"entries":1,"crc32":"2d62125d"}
//! ```
//!
//! Keys and values are printable ASCII, in which `%XX` stands for other octets, and for `%`, `"` and `\`. The last
//! line contains the number of entries, and the CRC-32 of all octets before that line, so that a dump that was cut
//! off or changed is recognized. A dump does not depend on the machine, nor on the database.

mod read;
mod text;
mod write;

pub(crate) use read::Collected;
pub use read::read;
pub use write::write;

/// What a dump contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The number of entries.
    pub entries: u64,
    /// The size of the dump, in octets.
    pub octets: u64,
}

/// The version of the format, which the first line contains.
const VERSION: u32 = 1;

/// The checksum: that of gzip and PNG.
const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

#[cfg(test)]
mod tests;
