//! The trait of stores.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::{Batch, StoreError};

/// Tables that map keys to values, both octets.
///
/// A table exists from the first entry that is put into it; one that does not exist reads as an empty one.
/// All operations may be called from several threads at once. What a read returns is committed, and a
/// batch that was committed before the read began is part of it.
///
/// A store makes calls to the operating system, which may take the time of a disk: keep what calls read
/// often in memory, and read it with [`scan`](Self::scan) at the start.
pub trait Store: fmt::Debug + Send + Sync {
    /// The value of `key` in `table`, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Visits the entries of `table`, in the order of their keys' octets, until `visit` breaks.
    ///
    /// The entries are those of one moment: batches that are committed meanwhile are not visited in part.
    /// `visit` must not use the store.
    ///
    /// # Errors
    /// If the store cannot be read; some entries may have been visited then.
    fn scan(&self, table: &str, visit: &mut Visit<'_>) -> Result<(), StoreError>;

    /// Visits the entries of all tables, as [`scan`](Self::scan) those of one, by the tables' names.
    ///
    /// # Errors
    /// Those of [`scan`](Self::scan).
    fn scan_all(
        &self,
        visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// Makes the changes of `batch`, in their order: all of them, or none.
    ///
    /// When this returns, the changes are as durable as the store promises.
    ///
    /// # Errors
    /// If a limit of [`limits`](crate::limits) is exceeded: nothing is changed then. If the store cannot be
    /// written to: after [`StoreErrorKind::Full`](crate::StoreErrorKind::Full), nothing is changed; after
    /// others, whether the changes are there is known when the store has been opened again.
    fn commit(&self, batch: Batch) -> Result<(), StoreError>;

    /// Whether commits are possible, for probes of readiness: an error if the disk was full a moment ago, or an earlier
    /// failure has made the store unusable. It does not try. Default: they are.
    ///
    /// # Errors
    /// What a commit would return.
    fn health(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// What the store has done since it was opened.
    fn statistics(&self) -> Statistics;
}

/// What [`Store::scan`] calls with the key and the value of each entry.
pub type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'a;

/// An entry of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The name of the table.
    pub table: &'a str,
    /// The key.
    pub key: &'a [u8],
    /// The value.
    pub value: &'a [u8],
}

/// What a store has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Batches committed.
    pub batches: u64,
    /// Transactions of the file, each with one batch or with those of several writers. 0 in memory.
    pub transactions: u64,
    /// Synchronizations of the file with its disk.
    pub syncs: u64,
    /// The time that these took together.
    pub sync_time: Duration,
    /// The longest one.
    pub longest_sync: Duration,
    /// The size of the file, in octets; in memory, of all keys and values.
    pub octets: u64,
    /// Dumps written.
    pub dumps: u64,
    /// Dumps that failed.
    pub failed_dumps: u64,
}
