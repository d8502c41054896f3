//! Verification of a file before the database trusts it.
//!
//! Where the last commit was synchronized before it became the primary one, the database reads tables of its own before
//! it verifies any checksum. In a file that has lost writes these can contain themselves, and reading them ends with the
//! stack, and so with the process. So the database first opens a view of the file whose header says that nothing was
//! synchronized, which makes it verify everything; that is all it does there, and what it writes stays in memory.
//!
//! The format is the one that redb documents for files of version 3: flags follow the magic number, and two slots describe
//! the last commits.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::{Builder, DatabaseError, StorageBackend};

use super::backend::{Backend, Handle};

/// Octets of the header.
const HEADER: usize = 320;
const FLAGS: usize = 9;
const PRIMARY: u8 = 1;
const SYNCHRONIZED: u8 = 4;
/// Offsets of the last octet of each slot, which belongs to its checksum.
const CHECKSUMS: [usize; 2] = [64 + 127, 192 + 127];
/// A repair reports 0.3 before it returns to an earlier commit, and 0.6 when it has verified all checksums.
const VERIFIED: f64 = 0.5;

/// Verifies the file if its last commit was synchronized. Returns whether it was.
pub(super) fn verify(backend: &Arc<Backend>, cache: usize) -> Result<bool, redb::Error> {
    let length = backend.len()?;
    if length < HEADER as u64 {
        return Ok(false);
    }
    let file = Handle(Arc::clone(backend));
    let mut header = file.read(0, HEADER)?;
    let flags = header[FLAGS];
    if flags & SYNCHRONIZED == 0 {
        return Ok(false);
    }
    header[FLAGS] = flags & !SYNCHRONIZED;
    // The other commit must not be chosen, even if it is newer: it may be incomplete.
    header[CHECKSUMS[usize::from(flags & PRIMARY == 0)]] ^= 0xff;
    let view = View { file, changes: Mutex::new(Changes { length, writes: vec![(0, header)] }) };
    let mut builder = Builder::new();
    builder.create_with_file_format_v3(true).set_cache_size(cache);
    let is_verified = Rc::new(Cell::new(false));
    let noted = Rc::clone(&is_verified);
    builder.set_repair_callback(move |repair| {
        if repair.progress() > 0.0 {
            noted.set(repair.progress() > VERIFIED);
            // What would follow reads everything once more.
            repair.abort();
        }
    });
    match builder.create_with_backend(view) {
        Err(DatabaseError::RepairAborted) if is_verified.get() => Ok(true),
        Ok(_) | Err(DatabaseError::RepairAborted) => {
            Err(redb::Error::Corrupted("the last commit is damaged".to_owned()))
        }
        Err(error) => Err(error.into()),
    }
}

/// A file, and changes of it that stay in memory: those of a repair, which writes what is free in the file.
#[derive(Debug)]
struct View {
    file: Handle,
    changes: Mutex<Changes>,
}

#[derive(Debug)]
struct Changes {
    length: u64,
    /// In their order, with their offsets.
    writes: Vec<(u64, Vec<u8>)>,
}

impl Changes {
    /// Writes the changes of what begins at `offset` over `octets`.
    fn apply(&self, offset: u64, octets: &mut [u8]) {
        let end = offset + octets.len() as u64;
        for (start, written) in &self.writes {
            let (from, to) = (offset.max(*start), end.min(start + written.len() as u64));
            let Some(count) = to.checked_sub(from).and_then(|count| usize::try_from(count).ok())
            else {
                continue;
            };
            let at = |position: u64, base: u64| usize::try_from(position - base).ok();
            let (Some(into), Some(out)) = (at(from, offset), at(from, *start)) else { continue };
            octets[into..into + count].copy_from_slice(&written[out..out + count]);
        }
    }
}

impl View {
    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StorageBackend for View {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.changes().length)
    }

    fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, io::Error> {
        let changes = self.changes();
        let end = u64::try_from(length).ok().and_then(|length| offset.checked_add(length));
        if end.is_none_or(|end| end > changes.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // What was added to the file is in memory only.
        let of_file = self.file.len()?.saturating_sub(offset);
        let of_file = usize::try_from(of_file).map_or(length, |of_file| of_file.min(length));
        let mut octets = match of_file {
            0 => Vec::new(),
            _ => self.file.read(offset, of_file)?,
        };
        octets.resize(length, 0);
        changes.apply(offset, &mut octets);
        Ok(octets)
    }

    fn set_len(&self, length: u64) -> Result<(), io::Error> {
        self.changes().length = length;
        Ok(())
    }

    fn sync_data(&self, _: bool) -> Result<(), io::Error> {
        Ok(())
    }

    fn write(&self, offset: u64, octets: &[u8]) -> Result<(), io::Error> {
        self.changes().writes.push((offset, octets.to_vec()));
        Ok(())
    }
}
