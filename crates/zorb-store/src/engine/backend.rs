//! The disk as the database uses it, with what it costs.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use redb::StorageBackend;

use crate::disk::Disk;

/// A disk, and what happened to it while it was used.
#[derive(Debug)]
pub(super) struct Backend {
    disk: Arc<dyn Disk>,
    /// Whether synchronizing does nothing.
    unsynced: bool,
    pub(super) syncs: AtomicU64,
    pub(super) sync_nanos: AtomicU64,
    pub(super) longest_nanos: AtomicU64,
    /// Whether a synchronization has failed: nobody knows then what the disk has.
    pub(super) sync_failed: AtomicBool,
}

impl Backend {
    pub(super) fn new(disk: Arc<dyn Disk>, unsynced: bool) -> Self {
        Self {
            disk,
            unsynced,
            syncs: AtomicU64::new(0),
            sync_nanos: AtomicU64::new(0),
            longest_nanos: AtomicU64::new(0),
            sync_failed: AtomicBool::new(false),
        }
    }

    pub(super) fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    pub(super) fn check_name(&self) -> io::Result<()> {
        self.disk.check_name()
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        if self.unsynced {
            return Ok(());
        }
        let start = Instant::now();
        let synced = self.disk.sync();
        if synced.is_err() {
            self.sync_failed.store(true, Relaxed);
        }
        let nanos = nanos(start.elapsed());
        self.syncs.fetch_add(1, Relaxed);
        self.sync_nanos.fetch_add(nanos, Relaxed);
        self.longest_nanos.fetch_max(nanos, Relaxed);
        synced
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The longest read before which the disk is not asked for its length. Asking before each page took 8 % of the time of a
/// start with a million names.
const SHORT: usize = 64 << 10;

/// The database owns its handle of the backend.
#[derive(Debug)]
pub(super) struct Handle(pub(super) Arc<Backend>);

impl StorageBackend for Handle {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        // A damaged file may contain any length, for which there may be no memory.
        let end = u64::try_from(len).ok().and_then(|len| offset.checked_add(len));
        let is_beyond = |end| len > SHORT && self.0.len().is_ok_and(|length| end > length);
        if end.is_none_or(is_beyond) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut octets = vec![0; len];
        self.0.disk.read(offset, &mut octets)?;
        Ok(octets)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.disk.set_len(len)?;
        // The database writes a header that depends on the length, and requires the file to have it.
        self.0.sync()
    }

    fn sync_data(&self, _: bool) -> io::Result<()> {
        self.0.sync()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.disk.write(offset, data)
    }
}
