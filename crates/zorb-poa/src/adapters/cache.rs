//! Finds the objects of requests, through the cache of the calling thread.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_giop::ObjectIndex;
use zorb_os::probe;

use super::{Access, Adapters, NotAdmitted};
use crate::adapter::ObjectAdapter;
use crate::key::KeyParts;
use crate::operation_cache::OperationCache;
use crate::slots::Found;

/// The number of adapters that a thread caches.
const CACHED: usize = 4;

/// A thread's cache of adapters. While the tables do not change, finding an adapter in it does not access memory
/// that other threads write, which saves 4 % of the instructions of a request. An idle thread retains up to five
/// adapters, including destroyed ones, but none of their objects.
#[derive(Default)]
pub struct AdapterCache {
    /// The number of changes of the tables when the cache was filled.
    changes: u64,
    /// By the adapter's index modulo [`CACHED`]. The first adapter in an entry is not replaced.
    entries: [Option<Arc<ObjectAdapter>>; CACHED],
    /// The first persistent adapter that was found by its path.
    persistent: Option<Arc<ObjectAdapter>>,
    /// The operation of the last request.
    pub operation: OperationCache,
}

impl std::fmt::Debug for AdapterCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AdapterCache").field("operation", &self.operation).finish_non_exhaustive()
    }
}

impl Adapters {
    /// Finds the object of a request, if its adapter's manager admits the request. `known` is the calling thread's
    /// cache.
    ///
    /// # Errors
    /// See [`NotAdmitted`].
    #[inline]
    pub fn admit_key(
        &self,
        key: &[u8],
        known: Option<&mut AdapterCache>,
        by: Access<'_>,
    ) -> Result<Found, NotAdmitted> {
        let key = KeyParts::parse(key);
        if let Some(known) = &known
            && let KeyParts::Transient { adapter, stamp, id } = key
            && self.changes.load(Ordering::Acquire) == known.changes
            && let Some(Some(found)) = known.entries.get(adapter as usize % CACHED)
            && (found.index(), found.stamp()) == (adapter, stamp)
        {
            probe!(ParseKey);
            return found.admit(id, by);
        }
        self.admit(key, known, by)
    }

    /// The object of a request, if its adapter's manager admits the request.
    #[inline(never)]
    fn admit(
        &self,
        key: KeyParts<'_>,
        known: Option<&mut AdapterCache>,
        by: Access<'_>,
    ) -> Result<Found, NotAdmitted> {
        match (key, known) {
            (KeyParts::Name(name), _) => return Err(self.find_published(name, Some(by.arrival))),
            (KeyParts::Transient { adapter, .. }, Some(known)) => self.add_to_cache(known, adapter),
            (KeyParts::Persistent { path, id }, Some(known)) => {
                if let Some(found) = self.find_persistent(known, path) {
                    probe!(ParseKey);
                    return found.admit(id, by);
                }
            }
            _ => {}
        }
        probe!(ParseKey);
        // Borrowed, not counted: every connection's thread would write the count.
        let tables = self.tables.load();
        match tables.adapter(key) {
            Ok((adapter, id)) => adapter.admit(id, by),
            Err(_) => self.admit_to_missing(key, by),
        }
    }

    /// The object with an [index](Self::index_of), if its adapter's manager admits the request; `None` if it is no
    /// longer active.
    #[inline(never)]
    pub(crate) fn admit_to(
        &self,
        known: Option<&mut AdapterCache>,
        index: ObjectIndex,
        by: Access<'_>,
    ) -> Option<Result<Found, NotAdmitted>> {
        let matches =
            |found: &ObjectAdapter| (found.index(), found.stamp()) == (index.adapter, index.stamp);
        if let Some(known) = known {
            if self.changes.load(Ordering::Acquire) == known.changes
                && let Some(Some(found)) = known.entries.get(index.adapter as usize % CACHED)
                && matches(found)
            {
                return found.admit_to(index, by);
            }
            self.add_to_cache(known, index.adapter);
        }
        let tables = self.tables.load();
        let found = tables.by_index(index.adapter)?;
        if matches(found) { found.admit_to(index, by) } else { None }
    }

    /// Caches the adapter with this index, if its entry is free.
    #[inline(never)]
    fn add_to_cache(&self, known: &mut AdapterCache, adapter: u32) {
        self.renew(known);
        let Some(entry) = known.entries.get_mut(adapter as usize % CACHED) else { return };
        if entry.is_none() {
            let tables = self.tables.load();
            *entry = tables.by_index(adapter).cloned();
        }
    }

    /// The persistent adapter with this path, if the cache has it or has room for it.
    fn find_persistent<'k>(
        &self,
        known: &'k mut AdapterCache,
        path: &[u8],
    ) -> Option<&'k ObjectAdapter> {
        self.renew(known);
        if known.persistent.is_none() {
            known.persistent = self.tables.load().by_path(path).cloned();
        }
        known.persistent.as_deref().filter(|found| found.path() == path)
    }

    /// Empties a cache that is older than the tables.
    fn renew(&self, known: &mut AdapterCache) {
        // Read the count first, so that what is added is at least as new.
        let changes = self.changes.load(Ordering::Acquire);
        if known.changes != changes {
            *known = AdapterCache { changes, ..AdapterCache::default() };
        }
    }
}
