//! Where types come from: IDL files.

use zorb::dynamic::json::Scope;
use zorb::dynamic::repository::{EntryKind, InterfaceDescription, Repository};
use zorb::giop::Ior;
use zorb::{ObjectRef, Orb, TypeCode};

use crate::definitions::IdlSource;
use crate::failure::Failure;

/// The types that the call may use.
pub(super) struct Types {
    orb: Orb,
    repository: Repository,
}

impl Types {
    pub(super) fn new(orb: &Orb, source: &IdlSource) -> Result<Self, Failure> {
        Ok(Self { orb: orb.clone(), repository: source.load()? })
    }

    /// The interface of an object: the one that is named, or the one that the object says.
    pub(super) fn interface_of(
        &self,
        object: &ObjectRef,
        name: Option<&str>,
    ) -> Result<InterfaceDescription, Failure> {
        if let Some(name) = name {
            return self.described(&self.id_of(name)).ok_or_else(|| {
                Failure::new(format!("there is no interface {name:?}"))
                    .hint(self.known_interfaces())
                    .into_usage()
            });
        }
        let said = &object.ior().type_id;
        if let Some(interface) = self.described(said) {
            return Ok(interface);
        }
        // A reference may name a base, or nothing; the object knows better.
        let asked = object.repository_id();
        if let Ok(id) = &asked
            && let Some(interface) = self.described(id)
        {
            return Ok(interface);
        }
        // Old ORBs do not answer that, but all say whether an object has an interface.
        let of_object = self.interfaces().rev().find(|id| object.is_a(id).unwrap_or(false));
        if let Some(interface) = of_object.and_then(|id| self.described(id)) {
            return Ok(interface);
        }
        let id = match &asked {
            Ok(id) => id,
            Err(error) if said.is_empty() => {
                return Err(Failure::from(zorb::Error::from(*error)).during("asking for the type"));
            }
            Err(_) => said,
        };
        let failure = Failure::new(format!("the object is of type {id}, which is not known here"));
        Err(failure.hint(self.known_interfaces()))
    }

    /// A type by its scoped name or repository id.
    pub(super) fn by_name(&self, name: &str) -> Option<TypeCode> {
        let place = self.repository.lookup_id(&self.id_of(name))?;
        self.repository.get(place)?.type_code().cloned()
    }

    /// The scoped name of a repository id, as the IDL has it.
    pub(super) fn scoped_name(&self, id: &str) -> Option<String> {
        let name = self.repository.absolute_name(self.repository.lookup_id(id)?);
        Some(name.trim_start_matches("::").to_owned())
    }

    fn described(&self, id: &str) -> Option<InterfaceDescription> {
        self.repository.describe_interface(id)
    }

    /// The repository id of a scoped name; ids stay what they are.
    fn id_of(&self, name: &str) -> String {
        let found = self.repository.lookup(Repository::ROOT, name);
        let entry = found.and_then(|place| self.repository.get(place));
        entry.map_or_else(|| name.to_owned(), |entry| entry.id.clone())
    }

    /// The ids of all interfaces, bases before those that inherit from them.
    fn interfaces(&self) -> impl DoubleEndedIterator<Item = &str> {
        let all: Vec<_> = self.repository.entries().collect();
        all.into_iter().filter_map(|(_, entry)| match entry.kind {
            EntryKind::Interface { .. } => Some(&*entry.id),
            _ => None,
        })
    }

    fn known_interfaces(&self) -> String {
        let known: Vec<_> = self.interfaces().take(10).collect();
        if known.is_empty() {
            return "give the IDL with --idl FILE".to_owned();
        }
        format!("--interface chooses one of those in the IDL: {}", known.join(", "))
    }
}

impl Scope for Types {
    fn type_named(&self, name: &str) -> Option<TypeCode> {
        self.by_name(name)
    }

    fn reference(&self, text: &str) -> Result<Ior, String> {
        match self.orb.string_to_object(text) {
            Ok(Some(object)) => Ok(object.ior().clone()),
            Ok(None) => Ok(Ior::NIL),
            Err(error) => Err(error.to_string()),
        }
    }
}
