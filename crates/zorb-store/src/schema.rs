//! Versions of what a service stores.

use crate::{Batch, Store, StoreError, StoreErrorKind};

/// The table with the version of each service's schema, as four octets, the most significant first.
pub(crate) const TABLE: &str = "zorb.schema";

/// Adds to the batch what brings a service's tables from one version to the next.
///
/// It reads the store as it is at the older version. The batch is committed together with the new version.
pub type Migration = fn(&dyn Store, &mut Batch) -> Result<(), StoreError>;

/// The schema of a service's tables: its current version, and how to get there from older ones.
///
/// ```
/// use std::ops::ControlFlow;
/// use zorb_store::{Batch, MemoryStore, Schema, Store, StoreError};
///
/// /// Version 2 has the bindings of version 1, with an octet before the value.
/// fn with_type(store: &dyn Store, batch: &mut Batch) -> Result<(), StoreError> {
///     store.scan("naming.bindings", &mut |key, value| {
///         let value = [&[0], value].concat();
///         batch.push("naming.bindings".into(), key.to_vec(), Some(value));
///         ControlFlow::Continue(())
///     })
/// }
///
/// const SCHEMA: Schema = Schema::new("naming", &[with_type]);
///
/// let store = MemoryStore::new();
/// SCHEMA.open(&store)?;
/// assert_eq!((SCHEMA.version(), SCHEMA.stored(&store)?), (2, Some(2)));
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    service: &'static str,
    migrations: &'static [Migration],
}

impl Schema {
    /// Creates the schema of `service`, whose first version is 1: the first of `migrations` leads from 1 to 2.
    #[must_use]
    pub const fn new(service: &'static str, migrations: &'static [Migration]) -> Self {
        Self { service, migrations }
    }

    /// The current version.
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.migrations.len() as u32 + 1
    }

    /// The version of the store, if the service has ever opened it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn stored(&self, store: &dyn Store) -> Result<Option<u32>, StoreError> {
        let Some(value) = store.get(TABLE, self.service.as_bytes())? else { return Ok(None) };
        let version = decode(&value).ok_or_else(|| {
            let what = format!("the version of {} is {} octets long", self.service, value.len());
            StoreError::new(StoreErrorKind::Broken, what)
                .with_hint("restore the last dump with `zorb store restore`")
        })?;
        Ok(Some(version))
    }

    /// Migrates the service's tables to the current version. Call it before anything else of the service.
    ///
    /// Each migration is one batch: a crash leaves the version before or after it.
    ///
    /// # Errors
    /// [`StoreErrorKind::Newer`] if a newer version of the service wrote the store; those of the migrations
    /// and of the store.
    pub fn open(&self, store: &dyn Store) -> Result<(), StoreError> {
        let current = self.version();
        let Some(stored) = self.stored(store)? else {
            return store.commit(self.at_version(Batch::new(), current));
        };
        if stored > current {
            let (service, what) = (self.service, "this program reads at most version");
            let what = format!("the schema of {service} is version {stored}; {what} {current}");
            return Err(StoreError::new(StoreErrorKind::Newer, what)
                .with_hint("use the version of Zorb that wrote the store, or a newer one"));
        }
        let outstanding = self.migrations.iter().zip(2..).skip(stored.saturating_sub(1) as usize);
        for (migration, version) in outstanding {
            let mut batch = Batch::new();
            migration(store, &mut batch)?;
            store.commit(self.at_version(batch, version))?;
        }
        Ok(())
    }

    fn at_version(&self, batch: Batch, version: u32) -> Batch {
        batch.put(TABLE, self.service, version.to_be_bytes())
    }
}

/// The version that a value of the table means.
pub(crate) fn decode(value: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(value.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;

    const ONE: Schema = Schema::new("test", &[]);
    const THREE: Schema = Schema::new("test", &[second, third]);

    fn second(_: &dyn Store, batch: &mut Batch) -> Result<(), StoreError> {
        batch.push("test.steps".into(), b"2".to_vec(), Some(Vec::new()));
        Ok(())
    }

    fn third(store: &dyn Store, batch: &mut Batch) -> Result<(), StoreError> {
        let before = store.get("test.steps", b"2")?.map(|_| b"after 2".to_vec());
        batch.push("test.steps".into(), b"3".to_vec(), before);
        Ok(())
    }

    #[test]
    fn a_new_store_has_the_current_version_without_migrations() {
        let store = MemoryStore::new();
        assert_eq!(THREE.stored(&store).unwrap(), None);
        THREE.open(&store).unwrap();
        assert_eq!(THREE.stored(&store).unwrap(), Some(3));
        assert_eq!(store.get("test.steps", b"2").unwrap(), None);
    }

    #[test]
    fn migrations_run_once_each_and_in_order() {
        let store = MemoryStore::new();
        ONE.open(&store).unwrap();
        THREE.open(&store).unwrap();
        assert_eq!(THREE.stored(&store).unwrap(), Some(3));
        assert_eq!(store.get("test.steps", b"3").unwrap().as_deref(), Some(&b"after 2"[..]));
        let batches = store.statistics().batches;
        THREE.open(&store).unwrap();
        assert_eq!(store.statistics().batches, batches);
    }

    #[test]
    fn a_newer_version_is_refused_and_left_alone() {
        let store = MemoryStore::new();
        THREE.open(&store).unwrap();
        let refused = ONE.open(&store).unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Newer);
        assert!(refused.to_string().contains("version 3"), "{refused}");
        assert_eq!(THREE.stored(&store).unwrap(), Some(3));
    }

    #[test]
    fn a_damaged_version_is_broken() {
        let store = MemoryStore::new();
        store.commit(Batch::new().put(TABLE, "test", [1])).unwrap();
        assert_eq!(ONE.open(&store).unwrap_err().kind(), StoreErrorKind::Broken);
    }
}
