//! The adapters of an ORB by index and by path.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use zorb_types::{SystemException, minor};

use super::hash_trie::HashTrie;
use crate::adapter::ObjectAdapter;
use crate::error::not_there;
use crate::key::KeyParts;
use crate::policies::Lifespan;

/// What requests find. A copy shares its memory with the original: changing one adapter of many copies little.
#[derive(Clone, Default)]
pub(super) struct Tables {
    pub(super) root: Option<Arc<ObjectAdapter>>,
    by_index: HashTrie<Arc<ObjectAdapter>>,
    by_path: HashTrie<Arc<ObjectAdapter>>,
    /// Clients may choose the names of adapters, by adapter activators.
    hasher: RandomState,
}

/// What only changes of the tables use.
#[derive(Default)]
pub(super) struct Changing {
    /// Indexes that have been used before, and are free.
    free: BinaryHeap<Reverse<u32>>,
    /// The next index that has not been used.
    next: u32,
    /// The persistent adapters that requests do not find yet.
    pub(super) hidden: Vec<Arc<ObjectAdapter>>,
}

impl Changing {
    /// A free index: the lowest.
    pub(super) fn take_index(&mut self) -> u32 {
        if let Some(Reverse(index)) = self.free.pop() {
            return index;
        }
        self.next += 1;
        self.next - 1
    }

    /// Makes the index of an adapter free, which requests do not find any more.
    pub(super) fn forget(&mut self, adapter: &Arc<ObjectAdapter>) {
        self.free.push(Reverse(adapter.index()));
        self.hidden.retain(|hidden| !Arc::ptr_eq(hidden, adapter));
    }
}

impl Tables {
    pub(super) fn by_index(&self, index: u32) -> Option<&Arc<ObjectAdapter>> {
        self.by_index.find(index, |_| true)
    }

    pub(super) fn by_path(&self, path: &[u8]) -> Option<&Arc<ObjectAdapter>> {
        self.by_path.find(self.hash(path), |adapter| adapter.path() == path)
    }

    fn hash(&self, path: &[u8]) -> u32 {
        self.hasher.hash_one(path) as u32
    }

    /// Adds an adapter by its index.
    pub(super) fn add(&mut self, adapter: &Arc<ObjectAdapter>) {
        if adapter.path().is_empty() {
            self.root = Some(Arc::clone(adapter));
        }
        self.by_index.insert(adapter.index(), Arc::clone(adapter), |_| true);
    }

    /// Lets requests find a persistent adapter by its path.
    pub(super) fn make_visible(&mut self, adapter: &Arc<ObjectAdapter>) {
        let hash = self.hash(adapter.path());
        self.by_path.insert(hash, Arc::clone(adapter), |known| known.path() == adapter.path());
    }

    /// Removes an adapter.
    pub(super) fn remove(&mut self, adapter: &Arc<ObjectAdapter>) {
        let matches = |known: &Arc<ObjectAdapter>| Arc::ptr_eq(known, adapter);
        self.root.take_if(|root| matches(root));
        self.by_index.remove(adapter.index(), matches);
        if adapter.policies().lifespan == Lifespan::Persistent {
            self.by_path.remove(self.hash(adapter.path()), matches);
        }
    }

    /// The nearest existing adapter on a path, and the name of its child on it, which is missing or `is_created` at the
    /// moment.
    pub(super) fn nearest<'p>(
        &self,
        path: &'p [u8],
        is_created: impl Fn(&[u8]) -> bool,
    ) -> Option<(Arc<ObjectAdapter>, &'p str)> {
        let mut nearest = Arc::clone(self.root.as_ref()?);
        for name in path.split(|octet| *octet == 0) {
            let name = std::str::from_utf8(name).ok().filter(|name| !name.is_empty())?;
            match nearest.child(name).filter(|child| !is_created(child.path())) {
                Some(child) => nearest = child,
                None => return Some((nearest, name)),
            }
        }
        None
    }

    #[inline]
    pub(super) fn adapter<'k>(
        &self,
        key: KeyParts<'k>,
    ) -> Result<(&ObjectAdapter, &'k [u8]), SystemException> {
        let (adapter, id) = match key {
            KeyParts::Transient { adapter, stamp, id } => {
                (self.by_index(adapter).filter(|found| found.stamp() == stamp), id)
            }
            KeyParts::Persistent { path, id } => (self.by_path(path), id),
            KeyParts::Name(_) => (None, &[][..]),
        };
        let adapter = adapter.ok_or_else(|| not_there(minor::object_not_exist::POA_NOT_FOUND))?;
        Ok((adapter, id))
    }
}
