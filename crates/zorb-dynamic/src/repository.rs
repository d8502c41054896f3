//! Definitions of IDL as values: what an interface repository holds.
//!
//! A [`Repository`] is filled by who has read IDL, or asked a server; it is kept as octets by
//! [`Repository::to_octets`].

mod canonical;
mod change;
mod description;
mod octets;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use zorb_types::{Any, TypeCode, Visibility};

pub use canonical::Renamed;
pub use change::mentions;
pub use description::{
    AttributeDescription, InitializerDescription, InterfaceDescription, OperationDescription,
    ParameterDescription,
};
pub use octets::StoreError;

/// The place of an [`Entry`] in its repository. That of the repository itself is
/// [`Repository::ROOT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(u32);

impl EntryId {
    /// Its number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One definition: what `CORBA::Contained` says of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its repository id; empty for the repository itself.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version, as in its id unless another was set: `1.0`.
    pub version: String,
    /// What it is defined in.
    pub container: EntryId,
    /// What is defined in it, in order.
    pub contents: Vec<EntryId>,
    /// What it is.
    pub kind: EntryKind,
}

/// What a definition is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EntryKind {
    /// The repository itself.
    Repository,
    /// `module`
    Module,
    /// `interface`, also an abstract or local one.
    Interface {
        /// Its type, which tells the three apart.
        type_code: TypeCode,
        /// The repository ids of its direct bases.
        bases: Vec<String>,
    },
    /// `valuetype`
    Value {
        /// Its type, with base, modifier and state.
        type_code: TypeCode,
        /// The repository ids of the valuetypes that it inherits from, a concrete one first.
        bases: Vec<String>,
        /// The repository ids of the interfaces that it supports.
        supports: Vec<String>,
        /// Its initializers.
        initializers: Vec<InitializerDescription>,
    },
    /// A member of a valuetype's state.
    ValueMember {
        /// Its type.
        type_code: TypeCode,
        /// Who may use it.
        visibility: Visibility,
    },
    /// `struct`, `union`, `enum`, `typedef`, `native` or a value box: its type.
    Type(TypeCode),
    /// `exception`
    Exception(TypeCode),
    /// `const`: its value, in its type.
    Constant(Any),
    /// An operation.
    Operation(OperationDescription),
    /// An attribute.
    Attribute(AttributeDescription),
    /// `component`
    Component {
        /// Its type.
        type_code: TypeCode,
        /// The repository ids of the bases of its equivalent interface, whose operations are
        /// defined in it.
        bases: Vec<String>,
        /// The repository id of the component that it inherits from; empty for none.
        base: String,
        /// The repository ids of the interfaces that it supports.
        supports: Vec<String>,
    },
    /// `home`
    Home {
        /// Its type.
        type_code: TypeCode,
        /// The repository ids of the bases of its equivalent interface.
        bases: Vec<String>,
        /// The repository id of the home that it inherits from; empty for none.
        base: String,
        /// The repository ids of the interfaces that it supports.
        supports: Vec<String>,
        /// The repository id of the component that it manages.
        manages: String,
        /// The repository id of the primary key; empty for none.
        primary_key: String,
    },
    /// A port of a component.
    Port {
        /// What it is for.
        kind: PortKind,
        /// The repository id of the interface or event type that goes through it.
        target: String,
    },
    /// A `factory` of a home.
    Factory(OperationDescription),
    /// A `finder` of a home.
    Finder(OperationDescription),
}

/// What a port of a component is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PortKind {
    /// `provides`
    Provides,
    /// `uses`
    Uses,
    /// `uses multiple`
    UsesMultiple,
    /// `emits`
    Emits,
    /// `publishes`
    Publishes,
    /// `consumes`
    Consumes,
}

impl Entry {
    /// The type, where the definition is one.
    pub fn type_code(&self) -> Option<&TypeCode> {
        match &self.kind {
            EntryKind::Interface { type_code, .. }
            | EntryKind::Value { type_code, .. }
            | EntryKind::Component { type_code, .. }
            | EntryKind::Home { type_code, .. }
            | EntryKind::Type(type_code)
            | EntryKind::Exception(type_code) => Some(type_code),
            _ => None,
        }
    }

    /// The type of an interface and the repository ids of its bases; of a component or home, those
    /// of its equivalent interface.
    pub fn interface(&self) -> Option<(&TypeCode, &[String])> {
        match &self.kind {
            EntryKind::Interface { type_code, bases }
            | EntryKind::Component { type_code, bases, .. }
            | EntryKind::Home { type_code, bases, .. } => Some((type_code, bases)),
            _ => None,
        }
    }
}

/// Definitions by their ids and names.
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
    /// For a place in another repository that has more.
    fn index(&self, id: EntryId) -> &Entry {
        &self.entries[id.index()]
    }
}

impl Repository {
    /// The repository itself, which contains what is at file level.
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

    /// Adds a definition. One whose id is there already stays as it is: its place is returned.
    pub fn add(&mut self, container: EntryId, id: &str, name: &str, kind: EntryKind) -> EntryId {
        if let Some(known) = self.by_id.get(id) {
            return *known;
        }
        let place = EntryId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
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
            entry.contents.push(place);
        }
        self.by_id.insert(id.to_owned(), place);
        place
    }

    /// Adds the definitions of another repository. Where both have a repository id, what is here
    /// stays as it is: modules get what they lack, other definitions nothing.
    pub fn merge(&mut self, other: &Self) {
        // Where each definition of the other is in this one, if what is in it may be added.
        let mut places: Vec<Option<EntryId>> = vec![Some(Self::ROOT)];
        for entry in other.entries.iter().skip(1) {
            let container = places.get(entry.container.index()).copied().flatten();
            places.push(container.and_then(|container| match self.lookup_id(&entry.id) {
                Some(known) => {
                    let is_module = matches!(self[known].kind, EntryKind::Module);
                    is_module.then_some(known)
                }
                None => Some(self.add(container, &entry.id, &entry.name, entry.kind.clone())),
            }));
        }
    }

    /// All definitions, the repository itself first.
    pub fn entries(&self) -> impl Iterator<Item = (EntryId, &Entry)> {
        (0..).map(EntryId).zip(&self.entries)
    }

    /// The definition at a place.
    pub fn get(&self, place: EntryId) -> Option<&Entry> {
        self.entries.get(place.index())
    }

    /// The definition of this number, as [`EntryId::index`] gives it.
    pub fn at(&self, index: usize) -> Option<EntryId> {
        (index < self.entries.len()).then_some(EntryId(u32::try_from(index).ok()?))
    }

    /// The definition of a repository id: `lookup_id`.
    pub fn lookup_id(&self, id: &str) -> Option<EntryId> {
        self.by_id.get(id).copied()
    }

    /// The definition that a scoped name means in `scope`: `lookup`. With `::` in front it is that
    /// of the repository. In an interface, names of its bases count.
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

    /// The name from the repository down: `::Bank::Account`.
    pub fn absolute_name(&self, place: EntryId) -> String {
        let mut names = Vec::new();
        let mut at = place;
        while at != Self::ROOT {
            names.push(&*self[at].name);
            at = self[at].container;
        }
        names.iter().rev().fold(String::new(), |name, part| name + "::" + part)
    }

    /// All bases of an interface or valuetype, direct or not, each once: depth first, each one's own
    /// bases before it.
    pub fn ancestors(&self, place: EntryId) -> Vec<EntryId> {
        let mut order = Vec::new();
        let mut seen = HashSet::from([place]);
        // Each with how many of its bases were visited.
        let mut stack = vec![(place, 0)];
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
                None if current != place => order.push(current),
                None => {}
            }
        }
        order
    }

    /// All that is known of an interface, what it inherits included and first:
    /// `describe_interface`.
    pub fn describe_interface(&self, id: &str) -> Option<InterfaceDescription> {
        let place = self.lookup_id(id)?;
        let (_, bases) = self[place].interface()?;
        let mut description = InterfaceDescription {
            id: id.to_owned(),
            name: self[place].name.clone(),
            bases: bases.to_vec(),
            operations: Vec::new(),
            attributes: Vec::new(),
        };
        let mut interfaces = self.ancestors(place);
        interfaces.push(place);
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
