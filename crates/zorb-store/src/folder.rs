//! The folder of a store: its files, its lock, and its version.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::engine::io_failure;
use crate::whole::replace_file;
use crate::{StoreError, StoreErrorKind};

/// The version of the layout that this module writes; it reads no other.
const VERSION: u32 = 1;
/// What the file with the version contains before the number.
const PREFIX: &str = "zorb-store ";

/// A folder that this process has locked until this is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Locks the folder of a store, and makes it if it does not exist.
    ///
    /// # Errors
    /// [`StoreErrorKind::InUse`], [`StoreErrorKind::Denied`], [`StoreErrorKind::Newer`],
    /// [`StoreErrorKind::Broken`] if its version cannot be read; failures of the file system.
    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        make(path).map_err(|error| {
            let failure = io_failure(error, "cannot create the folder").at(path);
            if path.is_file() {
                failure.with_hint("this is a file: name a folder")
            } else {
                failure
            }
        })?;
        let folder = Self::lock(path)?;
        match folder.version()? {
            Some(version) => check(version, path)?,
            None if folder.data().exists() => {
                return Err(broken("the file with the store's version is missing").at(path));
            }
            None => {
                let version = format!("{PREFIX}{VERSION}\n");
                let name = folder.version_file();
                replace_file(&name, |file| file.write_all(version.as_bytes()))
                    .map_err(|error| io_failure(error, "cannot write the version").at(&name))?;
            }
        }
        Ok(folder)
    }

    /// Locks the folder of a store that exists.
    ///
    /// # Errors
    /// [`StoreErrorKind::Missing`]; those of [`create`](Self::create).
    pub(crate) fn existing(path: &Path) -> Result<Self, StoreError> {
        check_exists(path)?;
        Self::create(path)
    }

    fn lock(path: &Path) -> Result<Self, StoreError> {
        let name = lock_file(path);
        let mut options = OpenOptions::new();
        let opened =
            options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&name);
        let ours = zorb_os::process::effective_user();
        let of_another = |what, owner| {
            let what =
                format!("{what} belongs to user {owner}, and this process runs as user {ours}");
            StoreError::new(StoreErrorKind::Denied, what).at(path).with_hint(
                "run as the user who owns the store, or change the owner of all of its files",
            )
        };
        let mut lock = opened.map_err(|error| {
            let is_denied = error.kind() == io::ErrorKind::PermissionDenied;
            let folder = fs::metadata(path).ok().filter(|_| is_denied);
            match folder.map(|folder| folder.uid()).filter(|owner| *owner != ours) {
                Some(owner) => of_another("the folder", owner),
                None => io_failure(error, "cannot open the lock").at(&name),
            }
        })?;
        let failed = |error| io_failure(error, "cannot lock the store").at(path);
        let owner = lock.metadata().map_err(failed)?.uid();
        if owner != ours {
            return Err(of_another("the store", owner));
        }
        if !zorb_os::file::try_lock(&lock).map_err(failed)? {
            let what = match read_holder(&mut lock) {
                Some(process) => format!("process {process} has the store open"),
                None => "another process has the store open".to_owned(),
            };
            return Err(StoreError::new(StoreErrorKind::InUse, what)
                .at(path)
                .with_hint("give each process a folder of its own, or stop the other one first"));
        }
        write_holder(&mut lock).map_err(failed)?;
        Ok(Self { path: path.to_owned(), lock })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file with the data.
    pub(crate) fn data(&self) -> PathBuf {
        data_file(&self.path)
    }

    /// The file with the data that was replaced by a dump.
    pub(crate) fn replaced(&self) -> PathBuf {
        self.path.join("replaced.redb")
    }

    /// The last dump and the one before it.
    pub(crate) fn dumps(&self) -> [PathBuf; 2] {
        dump_files(&self.path)
    }

    fn version_file(&self) -> PathBuf {
        self.path.join("version")
    }

    /// The version of the layout; `None` if there is none.
    fn version(&self) -> Result<Option<u32>, StoreError> {
        let name = self.version_file();
        let mut text = String::new();
        let file = match File::open(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| io_failure(error, "cannot read the version").at(&name))?,
        };
        let read = file.take(64).read_to_string(&mut text);
        read.map_err(|error| io_failure(error, "cannot read the version").at(&name))?;
        let number = text.strip_prefix(PREFIX).and_then(|rest| rest.trim_end().parse().ok());
        number.map(Some).ok_or_else(|| broken("this is not the version of a store").at(&name))
    }

    /// Makes the names of the folder's files survive a loss of power.
    pub(crate) fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Closing is not enough while a child process has not yet executed its program. It cannot fail.
        let _ = zorb_os::file::unlock(&self.lock);
    }
}

/// Checks that a folder contains a store.
pub(crate) fn check_exists(path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path.join("version")) {
        Ok(_) => Ok(()),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Err(StoreError::new(StoreErrorKind::Missing, "this is not the folder of a store")
                .at(path)
                .with_hint("a service creates its store in the folder that `--store` names"))
        }
        Err(error) => Err(io_failure(error, "cannot read the folder").at(path)),
    }
}

pub(crate) fn data_file(path: &Path) -> PathBuf {
    path.join("store.redb")
}

pub(crate) fn dump_files(path: &Path) -> [PathBuf; 2] {
    [path.join("dump.jsonl"), path.join("dump.previous.jsonl")]
}

fn lock_file(path: &Path) -> PathBuf {
    path.join("lock")
}

/// The process that has locked the store, if one has.
pub(crate) fn holder(path: &Path) -> Option<u32> {
    let mut lock = File::open(lock_file(path)).ok()?;
    match zorb_os::file::try_lock(&lock) {
        Ok(true) | Err(_) => None,
        Ok(false) => Some(read_holder(&mut lock).unwrap_or(0)),
    }
}

fn read_holder(lock: &mut File) -> Option<u32> {
    let mut text = String::new();
    lock.take(16).read_to_string(&mut text).ok()?;
    text.trim_end().parse().ok()
}

fn write_holder(lock: &mut File) -> io::Result<()> {
    lock.rewind()?;
    lock.set_len(0)?;
    lock.write_all(format!("{}\n", std::process::id()).as_bytes())
}

fn check(version: u32, path: &Path) -> Result<(), StoreError> {
    if version == VERSION {
        return Ok(());
    }
    let what = format!("the store has version {version}; this program reads version {VERSION}");
    Err(StoreError::new(StoreErrorKind::Newer, what)
        .at(path)
        .with_hint("use the version of Zorb that wrote the store, or a newer one"))
}

fn broken(what: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Broken, what)
        .with_hint("copy the whole folder of a store, or start with an empty one")
}

/// Makes a folder, and those above it that do not exist; each survives a loss of power.
fn make(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect();
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    for folder in missing {
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
        File::open(above.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
