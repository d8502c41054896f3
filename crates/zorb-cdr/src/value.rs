//! The tags of values.

/// Stands for a tag, an id or a list of ids where an earlier one is pointed at.
pub(crate) const INDIRECTION: u32 = 0xffff_ffff;
/// Tags are numbers from here to [`LAST_TAG`]; smaller ones are sizes of chunks.
pub(crate) const FIRST_TAG: u32 = 0x7fff_ff00;
/// The last tag; beyond are end tags, which are negative.
pub(crate) const LAST_TAG: u32 = 0x7fff_ffff;
/// A codebase URL follows.
pub(crate) const CODEBASE: u32 = 0x01;
/// One repository id follows.
pub(crate) const ONE_ID: u32 = 0x02;
/// A list of repository ids follows.
pub(crate) const IDS: u32 = 0x06;
/// The state comes in chunks.
pub(crate) const IS_CHUNKED: u32 = 0x08;
