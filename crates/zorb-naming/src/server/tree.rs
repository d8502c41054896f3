//! The names of a server, without I/O and without an ORB: contexts by id, and in each its bindings by id and kind.
//!
//! A change has two steps: [`Tree::plan`] checks whether it is possible, [`Tree::apply`] makes it. In between, it is
//! stored.

mod common;
mod entry;
mod listing;
mod plan;
mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::context_id::ContextId;
use super::leases::Leases;
use super::options::NamingOptions;
use super::path::{BINDING_OCTETS, Path};
use super::stored::StoredReference;
use crate::cos_naming::naming_context::NotFoundReason;
use common::CommonParts;
pub(crate) use entry::{Bound, Entry, Found, MAX_KEY};
pub(crate) use listing::Listing;
use search::{ContextIds, Contexts, Search};

/// Why an operation fails. Indexes count components of the name: the rest begins there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotFound(NotFoundReason, usize),
    /// The name leads to a context of another server.
    Elsewhere(Box<[u8]>, usize),
    InvalidName,
    AlreadyBound,
    NotEmpty,
    /// The context does not exist.
    NoContext,
    /// A limit is reached.
    Full,
}

/// An operation that changes the tree, with its argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation<'a> {
    /// `bind` and `bind_context`.
    Bind(Bound<'a>),
    /// `rebind` and `rebind_context`.
    Rebind(Bound<'a>),
    /// `bind_for`, with the time at which the lease ends.
    BindUntil(Bound<'a>, u64),
    /// `rebind_for`.
    RebindUntil(Bound<'a>, u64),
    /// `bind_new_context`, with the id of the new context.
    BindNew(ContextId),
    /// `unbind`.
    Unbind,
}

/// A change that is possible.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Sets a binding to a [value](Bound::to_octets), and creates the context if one is given.
    Put {
        context: ContextId,
        key: Box<[u8]>,
        value: Box<[u8]>,
        created: Option<ContextId>,
        lease: LeaseChange,
    },
    /// Removes a binding.
    Remove { context: ContextId, key: Box<[u8]>, lease: LeaseChange },
    /// Creates a context that is bound nowhere.
    Create { context: ContextId },
    /// Removes an empty context.
    Destroy { context: ContextId },
}

/// What a change of a binding means for its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaseChange {
    /// The binding had none, and has none.
    None,
    /// It has one until then.
    Until(u64),
    /// It had one.
    Over,
}

/// The contexts and their bindings.
#[derive(Debug)]
pub(crate) struct Tree {
    contexts: Contexts,
    parts: CommonParts,
    leases: Leases,
    limits: NamingOptions,
    /// The memory that they may have.
    most_octets: usize,
    bindings: usize,
    changes: u64,
    /// The memory that contexts and bindings count for, without common parts of references.
    octets: usize,
    /// The search in progress.
    search: Mutex<Option<Search>>,
}

/// The octets of memory that an empty context counts for.
const CONTEXT_CHARGE: usize = 96;

impl Tree {
    /// A tree with an empty root context.
    pub(crate) fn new(limits: NamingOptions) -> Self {
        let contexts = Contexts::from_iter([(ContextId::ROOT, BTreeSet::new())]);
        let (parts, leases) = (CommonParts::default(), Leases::default());
        let (most_octets, octets) = (limits.memory(), CONTEXT_CHARGE);
        let (bindings, changes, search) = (0, 0, Mutex::default());
        Self { contexts, parts, leases, limits, most_octets, bindings, changes, octets, search }
    }

    /// A binding for [`load`](Self::load); `None` if the key is too long.
    pub(crate) fn entry(&mut self, key: &[u8], bound: Bound<'_>) -> Option<Entry> {
        Entry::new(key, bound, &mut self.parts)
    }

    /// Adds a context with all of its bindings, in any order. Limits do not apply to what was stored.
    pub(crate) fn load(&mut self, context: ContextId, entries: Vec<Entry>) {
        self.bindings += entries.len();
        self.octets += entries.iter().map(Entry::charge).sum::<usize>();
        // Built at once, the nodes of the set are full.
        let entries: BTreeSet<Entry> = entries.into_iter().collect();
        if self.contexts.insert(context, entries).is_none() {
            self.octets += CONTEXT_CHARGE;
        }
    }

    /// Adds the lease of a binding that has been [loaded](Self::load); whether there is such a binding.
    pub(crate) fn load_lease(&mut self, context: ContextId, key: &[u8], end: u64) -> bool {
        let is_bound = self.contexts.get(&context).is_some_and(|entries| entries.contains(key));
        if is_bound {
            self.leases.set(context, key, Some(end));
        }
        is_bound
    }

    pub(crate) fn leases(&self) -> &Leases {
        &self.leases
    }

    pub(crate) fn has(&self, context: ContextId) -> bool {
        self.contexts.contains_key(&context)
    }

    pub(crate) fn contexts(&self) -> usize {
        self.contexts.len()
    }

    pub(crate) fn bindings(&self) -> usize {
        self.bindings
    }

    /// How many changes have been made.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The memory that contexts and bindings count for.
    pub(crate) fn octets(&self) -> usize {
        self.octets + self.parts.octets() + self.leases.octets()
    }

    pub(crate) fn octets_limit(&self) -> usize {
        self.most_octets
    }

    fn context(&self, id: ContextId) -> Result<&BTreeSet<Entry>, Refusal> {
        self.contexts.get(&id).ok_or(Refusal::NoContext)
    }

    /// The context of this server that `name` is bound to, from the context `start` on; otherwise sets `reference`.
    pub(crate) fn resolve(
        &self,
        start: ContextId,
        name: &Path,
        reference: &mut StoredReference,
    ) -> Result<Option<ContextId>, Refusal> {
        let (_, entries) = self.walk(start, name)?;
        let entry = entries.get(name.last()).ok_or_else(|| missing(name.len() - 1))?;
        Ok(entry.copy_to(reference, &self.parts))
    }

    /// The context of the last component of a name, and its bindings.
    fn walk(
        &self,
        start: ContextId,
        name: &Path,
    ) -> Result<(ContextId, &BTreeSet<Entry>), Refusal> {
        self.check(name)?;
        let mut context = (start, self.context(start)?);
        for (index, key) in name.keys().take(name.len() - 1).enumerate() {
            let entry = context.1.get(key).ok_or_else(|| missing(index))?;
            let inner = entry.context().and_then(|id| Some((id, self.contexts.get(&id)?)));
            context = inner.ok_or_else(|| self.leads_nowhere(entry, index))?;
        }
        Ok(context)
    }

    /// Why a name does not go on in this server behind a binding.
    #[cold]
    fn leads_nowhere(&self, entry: &Entry, index: usize) -> Refusal {
        match entry.found(&self.parts) {
            Found::Reference(reference) if entry.is_foreign() => {
                Refusal::Elsewhere(reference.into(), index + 1)
            }
            // An object, or a context that has been destroyed.
            _ => Refusal::NotFound(NotFoundReason::NotContext, index),
        }
    }

    /// Rejects names that no binding can have.
    fn check(&self, name: &Path) -> Result<(), Refusal> {
        let longest = self.limits.naming_component_octets.min(MAX_KEY - 1) + 1;
        let is_valid = !name.is_empty()
            && name.len() <= self.limits.naming_name_components
            && name.keys().all(|key| key.len() <= longest);
        if is_valid { Ok(()) } else { Err(Refusal::InvalidName) }
    }

    /// Makes a change that [`plan`](Self::plan) returned.
    pub(crate) fn apply(&mut self, change: Change) {
        self.changes += 1;
        match change {
            Change::Put { context, key, value, created, lease } => {
                if let Some(created) = created {
                    self.load(created, Vec::new());
                }
                let Some(entries) = self.contexts.get_mut(&context) else { return };
                let bound = Bound::from_octets(&value);
                let entry = bound.and_then(|bound| Entry::new(&key, bound, &mut self.parts));
                let Some(entry) = entry else { return };
                let search = self.search.get_mut().unwrap_or_else(PoisonError::into_inner);
                if let (Some(search), Some(bound)) = (search, entry.context()) {
                    search.add(bound);
                }
                self.octets += entry.charge();
                self.bindings += 1;
                let old = entries.replace(entry);
                self.forget(old);
                self.set_lease(context, &key, lease);
            }
            Change::Remove { context, key, lease } => {
                let taken = self.contexts.get_mut(&context).and_then(|all| all.take(&*key));
                self.forget(taken);
                self.set_lease(context, &key, lease);
            }
            Change::Create { context } => self.load(context, Vec::new()),
            Change::Destroy { context } => {
                if self.contexts.remove(&context).is_some() {
                    self.octets -= CONTEXT_CHARGE;
                }
            }
        }
    }

    fn set_lease(&mut self, context: ContextId, key: &[u8], lease: LeaseChange) {
        match lease {
            LeaseChange::None => {}
            LeaseChange::Until(end) => self.leases.set(context, key, Some(end)),
            LeaseChange::Over => self.leases.set(context, key, None),
        }
    }

    /// Counts a binding that is no longer there.
    fn forget(&mut self, old: Option<Entry>) {
        if let Some(old) = old {
            self.octets -= old.charge();
            self.bindings -= 1;
            old.release(&mut self.parts);
        }
    }

    /// The next keys of a context, behind the key `after`: at most `count` of them, in a reply of at most
    /// `NamingListedOctets`; but one in any case.
    pub(crate) fn list(
        &self,
        context: ContextId,
        after: Option<&[u8]>,
        count: usize,
    ) -> Result<Listing, Refusal> {
        let entries = self.context(context)?;
        let start = after.map_or(Unbounded, Excluded);
        let mut rest = entries.range::<[u8], _>((start, Unbounded)).peekable();
        let most = count.min(entries.len());
        let mut listing = Listing::with_capacity(most);
        let mut octets = 0;
        while let Some(entry) = rest.peek().filter(|_| listing.len() < count) {
            octets += entry.key().len() + BINDING_OCTETS;
            if octets > self.limits.naming_listed_octets && listing.len() > 0 {
                break;
            }
            listing.push(entry.key(), entry.is_context());
            rest.next();
        }
        listing.has_more = rest.peek().is_some();
        Ok(listing)
    }

    /// The context of this server that a key of a context is bound to.
    pub(crate) fn context_of(&self, context: ContextId, key: &[u8]) -> Option<ContextId> {
        self.contexts.get(&context)?.get(key)?.context()
    }

    /// Begins a search from the root on, instead of another one. Returns all contexts, in any order.
    pub(crate) fn begin_search(&self) -> Vec<ContextId> {
        *self.search() = Some(Search::new(self.contexts.len()));
        self.contexts.keys().copied().collect()
    }

    /// Looks at up to `most` contexts and bindings. At the end of the search, returns the contexts that names lead to.
    pub(crate) fn go_on_searching(&self, most: usize) -> Option<ContextIds> {
        let mut search = self.search();
        if search.as_mut().is_some_and(|search| search.step(&self.contexts, most.max(2))) {
            return None;
        }
        search.take().map(Search::found)
    }

    fn search(&self) -> MutexGuard<'_, Option<Search>> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn missing(index: usize) -> Refusal {
    Refusal::NotFound(NotFoundReason::MissingNode, index)
}
