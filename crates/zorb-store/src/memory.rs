//! A store in memory.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::{Batch, Entry, Statistics, Store, StoreError, Visit, limits};

/// A store in memory, for tests and for services that store nothing: its entries end with it.
#[derive(Debug, Default)]
pub struct MemoryStore {
    // No thread that serves at a priority waits for this lock: a store is called where a disk may be waited for.
    contents: RwLock<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    tables: BTreeMap<String, BTreeMap<Vec<u8>, Vec<u8>>>,
    octets: u64,
    batches: u64,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    // Nothing panics with the lock held but a visitor, which only reads.
    fn read(&self) -> RwLockReadGuard<'_, Contents> {
        self.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Contents> {
        self.contents.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.read().tables.get(table).and_then(|table| table.get(key)).cloned())
    }

    fn scan(&self, table: &str, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        let contents = self.read();
        let mut entries = contents.tables.get(table).into_iter().flatten();
        let _ = entries.try_for_each(|(key, value)| visit(key, value));
        Ok(())
    }

    fn scan_all(
        &self,
        visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let contents = self.read();
        let _ = contents.tables.iter().try_for_each(|(table, entries)| {
            entries.iter().try_for_each(|(key, value)| visit(Entry { table, key, value }))
        });
        Ok(())
    }

    fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        limits::check(&batch)?;
        let contents = &mut *self.write();
        for change in batch.into_changes() {
            contents.make(&change.table, change.key, change.value);
        }
        contents.batches += 1;
        Ok(())
    }

    fn statistics(&self) -> Statistics {
        let contents = self.read();
        Statistics { batches: contents.batches, octets: contents.octets, ..Statistics::default() }
    }
}

impl Contents {
    /// Makes one change.
    fn make(&mut self, table: &str, key: Vec<u8>, value: Option<Vec<u8>>) {
        let size = |value: &[u8], key: usize| (key + value.len()) as u64;
        let length = key.len();
        let replaced = match value {
            Some(value) => {
                self.octets += size(&value, length);
                let table = match self.tables.get_mut(table) {
                    Some(table) => table,
                    None => self.tables.entry(table.to_owned()).or_default(),
                };
                table.insert(key, value)
            }
            None => self.tables.get_mut(table).and_then(|table| table.remove(&key)),
        };
        self.octets -= replaced.map_or(0, |value| size(&value, length));
    }
}
