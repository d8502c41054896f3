//! Persistent state of a repository.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use zorb::dynamic::repository::{Repository, StoreError};

/// The maximum size of a state file, in octets.
const MAX_FILE: u64 = 256 << 20;

/// A file that stores the definitions of a repository.
///
/// The file is replaced atomically: a reader, even after a crash, finds either the previous or the
/// new contents. The format does not depend on the machine.
#[derive(Clone, Debug)]
pub struct StateFile(PathBuf);

/// A state file could not be read or written, or is not valid.
#[derive(Debug)]
pub struct StateError {
    path: PathBuf,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    File(io::Error),
    Content(StoreError),
}

impl StateFile {
    /// The file with this name, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Loads the definitions; `None` if the file does not exist.
    ///
    /// # Errors
    /// The file cannot be read, is larger than 256 MiB, or is not a state file.
    pub fn load(&self) -> Result<Option<Repository>, StateError> {
        let file = match File::open(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| self.failed(Reason::File(error)))?,
        };
        let octets = read(file).map_err(|error| self.failed(Reason::File(error)))?;
        let repository = Repository::from_octets(&octets);
        repository.map(Some).map_err(|error| self.failed(Reason::Content(error)))
    }

    /// Stores the definitions.
    ///
    /// # Errors
    /// The file cannot be written. Its previous contents are kept.
    pub fn store(&self, repository: &Repository) -> Result<(), StateError> {
        let octets = repository.to_octets().map_err(|error| self.failed(Reason::Content(error)))?;
        self.replace(&octets).map_err(|error| self.failed(Reason::File(error)))
    }

    fn replace(&self, octets: &[u8]) -> io::Result<()> {
        let mut name = self.0.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        let new = self.0.with_file_name(name);
        let mut file = File::create(&new)?;
        file.write_all(octets)?;
        file.sync_all()?;
        drop(file);
        std::fs::rename(&new, &self.0)?;
        // Syncs the folder entry to disk as well.
        let folder = match self.0.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        File::open(folder)?.sync_all()
    }

    #[cold]
    fn failed(&self, reason: Reason) -> StateError {
        StateError { path: self.0.clone(), reason }
    }
}

/// Reads a whole file. Devices and pipes, which may have no end, are rejected.
fn read(file: File) -> io::Result<Vec<u8>> {
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut octets = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut octets)?;
    if octets.len() as u64 > MAX_FILE {
        return Err(io::Error::other(format!("larger than the limit, {MAX_FILE} octets")));
    }
    Ok(octets)
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.reason {
            Reason::File(error) => error.fmt(f),
            Reason::Content(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StateError {}
