//! The definitions of an interface repository.
//!
//! A [`Repository`] is filled from IDL or from a server, and stored with [`Repository::to_octets`].

mod canonical;
mod change;
mod description;
mod entry;
mod octets;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

pub use canonical::RenamedIds;
pub use description::{
    AttributeDescription, InitializerDescription, InterfaceDescription, OperationDescription,
    ParameterDescription,
};
pub use entry::{Entry, EntryId, EntryKind, PortKind, mentions};
pub use octets::StoreError;

/// A set of definitions with their ids and names.
#[derive(Clone, Debug)]
pub struct Repository {
    entries: Vec<Entry>,
    by_id: HashMap<String, EntryId>,
}

impl Default for Repository {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Index<EntryId> for Repository {
    type Output = Entry;

    /// # Panics
    /// If the entry belongs to another repository.
    fn index(&self, id: EntryId) -> &Entry {
        &self.entries[id.index()]
    }
}

impl Repository {
    /// The repository itself, which contains the definitions at file level.
    pub const ROOT: EntryId = EntryId(0);

    /// An empty repository.
    pub fn new() -> Self {
        let root = Entry {
            id: String::new(),
            name: String::new(),
            version: String::new(),
            container: Self::ROOT,
            contents: Vec::new(),
            kind: EntryKind::Repository,
        };
        Self { entries: vec![root], by_id: HashMap::new() }
    }

    /// Adds a definition. If there is one with the id already, it does not change, and its entry is returned.
    pub fn add(&mut self, container: EntryId, id: &str, name: &str, kind: EntryKind) -> EntryId {
        if let Some(known) = self.by_id.get(id) {
            return *known;
        }
        let entry_id = EntryId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        let version = id.rsplit_once(':').map_or("", |(_, version)| version);
        self.entries.push(Entry {
            id: id.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            container,
            contents: Vec::new(),
            kind,
        });
        if let Some(entry) = self.entries.get_mut(container.index()) {
            entry.contents.push(entry_id);
        }
        self.by_id.insert(id.to_owned(), entry_id);
        entry_id
    }

    /// Adds the definitions of another repository. Existing definitions do not change, except that modules
    /// get additional definitions.
    pub fn merge(&mut self, other: &Self) {
        // The entries of the other repository in this one; `None` if their contents are not added.
        let mut entry_ids: Vec<Option<EntryId>> = vec![Some(Self::ROOT)];
        for entry in other.entries.iter().skip(1) {
            let container = entry_ids.get(entry.container.index()).copied().flatten();
            entry_ids.push(container.and_then(|container| match self.lookup_id(&entry.id) {
                Some(known) => {
                    let is_module = matches!(self[known].kind, EntryKind::Module);
                    is_module.then_some(known)
                }
                None => {
                    let added = self.add(container, &entry.id, &entry.name, entry.kind.clone());
                    self.set_version(added, &entry.version);
                    Some(added)
                }
            }));
        }
    }

    /// All definitions, the repository itself first.
    pub fn entries(&self) -> impl Iterator<Item = (EntryId, &Entry)> {
        (0..).map(EntryId).zip(&self.entries)
    }

    /// The definition with this entry id.
    pub fn get(&self, entry_id: EntryId) -> Option<&Entry> {
        self.entries.get(entry_id.index())
    }

    /// The entry id with this [index](EntryId::index).
    pub fn at(&self, index: usize) -> Option<EntryId> {
        (index < self.entries.len()).then_some(EntryId(u32::try_from(index).ok()?))
    }

    /// The definition of a repository id: `lookup_id`.
    pub fn lookup_id(&self, id: &str) -> Option<EntryId> {
        self.by_id.get(id).copied()
    }

    /// The definition of a scoped name, resolved in `scope`, or with a leading `::` in the repository:
    /// `lookup`. The scope of an interface includes that of its bases.
    pub fn lookup(&self, scope: EntryId, name: &str) -> Option<EntryId> {
        let (mut at, name) = match name.strip_prefix("::") {
            Some(absolute) => (Self::ROOT, absolute),
            None => (scope, name),
        };
        for part in name.split("::") {
            let scopes = std::iter::once(at).chain(self.ancestors(at));
            let mut contents = scopes.flat_map(|scope| self[scope].contents.iter().copied());
            at = contents.find(|&item| self[item].name == part)?;
        }
        Some(at)
    }

    /// The absolute name: `::Bank::Account`.
    pub fn absolute_name(&self, entry_id: EntryId) -> String {
        let mut names = Vec::new();
        let mut at = entry_id;
        while at != Self::ROOT {
            names.push(&*self[at].name);
            at = self[at].container;
        }
        names.iter().rev().fold(String::new(), |name, part| name + "::" + part)
    }

    /// All direct and indirect bases of an interface or valuetype, each once, depth first, with the bases
    /// of a base before it.
    pub fn ancestors(&self, entry_id: EntryId) -> Vec<EntryId> {
        let mut order = Vec::new();
        let mut seen = HashSet::from([entry_id]);
        // Entries with the number of their bases that were visited.
        let mut stack = vec![(entry_id, 0)];
        while let Some((current, next)) = stack.pop() {
            let none: &[String] = &[];
            let (bases, supports) = match &self[current].kind {
                EntryKind::Interface { bases, .. }
                | EntryKind::Component { bases, .. }
                | EntryKind::Home { bases, .. } => (&bases[..], none),
                EntryKind::Value { bases, supports, .. } => (&bases[..], &supports[..]),
                _ => (none, none),
            };
            let base = bases.get(next).or_else(|| supports.get(next - bases.len()));
            match base {
                Some(base) => {
                    stack.push((current, next + 1));
                    if let Some(base) = self.lookup_id(base)
                        && seen.insert(base)
                    {
                        stack.push((base, 0));
                    }
                }
                None if current != entry_id => order.push(current),
                None => {}
            }
        }
        order
    }

    /// The full description of an interface, inherited operations and attributes first:
    /// `describe_interface`.
    pub fn describe_interface(&self, id: &str) -> Option<InterfaceDescription> {
        let entry_id = self.lookup_id(id)?;
        let (_, bases) = self[entry_id].interface()?;
        let mut description = InterfaceDescription {
            id: id.to_owned(),
            name: self[entry_id].name.clone(),
            bases: bases.to_vec(),
            operations: Vec::new(),
            attributes: Vec::new(),
        };
        let mut interfaces = self.ancestors(entry_id);
        interfaces.push(entry_id);
        for interface in interfaces {
            for &item in &self[interface].contents {
                match &self[item].kind {
                    EntryKind::Operation(operation) => {
                        description.operations.push(operation.clone());
                    }
                    EntryKind::Attribute(attribute) => {
                        description.attributes.push(attribute.clone());
                    }
                    _ => {}
                }
            }
        }
        Some(description)
    }
}
