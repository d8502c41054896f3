//! A search for the contexts that names lead to, from the root on, in steps between which names may change.
//!
//! As in a concurrent garbage collector, a context that is bound meanwhile counts as found: so none whose bindings have been
//! looked at leads to one that has not been found. The search may find contexts that lose their last name before its end,
//! and misses none that has one then.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem;
use std::ops::Bound::{Excluded, Unbounded};

use super::entry::Entry;
use crate::server::context_id::{ContextId, HashIds};

/// Contexts with their bindings.
pub(super) type Contexts = HashMap<ContextId, BTreeSet<Entry>, HashIds>;

/// A set of contexts.
pub(crate) type ContextIds = HashSet<ContextId, HashIds>;

/// A search in progress.
#[derive(Debug)]
pub(super) struct Search {
    found: ContextIds,
    /// Those of which not all bindings have been looked at.
    open: Vec<ContextId>,
    /// The bindings of the last open one have been looked at up to this key; none if it is empty.
    after: Box<[u8]>,
}

impl Search {
    /// Begins at the root. There are so many contexts.
    pub(super) fn new(contexts: usize) -> Self {
        let mut found = ContextIds::with_capacity_and_hasher(contexts, HashIds::default());
        found.insert(ContextId::ROOT);
        Self { found, open: vec![ContextId::ROOT], after: Box::default() }
    }

    /// Finds a context.
    pub(super) fn add(&mut self, context: ContextId) {
        if self.found.insert(context) {
            // The last one stays the last.
            self.open.insert(self.open.len().saturating_sub(1), context);
        }
    }

    /// Looks at up to `most` contexts and bindings, two or more. Returns whether there may be others.
    pub(super) fn step(&mut self, contexts: &Contexts, most: usize) -> bool {
        let mut left = most;
        while let Some(&context) = self.open.last() {
            left -= 1;
            let after = mem::take(&mut self.after);
            let bound = (Excluded(&*after), Unbounded);
            let entries = contexts.get(&context).into_iter();
            let rest = entries.flat_map(move |entries| entries.range::<[u8], _>(bound));
            let mut last = None;
            for entry in rest.take(left) {
                left -= 1;
                last = Some(entry);
                entry.context().into_iter().for_each(|inner| self.add(inner));
            }
            if left == 0 {
                self.after = last.map_or(after, |entry: &Entry| entry.key().into());
                return true;
            }
            self.open.pop();
        }
        false
    }

    /// What has been found.
    pub(super) fn found(self) -> ContextIds {
        self.found
    }
}
