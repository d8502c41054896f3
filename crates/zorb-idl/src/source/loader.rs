//! Loaders of source files.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use crate::limits::MAX_FILE_BYTES;

/// A source of files.
pub trait FileLoader: Debug {
    /// Reads the whole file at `path`.
    ///
    /// # Errors
    /// On [`LoadError::NotFound`] the preprocessor tries the next search path; it reports the other
    /// errors to the user.
    fn load(&self, path: &Path) -> Result<Vec<u8>, LoadError>;
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no such file.
    NotFound,
    /// It is larger than [`crate::limits::MAX_FILE_BYTES`].
    TooLarge,
    /// It is UTF-16 text; IDL is UTF-8 or ISO 8859-1.
    Utf16,
    /// Any other failure, as described by the operating system.
    Other(String),
}

/// Reads files from the file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskLoader;

impl FileLoader for DiskLoader {
    fn load(&self, path: &Path) -> Result<Vec<u8>, LoadError> {
        let file = File::open(path).map_err(|error| from_io(&error))?;
        let metadata = file.metadata().map_err(|error| from_io(&error))?;
        if metadata.is_dir() {
            return Err(LoadError::NotFound);
        }
        let mut bytes = Vec::new();
        // One byte more than allowed distinguishes "too large" from "just fits".
        let limit = MAX_FILE_BYTES as u64 + 1;
        file.take(limit).read_to_end(&mut bytes).map_err(|error| from_io(&error))?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(LoadError::TooLarge);
        }
        Ok(bytes)
    }
}

fn from_io(error: &std::io::Error) -> LoadError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => LoadError::NotFound,
        _ => LoadError::Other(error.to_string()),
    }
}

/// Files in memory, for tests and tools.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl MemoryLoader {
    /// Creates a loader without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(normalise(&path.into()), content.into());
        self
    }
}

impl FileLoader for MemoryLoader {
    fn load(&self, path: &Path) -> Result<Vec<u8>, LoadError> {
        let content = self.files.get(&normalise(path)).ok_or(LoadError::NotFound)?;
        if content.len() > MAX_FILE_BYTES {
            return Err(LoadError::TooLarge);
        }
        Ok(content.clone())
    }
}

/// Removes `.` and folds `..` lexically, so that a file has one name.
pub(crate) fn normalise(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.last(), Some(Component::Normal(_))) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.into_iter().collect()
}
