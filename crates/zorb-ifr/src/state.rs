//! Persistent state of a repository.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use zorb::dynamic::repository::{self, Repository};
use zorb_store::{Batch, Schema, Store, StoreError, replace_file};

/// The maximum size of a state file, in octets.
const MAX_FILE: u64 = 256 << 20;

/// The table in a store: the parts of the definitions by number, four octets, the most significant first.
const TABLE: &str = "ifr.definitions";
const SCHEMA: Schema = Schema::new("ifr", &[]);

/// The size of a part in a store, in octets.
const PART: usize = 1 << 20;

/// Where the definitions of a repository are stored: in a file, or in the [store](zorb_store::Store) of a service.
///
/// The definitions are replaced as a whole: a reader, even after a crash, finds either the previous or the new ones. The
/// format does not depend on the machine.
#[derive(Clone, Debug)]
pub struct State(Storage);

#[derive(Clone, Debug)]
enum Storage {
    File(PathBuf),
    Store(Arc<dyn Store>),
}

/// The state could not be read or written, or is not valid.
#[derive(Debug)]
pub struct StateError {
    /// The file, unless it is in a store.
    path: Option<PathBuf>,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    File(io::Error),
    Content(repository::StoreError),
    Store(StoreError),
}

impl State {
    /// A file, which need not exist yet.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(Storage::File(path.into()))
    }

    /// A store, in which the definitions need not exist yet. They are at most 64 MiB.
    pub fn stored(store: Arc<dyn Store>) -> Self {
        Self(Storage::Store(store))
    }

    /// Loads the definitions; `None` if there are none yet.
    ///
    /// # Errors
    /// The state cannot be read, is a file larger than 256 MiB, or is not what [`store`](Self::store) has written.
    pub fn load(&self) -> Result<Option<Repository>, StateError> {
        let octets = match &self.0 {
            Storage::Store(store) => {
                load_parts(&**store).map_err(|error| self.failed(Reason::Store(error)))?
            }
            Storage::File(path) => match File::open(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                file => {
                    let read = file.and_then(read);
                    Some(read.map_err(|error| self.failed(Reason::File(error)))?)
                }
            },
        };
        let repository = octets.map(|octets| Repository::from_octets(&octets)).transpose();
        repository.map_err(|error| self.failed(Reason::Content(error)))
    }

    /// Stores the definitions.
    ///
    /// # Errors
    /// The state cannot be written, or is larger than a batch of the store. Its previous contents are kept.
    pub fn store(&self, repository: &Repository) -> Result<(), StateError> {
        let octets = repository.to_octets().map_err(|error| self.failed(Reason::Content(error)))?;
        match &self.0 {
            Storage::Store(store) => {
                store_parts(&**store, &octets).map_err(|error| self.failed(Reason::Store(error)))
            }
            Storage::File(path) => replace_file(path, |file| file.write_all(&octets))
                .map_err(|error| self.failed(Reason::File(error))),
        }
    }

    #[cold]
    fn failed(&self, reason: Reason) -> StateError {
        let path = match &self.0 {
            Storage::File(path) => Some(path.clone()),
            Storage::Store(_) => None,
        };
        StateError { path, reason }
    }
}

/// The parts in a store, joined; `None` if there are none.
fn load_parts(store: &dyn Store) -> Result<Option<Vec<u8>>, StoreError> {
    SCHEMA.open(store)?;
    let mut octets = None;
    store.scan(TABLE, &mut |_, part| {
        octets.get_or_insert_with(Vec::new).extend_from_slice(part);
        ControlFlow::Continue(())
    })?;
    Ok(octets)
}

fn store_parts(store: &dyn Store, octets: &[u8]) -> Result<(), StoreError> {
    let mut batch = Batch::new();
    store.scan(TABLE, &mut |key, _| {
        batch.push(TABLE.into(), key.to_vec(), None);
        ControlFlow::Continue(())
    })?;
    for (number, part) in (0u32..).zip(octets.chunks(PART)) {
        batch.push(TABLE.into(), number.to_be_bytes().to_vec(), Some(part.to_vec()));
    }
    store.commit(batch)
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
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        match &self.reason {
            Reason::Store(error) => error.fmt(f),
            Reason::File(error) => error.fmt(f),
            Reason::Content(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StateError {}
