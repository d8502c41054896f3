//! Source files, spans in them, and file loaders.

mod loader;
mod map;

pub use loader::{DiskLoader, FileLoader, LoadError, MemoryLoader};
pub use map::{Expansion, Location, SourceFile, SourceMap};

/// The id of a file in its [`SourceMap`]. A file included twice is one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(crate) u32);

/// A range of a file's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Byte offset of the first character in [`SourceFile::text`].
    pub start: u32,
    /// Byte offset just past the last character.
    pub end: u32,
}

impl Span {
    pub(crate) const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The span from the start of `self` to the end of `other` when both are in one file and in
    /// order; otherwise `self`.
    pub(crate) fn to(self, other: Self) -> Self {
        if self.file == other.file && other.end >= self.end {
            Self { end: other.end, ..self }
        } else {
            self
        }
    }

    /// The empty span just after this one.
    pub(crate) const fn after(self) -> Self {
        Self { start: self.end, ..self }
    }
}
