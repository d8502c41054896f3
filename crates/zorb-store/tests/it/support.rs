//! What tests of stores share.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use zorb_store::{Batch, Store, StoreError};

/// The number of runs: `variable` if it is set.
pub(crate) fn runs(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |number| number.parse().unwrap())
}

/// All entries of a store.
pub(crate) type Entries = BTreeMap<(String, Vec<u8>), Vec<u8>>;

/// Reads all entries.
pub(crate) fn entries(store: &dyn Store) -> Result<Entries, StoreError> {
    let mut entries = Entries::new();
    store.scan_all(&mut |entry| {
        entries.insert((entry.table.to_owned(), entry.key.to_vec()), entry.value.to_vec());
        ControlFlow::Continue(())
    })?;
    Ok(entries)
}

/// Makes the changes of a batch.
pub(crate) fn apply(entries: &mut Entries, batch: &Batch) {
    for change in batch.changes() {
        let key = (change.table.clone().into_owned(), change.key.clone());
        match &change.value {
            Some(value) => entries.insert(key, value.clone()),
            None => entries.remove(&key),
        };
    }
}

/// Numbers that follow from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 33) ^ (self.0 >> 45)) % limit
    }

    /// A batch with one to eight changes of two tables.
    pub(crate) fn batch(&mut self) -> Batch {
        (0..=self.below(8)).fold(Batch::new(), |batch, _| {
            let table = ["test.one", "test.two"][self.below(2) as usize];
            let key = format!("key {}", self.below(40));
            match self.below(4) {
                0 => batch.delete(table, key),
                _ => {
                    let length = if self.below(16) == 0 { 20_000 } else { 300 };
                    let value = vec![self.below(256) as u8; self.below(length) as usize];
                    batch.put(table, key, value)
                }
            }
        })
    }
}
