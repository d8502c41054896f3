//! A store in a folder.

use std::error::Error;
use std::fs::OpenOptions;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use zorb_os::repeating::RepeatingThread;

use crate::dump::{self, Contents};
use crate::engine::{Engine, io_failure};
use crate::folder::Folder;
use crate::whole::{NewFile, rename};
use crate::{Batch, Durability, Entry, Statistics, Store, StoreError, StoreErrorKind, Visit};

/// For how long commits are refused after the disk was full.
const PAUSE: Duration = Duration::from_secs(5);

/// When the first dump is written after a start: what the previous process has changed last may be in none.
const FIRST_DUMP: Duration = Duration::from_secs(60);

/// Settings of a [`FileStore`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileStoreOptions {
    /// What a commit survives. Default: [`Durability::Grouped`].
    pub durability: Durability,
    /// How often a dump is written, if something has changed; `None` for never. The first one is written a minute after
    /// the start, or earlier if the interval is shorter. Default: 15 minutes.
    pub dump_interval: Option<Duration>,
}

impl Default for FileStoreOptions {
    fn default() -> Self {
        let dump_interval = Some(Duration::from_secs(15 * 60));
        Self { durability: Durability::default(), dump_interval }
    }
}

impl FileStoreOptions {
    /// Creates the default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what a commit survives.
    #[must_use]
    pub const fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets how often a dump is written; `None` for never.
    #[must_use]
    pub const fn dump_interval(mut self, interval: Option<Duration>) -> Self {
        self.dump_interval = interval;
        self
    }
}

/// A store in a folder, which one process at a time can open.
///
/// The folder contains a database in one file, and its last two dumps, from which [`restore`](crate::maintenance::restore)
/// rebuilds it. A thread writes the dumps.
///
/// ```
/// use zorb_store::{Batch, FileStore, FileStoreOptions, Store};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("naming");
/// let store = FileStore::open(&path, &FileStoreOptions::new())?;
/// store.commit(Batch::new().put("naming.bindings", b"printer", b"IOR:01"))?;
/// drop(store);
/// let store = FileStore::open(&path, &FileStoreOptions::new())?;
/// assert_eq!(store.get("naming.bindings", b"printer")?.as_deref(), Some(&b"IOR:01"[..]));
/// # Ok::<(), zorb_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct FileStore {
    // Its thread ends before the store is closed.
    _dumper: Option<RepeatingThread>,
    shared: Arc<Shared>,
}

/// What the thread that writes dumps shares.
#[derive(Debug)]
struct Shared {
    // Is closed before the folder is unlocked.
    engine: Engine,
    folder: Folder,
    dumps: AtomicU64,
    failed_dumps: AtomicU64,
}

impl FileStore {
    /// Opens the store in a folder, or creates it; its parents, too. Verifies the checksums of all that it contains.
    ///
    /// After a crash, what was not committed is undone.
    ///
    /// # Errors
    /// | Kind | Reason |
    /// |---|---|
    /// | [`StoreErrorKind::InUse`] | another process, or another `FileStore` of this one, has it open |
    /// | [`StoreErrorKind::Denied`] | it belongs to another user, or permissions are insufficient |
    /// | [`StoreErrorKind::Newer`] | a newer version of Zorb wrote it |
    /// | [`StoreErrorKind::Broken`] | it is damaged, or its data are missing: restore the last dump |
    /// | [`StoreErrorKind::Full`], [`StoreErrorKind::Io`] | the operating system cannot create, read or write the files |
    pub fn open(path: impl AsRef<Path>, options: &FileStoreOptions) -> Result<Self, StoreError> {
        let folder = Folder::create(path.as_ref())?;
        create_missing(&folder)?;
        let engine = open_data(&folder, options.durability)?;
        let shared = Arc::new(Shared {
            engine,
            folder,
            dumps: AtomicU64::new(0),
            failed_dumps: AtomicU64::new(0),
        });
        // It may wait for the disk; no other thread waits for it.
        let start = |interval: Duration| {
            let mut dump = dump_changes(Arc::clone(&shared));
            let first = FIRST_DUMP.min(interval);
            RepeatingThread::start("zorb-dump", first, move || {
                dump();
                Some(interval)
            })
        };
        let dumper = options.dump_interval.map(start).transpose();
        let failed = |error| io_failure(error, "cannot start the thread that writes dumps");
        Ok(Self { _dumper: dumper.map_err(failed)?, shared })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.shared.folder.path()
    }

    /// Whether the process that had the store open before ended without closing it.
    #[must_use]
    pub fn recovered(&self) -> bool {
        self.shared.engine.recovered()
    }

    /// Writes a dump beside the data, which becomes the last one; the last one becomes the one before it.
    ///
    /// # Errors
    /// If the store cannot be read, or the dump not written. The dumps that there are remain.
    pub fn dump(&self) -> Result<Contents, StoreError> {
        self.shared.dump()
    }
}

/// Creates a file with an empty store if there has never been one. It gets its name when it is complete.
fn create_missing(folder: &Folder) -> Result<(), StoreError> {
    let data = folder.data();
    match data.try_exists() {
        Ok(true) => return Ok(()),
        Ok(false) => {}
        Err(error) => return Err(io_failure(error, "cannot read the folder").at(folder.path())),
    }
    if folder.dumps().iter().any(|dump| dump.exists()) {
        return Err(StoreError::new(StoreErrorKind::Broken, "the file is missing")
            .at(data)
            .with_hint("restore the last dump with `zorb store restore`"));
    }
    build(folder, |_| Ok(()))
}

/// Builds a new file with data, which replaces the one that there is.
pub(crate) fn build(
    folder: &Folder,
    fill: impl FnOnce(&Engine) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let data = folder.data();
    let failed = |error| io_failure(error, "cannot create the file").at(&data);
    let mut new = NewFile::create(&data).map_err(failed)?;
    let file = new.file().try_clone().map_err(failed)?;
    let engine = Engine::open(new.path(), Arc::new(file), Durability::Os, PAUSE)?;
    fill(&engine)?;
    // The database is complete when it is closed.
    drop(engine);
    new.sync().and_then(|()| new.put()).map_err(failed)
}

/// Opens the file with the data, which exists.
pub(crate) fn open_data(folder: &Folder, durability: Durability) -> Result<Engine, StoreError> {
    let data = folder.data();
    let failed = |error: io::Error| io_failure(error, "cannot open the store").at(&data);
    let file = OpenOptions::new().read(true).write(true).open(&data).map_err(failed)?;
    // It would become an empty store.
    if file.metadata().map_err(failed)?.len() == 0 {
        return Err(failed(io::ErrorKind::UnexpectedEof.into()));
    }
    Engine::open(&data, Arc::new(file), durability, PAUSE)
}

/// Writes a dump, each time that it is called after changes.
fn dump_changes(store: Arc<Shared>) -> impl FnMut() {
    // What the previous process changed may not be in a dump yet.
    let mut dumped = None;
    move || {
        let batches = Some(store.engine.statistics().batches);
        if batches == dumped {
            return;
        }
        match store.dump() {
            Ok(_) => dumped = batches,
            // The next call tries again.
            Err(error) => {
                let cause = error.source().map(ToString::to_string);
                tracing::warn!(%error, cause, hint = error.hint(), "cannot write a dump of the store");
            }
        }
    }
}

impl Shared {
    fn dump(&self) -> Result<Contents, StoreError> {
        let dumped = write_dump(&self.folder, &self.engine);
        let count = if dumped.is_ok() { &self.dumps } else { &self.failed_dumps };
        count.fetch_add(1, Relaxed);
        dumped
    }
}

/// Writes a dump of `engine` as the last one of `folder`.
pub(crate) fn write_dump(folder: &Folder, engine: &Engine) -> Result<Contents, StoreError> {
    let [last, previous] = folder.dumps();
    let failed = |error| io_failure(error, "cannot write the dump").at(&last);
    let mut new = NewFile::create(&last).map_err(failed)?;
    let contents = dump::write(engine, new.file())?;
    new.sync().map_err(failed)?;
    // Between the two, the last dump is the previous one.
    match rename(&last, &previous) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => new.put().map_err(failed)?,
    }
    Ok(contents)
}

impl Store for FileStore {
    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.shared.engine.get(table, key)
    }

    fn scan(&self, table: &str, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.shared.engine.scan(table, visit)
    }

    fn scan_all(
        &self,
        visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.shared.engine.scan_all(visit)
    }

    fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        self.shared.engine.commit(batch)
    }

    fn health(&self) -> Result<(), StoreError> {
        self.shared.engine.health()
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            dumps: self.shared.dumps.load(Relaxed),
            failed_dumps: self.shared.failed_dumps.load(Relaxed),
            ..self.shared.engine.statistics()
        }
    }
}
