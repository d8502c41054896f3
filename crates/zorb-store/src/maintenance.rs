//! What `zorb store` does with a store that no service has open.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Seek, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::dump::{self, Collected, Contents};
use crate::engine::io_failure;
use crate::file_store::{build, open_data, write_dump};
use crate::folder::{Folder, check_exists, data_file, dump_files, holder};
use crate::{Durability, Store, StoreError, StoreErrorKind, limits, schema};

/// What is in the folder of a store.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Info {
    /// The process that has the store open, if one has; 0 if its id is not known.
    pub process: Option<u32>,
    /// The size of the file with the data, in octets; `None` if it is missing.
    pub octets: Option<u64>,
    /// The last dump and the one before it, as far as they exist.
    pub dumps: Vec<DumpFile>,
}

/// A dump beside the data.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DumpFile {
    /// Its path.
    pub path: PathBuf,
    /// Its size, in octets.
    pub octets: u64,
    /// When it was written, by the clock of the system.
    pub time: Option<SystemTime>,
}

/// What [`check`] has found. The store is whole.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// Whether the last process that had the store open did not close it, so that it was recovered.
    pub recovered: bool,
    /// The size of the file, in octets.
    pub octets: u64,
    /// What the tables contain, by name.
    pub tables: BTreeMap<String, Table>,
    /// The versions of the services' schemas, by the service's name.
    pub schemas: BTreeMap<String, u32>,
    /// The dumps that are whole, and what they contain; and those that are not, and why.
    pub dumps: Vec<(DumpFile, Result<Contents, StoreError>)>,
}

/// The size of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Table {
    /// The number of entries.
    pub entries: u64,
    /// The size of all keys and values, in octets.
    pub octets: u64,
}

/// Describes the folder of a store, which a process may have open.
///
/// # Errors
/// [`StoreErrorKind::Missing`]; failures of the file system.
pub fn info(path: impl AsRef<Path>) -> Result<Info, StoreError> {
    let path = path.as_ref();
    check_exists(path)?;
    let octets = fs::metadata(data_file(path)).ok().map(|data| data.len());
    Ok(Info {
        process: holder(path),
        octets,
        dumps: dump_files(path).iter().filter_map(dump_file).collect(),
    })
}

fn dump_file(path: &PathBuf) -> Option<DumpFile> {
    let found = fs::metadata(path).ok()?;
    Some(DumpFile { path: path.clone(), octets: found.len(), time: found.modified().ok() })
}

/// Reads a store and its dumps whole, and verifies them.
///
/// # Errors
/// Those of [`FileStore::open`](crate::FileStore::open), above all [`StoreErrorKind::Broken`] with what is
/// broken; [`StoreErrorKind::Missing`].
pub fn check(path: impl AsRef<Path>) -> Result<Checked, StoreError> {
    let folder = Folder::existing(path.as_ref())?;
    let engine = open_data(&folder, Durability::Immediate)?;
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    let mut schemas = BTreeMap::new();
    let mut invalid = None;
    engine.scan_all(&mut |entry| {
        let limits = limits::check_table(entry.table)
            .and_then(|()| limits::check_entry(entry.key.len(), entry.value.len()));
        if let Err(error) = limits {
            invalid = Some(error);
            return ControlFlow::Break(());
        }
        if !tables.contains_key(entry.table) {
            tables.insert(entry.table.to_owned(), Table::default());
        }
        if let Some(table) = tables.get_mut(entry.table) {
            table.entries += 1;
            table.octets += (entry.key.len() + entry.value.len()) as u64;
        }
        if entry.table == schema::TABLE {
            let service = String::from_utf8_lossy(entry.key).into_owned();
            schemas.extend(schema::decode(entry.value).map(|version| (service, version)));
        }
        ControlFlow::Continue(())
    })?;
    if let Some(limit) = invalid {
        return Err(StoreError::new(
            StoreErrorKind::Broken,
            "the store contains what no service writes",
        )
        .at(folder.data())
        .with_source(limit)
        .with_hint("restore the last dump with `zorb store restore`"));
    }
    let dumps = folder.dumps();
    let dumps = dumps.iter().filter_map(dump_file).map(|file| {
        let contents = verify(&file.path);
        (file, contents)
    });
    let (recovered, octets) = (engine.recovered(), engine.statistics().octets);
    Ok(Checked { recovered, octets, tables, schemas, dumps: dumps.collect() })
}

/// Writes a dump of a store: to `to`, or beside the data as the last dump.
///
/// # Errors
/// Those of [`FileStore::open`](crate::FileStore::open); [`StoreErrorKind::Missing`]; failures of `to`.
pub fn dump(path: impl AsRef<Path>, to: Option<&mut dyn Write>) -> Result<Contents, StoreError> {
    let folder = Folder::existing(path.as_ref())?;
    let engine = open_data(&folder, Durability::Immediate)?;
    match to {
        Some(to) => dump::write(&engine, to),
        None => write_dump(&folder, &engine),
    }
}

/// What [`restore`] has done.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Restored {
    /// The dump whose entries the store has now.
    pub dump: PathBuf,
    /// What it contains.
    pub contents: Contents,
    /// The copy of the file that the store had before, if there was one. It replaces an older copy.
    pub replaced: Option<PathBuf>,
    /// Newer dumps that are not whole, and why.
    pub skipped: Vec<StoreError>,
}

/// Replaces the contents of a store by those of a dump: of `from`, or of the last one beside the data
/// that is whole. A crash leaves the store as it was, or restored.
///
/// # Errors
/// [`StoreErrorKind::Missing`] if there is no dump; [`StoreErrorKind::Broken`] if none is whole;
/// [`StoreErrorKind::InUse`]; failures of the file system.
pub fn restore(path: impl AsRef<Path>, from: Option<&Path>) -> Result<Restored, StoreError> {
    let folder = match from {
        // A dump may be all that is left.
        Some(_) => Folder::create(path.as_ref())?,
        None => Folder::existing(path.as_ref())?,
    };
    let own = folder.dumps();
    let candidates: Vec<&Path> = match from {
        Some(from) => vec![from],
        None => own.iter().map(PathBuf::as_path).filter(|dump| dump.exists()).collect(),
    };
    let mut skipped = Vec::new();
    for candidate in candidates {
        let mut file = BufReader::new(open_dump(candidate)?);
        match dump::read(&mut file, &mut |_| Ok(())) {
            Err(error) => skipped.push(error.at(candidate)),
            Ok(contents) => {
                let again = file.rewind();
                again.map_err(|error| io_failure(error, "cannot read the dump").at(candidate))?;
                let replaced = load(&folder, &mut file)?;
                return Ok(Restored { dump: candidate.to_owned(), contents, replaced, skipped });
            }
        }
    }
    Err(skipped.pop().unwrap_or_else(|| {
        StoreError::new(StoreErrorKind::Missing, "there is no dump")
            .at(folder.path())
            .with_hint("name a dump that was copied elsewhere with `--from FILE`")
    }))
}

/// Replaces the data by the entries of a dump. Returns where the data are kept that there were before.
fn load(folder: &Folder, dump: &mut BufReader<File>) -> Result<Option<PathBuf>, StoreError> {
    let mut replaced = None;
    build(folder, |engine| {
        let mut collected = Collected::default();
        dump::read(dump, &mut |entry| match collected.add(entry) {
            Some(batch) => engine.commit(batch),
            None => Ok(()),
        })?;
        engine.commit(collected.rest())?;
        // Not before: an earlier copy stays if the new file cannot be made.
        replaced = keep(folder).map_err(|error| {
            io_failure(error, "cannot keep a copy of the store").at(folder.replaced())
        })?;
        Ok(())
    })?;
    Ok(replaced)
}

/// Gives the file with the data a second name, if there is one.
fn keep(folder: &Folder) -> io::Result<Option<PathBuf>> {
    let (data, copy) = (folder.data(), folder.replaced());
    if !data.try_exists()? {
        return Ok(None);
    }
    match fs::remove_file(&copy) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Some file systems have no links.
    fs::hard_link(&data, &copy).or_else(|_| fs::copy(&data, &copy).map(drop))?;
    folder.sync()?;
    Ok(Some(copy))
}

fn verify(path: &Path) -> Result<Contents, StoreError> {
    let mut file = BufReader::new(open_dump(path)?);
    dump::read(&mut file, &mut |_| Ok(())).map_err(|error| error.at(path))
}

/// Opens a dump. Devices and pipes, which can be read once, are rejected.
fn open_dump(path: &Path) -> Result<File, StoreError> {
    let failed = |error| io_failure(error, "cannot open the dump").at(path);
    let file = File::open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(io::Error::other("not a regular file")));
    }
    Ok(file)
}
