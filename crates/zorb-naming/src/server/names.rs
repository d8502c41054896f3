//! The tree that all threads share, and its store.

#[cfg(test)]
mod lease_tests;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use zorb_store::{Batch, Store, StoreError};

use super::context_id::ContextId;
use super::options::NamingOptions;
use super::tables;
use super::tree::{Change, Refusal, Tree};

/// Why a change was not made.
#[derive(Debug)]
pub(crate) enum NotMade {
    Refused(Refusal),
    /// The store failed: nothing has changed in memory, and nothing in the store unless it says otherwise.
    NotStored(StoreError),
}

/// The names of a service.
///
/// All operations on one context are linearizable. One lock protects all contexts: it is held for a few hundred
/// nanoseconds, never during I/O, and a name of several components is resolved in one moment. A thread that changes
/// something with a store first marks the binding, then stores the change without a lock, so that the changes of several
/// threads can be stored together, and then makes it in memory. So whoever reads a binding reads what is stored, and what
/// could not be stored has never been there.
#[derive(Debug)]
pub(crate) struct Names {
    tree: RwLock<Tree>,
    store: Option<Arc<dyn Store>>,
    // Locked before the tree.
    marks: Mutex<Marks>,
    unmarked: Condvar,
    // Held during a search for orphans, which has memory for each context.
    search: Mutex<()>,
}

/// What is being stored.
#[derive(Debug, Default)]
struct Marks {
    bindings: HashSet<(ContextId, Box<[u8]>)>,
    /// For each context, the number of its marked bindings.
    contexts: HashMap<ContextId, usize>,
    destroyed: HashSet<ContextId>,
}

/// How many contexts and bindings a search looks at while the tree is locked.
const SEARCHED_AT_ONCE: usize = 1000;

/// How many bindings are removed at once whose leases have ended: their keys fit into a batch, however long they are.
const ENDED_AT_ONCE: usize = 256;

/// The binding that a change sets or removes.
fn binding_of(change: &Change) -> Option<(ContextId, &[u8])> {
    match change {
        Change::Put { context, key, .. } => Some((*context, key)),
        Change::Remove { context, key, .. } => Some((*context, key)),
        Change::Create { .. } | Change::Destroy { .. } => None,
    }
}

impl Marks {
    /// Whether a change has to wait for another one.
    fn hinder(&self, change: &Change) -> bool {
        match (change, binding_of(change)) {
            (_, Some((context, key))) => {
                self.destroyed.contains(&context) || self.bindings.contains(&(context, key.into()))
            }
            (Change::Destroy { context }, _) => {
                self.contexts.contains_key(context) || self.destroyed.contains(context)
            }
            _ => false,
        }
    }

    fn set(&mut self, change: &Change) {
        if let Some((context, key)) = binding_of(change) {
            self.bindings.insert((context, key.into()));
            *self.contexts.entry(context).or_default() += 1;
        } else if let Change::Destroy { context } = change {
            self.destroyed.insert(*context);
        }
    }

    fn clear(&mut self, change: &Change) {
        if let Some((context, key)) = binding_of(change) {
            self.bindings.remove(&(context, key.into()));
            if let Some(count) = self.contexts.get_mut(&context) {
                *count -= 1;
                if *count == 0 {
                    self.contexts.remove(&context);
                }
            }
        } else if let Change::Destroy { context } = change {
            self.destroyed.remove(context);
        }
    }
}

impl Names {
    /// An empty tree that is not stored.
    pub(crate) fn new(options: NamingOptions) -> Self {
        Self::of(Tree::new(options), None)
    }

    /// The names of a store, at this time.
    ///
    /// # Errors
    /// The store fails, or its contents are damaged or of a newer version.
    pub(crate) fn load(
        options: NamingOptions,
        store: Arc<dyn Store>,
        now: u64,
    ) -> Result<Self, StoreError> {
        let longest = u64::try_from(options.naming_longest_lease.as_millis()).unwrap_or(u64::MAX);
        let mut tree = Tree::new(options);
        tables::load(&*store, &mut tree, now.saturating_add(longest))?;
        Ok(Self::of(tree, Some(store)))
    }

    fn of(tree: Tree, store: Option<Arc<dyn Store>>) -> Self {
        Self {
            tree: RwLock::new(tree),
            store,
            marks: Mutex::default(),
            unmarked: Condvar::new(),
            search: Mutex::default(),
        }
    }

    /// The tree, for reading.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Tree> {
        self.tree.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Contexts to which no name leads from the root, at most `count`, in the order of their ids. Names can be read and
    /// changed meanwhile, and one search waits for the other.
    pub(crate) fn orphans(&self, count: usize) -> Vec<ContextId> {
        let _search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.read().begin_search();
        let named = loop {
            let named = self.read().go_on_searching(SEARCHED_AT_ONCE);
            if let Some(named) = named {
                break named;
            }
        };
        let orphans = all.into_iter().filter(|id| !named.contains(id) && self.read().has(*id));
        let mut orphans: Vec<_> = orphans.take(count).collect();
        orphans.sort_unstable();
        orphans
    }

    fn apply(&self, change: Change) {
        self.tree.write().unwrap_or_else(PoisonError::into_inner).apply(change);
    }

    /// Plans a change, stores it, and makes it.
    pub(crate) fn change(
        &self,
        plan: impl Fn(&Tree) -> Result<Change, Refusal>,
    ) -> Result<(), NotMade> {
        let Some(store) = &self.store else {
            let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
            let change = plan(&tree).map_err(NotMade::Refused)?;
            tree.apply(change);
            return Ok(());
        };
        let change = self.mark(plan).map_err(NotMade::Refused)?;
        let stored = store.commit(tables::add(Batch::new(), &change));
        let mut marks = self.marks();
        marks.clear(&change);
        if stored.is_ok() {
            self.apply(change);
        }
        drop(marks);
        self.unmarked.notify_all();
        stored.map_err(NotMade::NotStored)
    }

    /// Removes bindings whose leases have ended, a limited number of them in one commit. Returns whether there may be
    /// more.
    ///
    /// # Errors
    /// The store fails. Those that are left are removed by the next call.
    pub(crate) fn end_leases(&self, now: u64) -> Result<bool, StoreError> {
        let ended = self.read().leases().ended(now, ENDED_AT_ONCE);
        let is_full = ended.len() == ENDED_AT_ONCE;
        let Some(store) = &self.store else {
            for (context, key) in ended {
                let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
                // Otherwise it has been renewed, or removed.
                if let Ok(change) = tree.plan_end(context, &key, now) {
                    tree.apply(change);
                }
            }
            return Ok(is_full);
        };
        let changes = self.mark_ended(ended, now);
        if changes.is_empty() {
            return Ok(is_full);
        }
        let stored = store.commit(changes.iter().fold(Batch::new(), tables::add));
        let mut marks = self.marks();
        for change in changes {
            marks.clear(&change);
            if stored.is_ok() {
                self.apply(change);
            }
        }
        drop(marks);
        self.unmarked.notify_all();
        stored.map(|()| is_full)
    }

    /// Marks those of these bindings whose leases have ended still, but for those that another thread is changing.
    fn mark_ended(&self, ended: Vec<(ContextId, Arc<[u8]>)>, now: u64) -> Vec<Change> {
        let mut marks = self.marks();
        let mut changes = Vec::new();
        for (context, key) in ended {
            if let Ok(change) = self.read().plan_end(context, &key, now)
                && !marks.hinder(&change)
            {
                marks.set(&change);
                changes.push(change);
            }
        }
        changes
    }

    /// Plans a change when no other one of the same binding is being stored.
    fn mark(&self, plan: impl Fn(&Tree) -> Result<Change, Refusal>) -> Result<Change, Refusal> {
        let mut marks = self.marks();
        loop {
            let change = plan(&self.read())?;
            if !marks.hinder(&change) {
                marks.set(&change);
                return Ok(change);
            }
            marks = self.unmarked.wait(marks).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn marks(&self) -> MutexGuard<'_, Marks> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
