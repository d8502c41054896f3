//! A disk in memory that fails as disks do, for tests of services and of this crate.
//!
//! What happens follows from a seed, so that a failure can be repeated.
//!
//! ```
//! use zorb_store::simulation::SimulatedDisk;
//! use zorb_store::{Batch, Durability, Store};
//!
//! let disk = SimulatedDisk::new();
//! let store = disk.open(Durability::Immediate)?;
//! store.commit(Batch::new().put("test", b"key", b"value"))?;
//! disk.fail_after(3);
//! while store.commit(Batch::new().put("test", b"other", b"value")).is_ok() {}
//! let after = disk.lose_power(42).open(Durability::Immediate)?;
//! assert_eq!(after.get("test", b"key")?.as_deref(), Some(&b"value"[..]));
//! # Ok::<(), zorb_store::StoreError>(())
//! ```

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::disk::Disk;
use crate::engine::Engine;
use crate::{Batch, Durability, Entry, Statistics, Store, StoreError, Visit};

/// The part of a write that a disk writes as a whole, in octets.
const SECTOR: usize = 512;

/// A disk in memory. Clones are the same disk.
#[derive(Clone, Debug, Default)]
pub struct SimulatedDisk(Arc<Mutex<Contents>>);

#[derive(Debug, Default)]
struct Contents {
    /// What survives a loss of power.
    durable: Vec<u8>,
    /// What reads return.
    current: Vec<u8>,
    /// What happened since the last synchronization.
    unsynced: Vec<Change>,
    /// The operations until all fail.
    left: Option<u64>,
    /// The space on the disk, in octets.
    capacity: Option<usize>,
    /// The error of all synchronizations.
    sync_error: Option<io::ErrorKind>,
    /// For how long stores refuse commits after the disk was full.
    pause: Duration,
    operations: u64,
}

#[derive(Clone, Debug)]
enum Change {
    Write { offset: usize, octets: Vec<u8> },
    Length(usize),
}

impl Change {
    fn make(self, stored: &mut Vec<u8>) {
        match self {
            Self::Write { offset, octets } => write(stored, offset, &octets),
            Self::Length(length) => resize(stored, length),
        }
    }
}

impl SimulatedDisk {
    /// Creates an empty disk.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the store on this disk, or creates one if the disk is empty.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`](crate::StoreErrorKind::Broken); failures of the disk.
    pub fn open(&self, durability: Durability) -> Result<SimulatedStore, StoreError> {
        let path = Path::new("simulated disk");
        let pause = self.contents().pause;
        Engine::open(path, Arc::new(self.clone()), durability, pause).map(SimulatedStore)
    }

    /// Makes all operations fail after `operations` more that write or synchronize; a write that is the first to fail
    /// may take place in part.
    pub fn fail_after(&self, operations: u64) {
        self.contents().left = Some(operations);
    }

    /// Limits the length of what is stored; `None` for no limit. Longer writes fail as those to a full disk.
    pub fn limit(&self, octets: Option<usize>) {
        self.contents().capacity = octets;
    }

    /// For how long stores that are opened from now on refuse commits after the disk was full, without trying. Default:
    /// 0; for a [`FileStore`](crate::FileStore), 5 seconds.
    pub fn pause_when_full(&self, pause: Duration) {
        self.contents().pause = pause;
    }

    /// Makes synchronizing fail with this error.
    pub fn fail_sync(&self, error: io::ErrorKind) {
        self.contents().sync_error = Some(error);
    }

    /// The operations so far that wrote or synchronized.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.contents().operations
    }

    /// The disk after the process was killed: with all that was written.
    #[must_use]
    pub fn kill(&self) -> Self {
        let current = self.contents().current.clone();
        Self::containing(current)
    }

    /// The disk after a loss of power: of what was written since the last synchronization, any part is
    /// lost, and the rest took place in any order. `seed` determines which.
    #[must_use]
    pub fn lose_power(&self, seed: u64) -> Self {
        let contents = self.contents();
        let mut random = Random(seed);
        let mut durable = contents.durable.clone();
        let mut changes = contents.unsynced.clone();
        drop(contents);
        // Few or many of them survive, and some of those in part.
        let (survive, tear) = (random.below(5), random.below(3));
        for last in (1..changes.len()).rev() {
            changes.swap(last, random.below(last + 1));
        }
        for change in changes {
            if random.below(4) >= survive {
                continue;
            }
            match change {
                Change::Write { offset, octets } if random.below(4) < tear => {
                    write_torn(&mut durable, offset, &octets, &mut random);
                }
                whole => whole.make(&mut durable),
            }
        }
        Self::containing(durable)
    }

    /// The disk after its contents were damaged: some octets changed, a part zero, or the end missing.
    #[must_use]
    pub fn damage(&self, seed: u64) -> Self {
        let mut octets = self.contents().current.clone();
        let mut random = Random(seed);
        let length = octets.len();
        match random.below(4) {
            0 => octets.truncate(random.below(length)),
            1 => {
                let start = random.below(length);
                let end = length.min(start + 1 + random.below(3 * 4096));
                octets[start..end].fill(0);
            }
            // Most of the file is empty.
            2 => flip(&mut octets[..length.min(1 + SECTOR)], &mut random),
            _ => {
                let used: Vec<usize> = (0..length).filter(|&at| octets[at] != 0).collect();
                for _ in 0..=random.below(4) {
                    let at = used[random.below(used.len())];
                    octets[at] ^= 1 << random.below(8);
                }
            }
        }
        Self::containing(octets)
    }

    fn containing(octets: Vec<u8>) -> Self {
        let contents = Contents { durable: octets.clone(), current: octets, ..Contents::default() };
        Self(Arc::new(Mutex::new(contents)))
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    /// Counts an operation; an error if it is the first to fail, or a later one.
    fn operate(&mut self) -> io::Result<()> {
        self.operations += 1;
        match &mut self.left {
            Some(0) => Err(io::Error::other("simulated failure")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn check_space(&self, end: usize) -> io::Result<()> {
        match self.capacity {
            Some(capacity) if end > capacity => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}

impl Disk for SimulatedDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.contents().current.len() as u64)
    }

    fn read(&self, offset: u64, octets: &mut [u8]) -> io::Result<()> {
        let contents = self.contents();
        let start = index(offset)?;
        let stored =
            start.checked_add(octets.len()).and_then(|end| contents.current.get(start..end));
        octets.copy_from_slice(stored.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write(&self, offset: u64, octets: &[u8]) -> io::Result<()> {
        let contents = &mut *self.contents();
        let offset = index(offset)?;
        let dead = contents.left == Some(0) && contents.unsynced.is_empty();
        let allowed = contents.operate();
        if allowed.is_err() && dead {
            return allowed;
        }
        // The operation that fails takes place in part: how large a part depends on its size.
        let written = if allowed.is_ok() { octets.len() } else { octets.len() / 3 };
        contents.check_space(offset + octets.len())?;
        let octets = octets[..written].to_vec();
        write(&mut contents.current, offset, &octets);
        contents.unsynced.push(Change::Write { offset, octets });
        allowed
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let contents = &mut *self.contents();
        contents.operate()?;
        let len = index(len)?;
        resize(&mut contents.current, len);
        contents.unsynced.push(Change::Length(len));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let contents = &mut *self.contents();
        contents.operate()?;
        if let Some(error) = contents.sync_error {
            return Err(error.into());
        }
        for change in contents.unsynced.drain(..) {
            change.make(&mut contents.durable);
        }
        Ok(())
    }
}

/// A store on a [`SimulatedDisk`].
#[derive(Debug)]
pub struct SimulatedStore(Engine);

impl Store for SimulatedStore {
    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.get(table, key)
    }

    fn scan(&self, table: &str, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.0.scan(table, visit)
    }

    fn scan_all(
        &self,
        visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.0.scan_all(visit)
    }

    fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        self.0.commit(batch)
    }

    fn health(&self) -> Result<(), StoreError> {
        self.0.health()
    }

    fn statistics(&self) -> Statistics {
        self.0.statistics()
    }
}

fn index(offset: u64) -> io::Result<usize> {
    usize::try_from(offset).map_err(|_| io::ErrorKind::FileTooLarge.into())
}

fn write(stored: &mut Vec<u8>, offset: usize, octets: &[u8]) {
    let end = offset + octets.len();
    if stored.len() < end {
        resize(stored, end);
    }
    stored[offset..end].copy_from_slice(octets);
}

/// Changes the length. `Vec::resize` writes each octet, which takes most of a test's time without optimization.
fn resize(stored: &mut Vec<u8>, length: usize) {
    let mut resized = vec![0; length];
    let kept = length.min(stored.len());
    resized[..kept].copy_from_slice(&stored[..kept]);
    *stored = resized;
}

/// Writes some sectors, or only the beginning.
fn write_torn(stored: &mut Vec<u8>, offset: usize, octets: &[u8], random: &mut Random) {
    if random.below(2) == 0 {
        return write(stored, offset, &octets[..random.below(octets.len() + 1)]);
    }
    for (number, sector) in octets.chunks(SECTOR).enumerate() {
        if random.below(2) == 0 {
            write(stored, offset + number * SECTOR, sector);
        }
    }
}

fn flip(octets: &mut [u8], random: &mut Random) {
    let length = octets.len();
    octets[random.below(length)] ^= 1 << random.below(8);
}

/// Numbers that follow from a seed (SplitMix64).
#[derive(Debug)]
struct Random(u64);

impl Random {
    /// A number less than `limit`, or 0.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        // Less than `limit`, which is a `usize`.
        (mixed % limit.max(1) as u64) as usize
    }
}
