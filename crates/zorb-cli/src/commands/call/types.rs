//! Sources of types: IDL files or an interface repository.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use zorb::dynamic::json::Scope;
use zorb::dynamic::repository::{EntryKind, InterfaceDescription, Repository};
use zorb::giop::Ior;
use zorb::{Interface, ObjectRef, Orb, SystemException, SystemExceptionKind, TypeCode};
use zorb_ifr::corba;

use crate::commands::ior;
use crate::definitions::IdlSource;
use crate::failure::Failure;

/// The types available to the call.
pub(super) struct Types {
    orb: Orb,
    /// The definitions of the IDL; empty if there is none.
    idl: Repository,
    /// The interface repository, once known: from the command line, or the one that contains the
    /// object's definition.
    server: OnceCell<corba::Repository>,
    /// The scoped names obtained from the interface repository, by repository id.
    names: RefCell<HashMap<String, Option<String>>>,
}

/// Why the interface of an object is not known.
pub(super) enum NoInterface {
    /// The object could not be reached.
    Exception(SystemException),
    Failure(Failure),
}

impl From<Failure> for NoInterface {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// The name of the interface repository in failures.
const SERVER: &str = "the interface repository";
/// The name of its initial reference.
const INITIAL_REFERENCE: &str = "InterfaceRepository";
const NO_TYPES: &str = "give the IDL with --idl FILE, or an interface repository with --ifr \
                        REFERENCE; a server reports its repository if it has the option \
                        -ORBInitRef InterfaceRepository=URL";

impl Types {
    pub(super) fn new(orb: &Orb, source: &IdlSource, ifr: Option<&str>) -> Result<Self, Failure> {
        let server = OnceCell::new();
        if let Some(reference) = ifr {
            let repository: corba::Repository = orb
                .resolve(&ior::load(reference)?)
                .map_err(|error| Failure::from(error).during(SERVER))?;
            let _ = server.set(repository);
        }
        let idl = source.load()?;
        for (_, entry) in idl.entries() {
            if let EntryKind::Value { type_code, .. } = &entry.kind {
                // A valuetype may be passed where its base is expected.
                orb.describe_value(type_code);
            }
        }
        Ok(Self { orb: orb.clone(), idl, server, names: RefCell::default() })
    }

    fn has_idl(&self) -> bool {
        self.idl.entries().count() > 1
    }

    /// The interface of an object: the requested one, or the one that the object reports.
    pub(super) fn interface_of(
        &self,
        object: &ObjectRef,
        name: Option<&str>,
    ) -> Result<InterfaceDescription, NoInterface> {
        if let Some(interface) = self.interface_in_idl(object, name) {
            return Ok(interface);
        }
        if !self.has_idl() && self.server.get().is_none() {
            let named = &self.orb.options().init_ref;
            if !named.iter().any(|(known, _)| known == INITIAL_REFERENCE) {
                return self.interface_reported(object, name);
            }
            let server = self.orb.initial_reference(INITIAL_REFERENCE);
            let server = server.map_err(|error| Failure::from(error).during(SERVER))?;
            let _ = self.server.set(server);
        }
        let asked = object.repository_id();
        let wanted: &str = match (name, &*object.ior().type_id, &asked) {
            (Some(name), ..) => name,
            (None, _, Ok(id)) => id,
            (None, said, Err(_)) if !said.is_empty() => said,
            (.., Err(error)) => {
                return Err(NoInterface::Exception(error.clone()));
            }
        };
        if let Some(interface) = self.interface_on_server(wanted)? {
            return Ok(interface);
        }
        let failure = match name {
            Some(name) => Failure::new(format!("unknown interface {name:?}"))
                .hint(self.known_interfaces())
                .into_usage(),
            None => Failure::new(format!("the object has the unknown type {wanted}"))
                .hint(self.known_interfaces()),
        };
        Err(failure.into())
    }

    /// Like [`Types::interface_of`], from the IDL only; `None` if it is not defined there.
    fn interface_in_idl(
        &self,
        object: &ObjectRef,
        name: Option<&str>,
    ) -> Option<InterfaceDescription> {
        if !self.has_idl() {
            return None;
        }
        if let Some(name) = name {
            return self.idl.describe_interface(&self.id_of(name));
        }
        if let Some(interface) = self.idl.describe_interface(&object.ior().type_id) {
            return Some(interface);
        }
        // A reference may have a base type or none; the object knows its most derived type.
        if let Ok(id) = object.repository_id()
            && let Some(interface) = self.idl.describe_interface(&id)
        {
            return Some(interface);
        }
        // Older ORBs do not support `_repository_id`, but all support `_is_a`.
        let of_object = self.interfaces().rev().find(|id| object.is_a(id).unwrap_or(false));
        self.idl.describe_interface(of_object?)
    }

    /// The interface with this name or repository id in the interface repository.
    fn interface_on_server(&self, name: &str) -> Result<Option<InterfaceDescription>, Failure> {
        let Some(found) = self.on_server(name).map_err(failed_on_server)? else { return Ok(None) };
        let interface = found.narrow::<corba::InterfaceDef>().map_err(failed_on_server)?;
        let described = interface.map(|interface| zorb_ifr::describe(&interface));
        described.transpose().map_err(failed_on_server)
    }

    /// The interface that the object's server reports.
    fn interface_reported(
        &self,
        object: &ObjectRef,
        name: Option<&str>,
    ) -> Result<InterfaceDescription, NoInterface> {
        let told = zorb_ifr::interface_of(object).and_then(|told| {
            let interface = told.ok_or_else(|| {
                let minor = zorb::minor::intf_repos::NO_ENTRY;
                SystemException::intf_repos(minor, zorb::CompletionStatus::No)
            })?;
            Ok((interface.containing_repository()?, zorb_ifr::describe(&interface)?))
        });
        let (repository, interface) = told.map_err(|exception| {
            use SystemExceptionKind::{BadOperation, IntfRepos, NoImplement};
            match exception.kind {
                IntfRepos | BadOperation | NoImplement => {
                    Failure::new("the object's server reports no types").hint(NO_TYPES).into()
                }
                _ => NoInterface::Exception(exception),
            }
        })?;
        if let Some(repository) = repository {
            let _ = self.server.set(repository);
        }
        match name {
            None => Ok(interface),
            Some(name) => self.interface_on_server(name)?.ok_or_else(|| {
                Failure::new(format!("unknown interface {name:?}")).into_usage().into()
            }),
        }
    }

    /// The definition with this name or repository id in the interface repository.
    fn on_server(&self, name: &str) -> Result<Option<ObjectRef>, SystemException> {
        let Some(server) = self.server.get() else { return Ok(None) };
        let found = match server.lookup_id(name)? {
            Some(found) => Some(found),
            // A repository id starts with a format and a colon; `::` separates names.
            None if name.split(':').nth(1).is_some_and(|part| !part.is_empty()) => None,
            None => server.lookup(name)?,
        };
        Ok(found.map(|found| found.as_object().clone()))
    }

    /// A type by its scoped name or repository id.
    pub(super) fn by_name(&self, name: &str) -> Option<TypeCode> {
        let known = self.idl.lookup_id(&self.id_of(name));
        let known = known.and_then(|index| self.idl.get(index)?.type_code().cloned());
        known.or_else(|| {
            let found = self.on_server(name).ok()??;
            if let Some(definition) = found.narrow::<corba::IdlType>().ok()? {
                return definition.r#type().ok();
            }
            found.narrow::<corba::ExceptionDef>().ok()??.r#type().ok()
        })
    }

    /// The scoped name of a repository id, according to the IDL or the interface repository.
    pub(super) fn scoped_name(&self, id: &str) -> Option<String> {
        let name = match self.idl.lookup_id(id) {
            Some(index) => self.idl.absolute_name(index),
            None => {
                let mut names = self.names.borrow_mut();
                let name = names.entry(id.to_owned()).or_insert_with(|| {
                    self.server.get()?.lookup_id(id).ok()??.absolute_name().ok()
                });
                name.clone()?
            }
        };
        Some(name.trim_start_matches("::").to_owned())
    }

    /// The repository id of a scoped name; an id is returned unchanged.
    fn id_of(&self, name: &str) -> String {
        let found = self.idl.lookup(Repository::ROOT, name);
        let entry = found.and_then(|index| self.idl.get(index));
        entry.map_or_else(|| name.to_owned(), |entry| entry.id.clone())
    }

    /// The ids of all interfaces; bases come before derived interfaces.
    fn interfaces(&self) -> impl DoubleEndedIterator<Item = &str> {
        let all: Vec<_> = self.idl.entries().collect();
        all.into_iter().filter_map(|(_, entry)| match entry.kind {
            EntryKind::Interface { .. } => Some(&*entry.id),
            _ => None,
        })
    }

    fn known_interfaces(&self) -> String {
        if !self.has_idl() {
            return "the interface repository does not contain it; give the IDL with --idl FILE"
                .to_owned();
        }
        let known: Vec<_> = self.interfaces().take(10).collect();
        format!("choose an interface of the IDL with --interface: {}", known.join(", "))
    }
}

fn failed(exception: SystemException) -> Failure {
    Failure::from(zorb::Error::from(exception))
}

fn failed_on_server(exception: SystemException) -> Failure {
    failed(exception).during(SERVER)
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
