//! The database on a disk.

mod access;
mod backend;
mod failure;
mod full;
mod group;
mod verification;

use std::cell::Cell;
use std::mem;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use redb::{Database, ReadTransaction, TableHandle};

use self::access::{contains, definition, opened, scan, write};
use self::backend::{Backend, Handle};
use self::failure::guarded;
use self::full::Full;
use self::group::Group;
use crate::disk::Disk;
use crate::{
    Batch, Durability, Entry, Statistics, Store, StoreError, StoreErrorKind, Visit, limits,
};

pub(crate) use self::failure::io_failure;

/// The memory for pages of the file, in octets: 16 MiB. The operating system caches the file, too.
const CACHE: usize = 16 << 20;

const READING: &str = "cannot read the store";
const WRITING: &str = "cannot write to the store";
const CLOSING: &str = "cannot close the store";
const OPENING: &str = "cannot open the store";

/// A store on a disk: a database of redb, whose transactions are those of the durability.
///
/// A commit waits for the disk, so its locks need not inherit priorities.
#[derive(Debug)]
pub(crate) struct Engine {
    path: PathBuf,
    durability: Durability,
    backend: Arc<Backend>,
    state: RwLock<State>,
    /// Held during a commit if batches are not grouped.
    writer: Mutex<()>,
    group: Group,
    full: Full,
    batches: AtomicU64,
    transactions: AtomicU64,
    /// Whether the last process that used the disk did not close the store.
    recovered: bool,
}

#[derive(Debug)]
enum State {
    Open(Database),
    /// The failure that made the database unusable.
    Failed(StoreError),
}

impl State {
    fn database(&self) -> Result<&Database, StoreError> {
        match self {
            Self::Open(database) => Ok(database),
            Self::Failed(first) => {
                let hint = "find the first failure in the log, then restart the service";
                let what = "the store is unusable after a failure";
                let error = StoreError::new(StoreErrorKind::Failed, what).with_hint(hint);
                Err(error.with_source(first.clone()))
            }
        }
    }
}

impl Engine {
    /// Opens the store on `disk`, and verifies the checksums of all that it contains. An empty disk
    /// becomes an empty store. `path` is for messages; `pause` is for how long commits are refused after the disk was
    /// full.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`]; failures of the disk.
    pub(crate) fn open(
        path: &Path,
        disk: Arc<dyn Disk>,
        durability: Durability,
        pause: Duration,
    ) -> Result<Self, StoreError> {
        let backend = Arc::new(Backend::new(disk, durability == Durability::Os));
        let (database, recovered) = open(path, &backend)?;
        Ok(Self {
            path: path.to_owned(),
            durability,
            backend,
            state: RwLock::new(State::Open(database)),
            writer: Mutex::new(()),
            group: Group::default(),
            full: Full::new(pause),
            batches: AtomicU64::new(0),
            transactions: AtomicU64::new(0),
            recovered,
        })
    }

    /// Whether the last process that used the disk did not close the store.
    pub(crate) const fn recovered(&self) -> bool {
        self.recovered
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&ReadTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let database = state.database()?;
        guarded(&self.path, READING, || read(&database.begin_read()?))
    }

    /// Commits batches as one transaction. One thread at a time.
    fn apply(&self, batches: &[Batch]) -> Result<(), StoreError> {
        self.full.check(Instant::now)?;
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let database = state.database()?;
        let applied = guarded(&self.path, WRITING, || {
            write(database, batches)?;
            // What is written to a file that has been removed is lost with the process.
            Ok(self.backend.check_name()?)
        });
        drop(state);
        match applied {
            Ok(()) => self.full.end(),
            Err(error) => self.after(error, batches)?,
        }
        self.batches.fetch_add(batches.len() as u64, Relaxed);
        self.transactions.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Continues after a failed transaction if the disk is full: the database is opened as after a crash, which reads all
    /// of it, and commits are refused for a while. The transaction may be complete all the same, if space was missing for
    /// something else: it is then successful.
    ///
    /// Otherwise, also if the disk was full when it synchronized, nobody knows what it has, and whoever starts the service
    /// again finds out.
    #[cold]
    fn after(&self, error: StoreError, batches: &[Batch]) -> Result<(), StoreError> {
        let error = match self.backend.sync_failed.load(Relaxed) {
            true => error.of(StoreErrorKind::Io),
            false => error,
        };
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        close(&self.path, mem::replace(&mut *state, State::Failed(error.clone())));
        if error.kind() != StoreErrorKind::Full {
            return Err(error);
        }
        let opened = open(&self.path, &self.backend).and_then(|(database, _)| {
            let is_complete = guarded(&self.path, READING, || contains(&database, batches))?;
            if is_complete {
                let synced = self.backend.sync();
                synced.map_err(|error| io_failure(error, WRITING).at(&self.path))?;
            }
            Ok((database, is_complete))
        });
        // The pause begins when the database can be used again, which may take longer than the pause.
        self.full.begin(error.clone(), Instant::now());
        match opened {
            Ok((database, is_complete)) => {
                *state = State::Open(database);
                if is_complete { Ok(()) } else { Err(error) }
            }
            // Nobody knows whether the transaction is complete.
            Err(unusable) => {
                *state = State::Failed(unusable);
                Err(error.of(StoreErrorKind::Io))
            }
        }
    }
}

impl Store for Engine {
    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(definition(table)?))? else {
                return Ok(None);
            };
            Ok(table.get(key)?.map(|value| value.value().to_vec()))
        })
    }

    fn scan(&self, table: &str, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.read(|transaction| scan(transaction, table, visit).map(drop))
    }

    fn scan_all(
        &self,
        visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.read(|transaction| {
            let mut names: Vec<String> =
                transaction.list_tables()?.map(|table| table.name().to_owned()).collect();
            names.sort_unstable();
            for table in &names {
                let mut visit = |key: &[u8], value: &[u8]| visit(Entry { table, key, value });
                if scan(transaction, table, &mut visit)?.is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        limits::check(&batch)?;
        match self.durability {
            Durability::Immediate => {
                let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
                self.apply(&[batch])
            }
            Durability::Grouped | Durability::Os => {
                self.group.commit(batch, |batches| self.apply(batches))
            }
        }
    }

    fn health(&self) -> Result<(), StoreError> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).database()?;
        self.full.check(Instant::now)
    }

    fn statistics(&self) -> Statistics {
        let nanos = |time: &AtomicU64| Duration::from_nanos(time.load(Relaxed));
        Statistics {
            batches: self.batches.load(Relaxed),
            transactions: self.transactions.load(Relaxed),
            syncs: self.backend.syncs.load(Relaxed),
            sync_time: nanos(&self.backend.sync_nanos),
            longest_sync: nanos(&self.backend.longest_nanos),
            octets: self.backend.len().unwrap_or(0),
            ..Statistics::default()
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        close(
            &self.path,
            mem::replace(state, State::Failed(StoreError::new(StoreErrorKind::Failed, CLOSING))),
        );
    }
}

/// Closes the database. A failure of that is one that the next process finds, as after a crash.
fn close(path: &Path, state: State) {
    let _ = guarded(path, CLOSING, || {
        drop(state);
        Ok(())
    });
}

/// Opens the database. Returns whether it was not closed before, too.
fn open(path: &Path, backend: &Arc<Backend>) -> Result<(Database, bool), StoreError> {
    let recovered = Rc::new(Cell::new(false));
    let noted = Rc::clone(&recovered);
    let database = guarded(path, OPENING, || {
        let is_verified = verification::verify(backend, CACHE)?;
        let mut builder = Database::builder();
        builder.create_with_file_format_v3(true).set_cache_size(CACHE);
        builder.set_repair_callback(move |_| noted.set(true));
        let mut database = builder.create_with_backend(Handle(Arc::clone(backend)))?;
        // Recovery has verified all checksums, too.
        if !is_verified && !recovered.get() {
            database.check_integrity()?;
        }
        Ok(database)
    })?;
    Ok((database, recovered.get()))
}
