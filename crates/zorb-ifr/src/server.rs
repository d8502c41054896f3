//! Serving a repository: one object for each definition, and for each type without a name that
//! definitions use.

mod create;
mod definition;
mod describe;
mod kind;
mod object;
mod types;
mod view;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use zorb::dynamic::repository::{Entry, EntryId, EntryKind, Repository};
use zorb::poa::{ObjectId, Poa, PoaError, PoaPolicies};
use zorb::{CompletionStatus, Interface, MinorCode, ObjectRef, SystemException, TypeCode, minor};

use crate::{StateFile, corba};
use object::{Object, What};
use view::View;

/// The adapter that the objects are in, below the one that is given.
const ADAPTER: &str = "InterfaceRepository";

/// The most types without a name that have objects. Clients make them with `create_sequence` and
/// its like, so that there has to be an end.
const MAX_TYPES: usize = 1 << 16;

/// The most definitions that clients make a repository grow to.
const MAX_DEFINITIONS: usize = 1 << 20;

/// An interface repository that is being served. Clones are the same repository.
///
/// References to its objects stay good over restarts, where definitions keep their repository ids.
#[derive(Clone)]
pub struct InterfaceRepository(Arc<Shared>);

/// What all objects of a repository know.
struct Shared {
    poa: Poa,
    /// Whether clients may add definitions.
    writable: bool,
    /// Where definitions are kept that clients add.
    state: Option<StateFile>,
    definitions: RwLock<Repository>,
    /// The types without a name that have objects, by their texts.
    types: Mutex<HashMap<String, TypeCode>>,
}

impl InterfaceRepository {
    /// Serves definitions, in an adapter of its own below `parent`. Clients cannot change them:
    /// what would is refused with `NO_PERMISSION`.
    ///
    /// # Errors
    /// `AdapterAlreadyExists` when `parent` has such a child; `INITIALIZE` when no endpoint can be
    /// opened.
    pub fn serve(parent: &Poa, definitions: Repository) -> Result<Self, PoaError> {
        Self::serve_as(parent, definitions, false, None)
    }

    /// Serves definitions to which any client may add; each is stored in `state` before it is
    /// served.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub fn serve_writable(
        parent: &Poa,
        definitions: Repository,
        state: Option<StateFile>,
    ) -> Result<Self, PoaError> {
        Self::serve_as(parent, definitions, true, state)
    }

    fn serve_as(
        parent: &Poa,
        definitions: Repository,
        writable: bool,
        state: Option<StateFile>,
    ) -> Result<Self, PoaError> {
        let policies = PoaPolicies::new().persistent().user_ids().multiple_ids();
        let shared = Arc::new(Shared {
            poa: parent.create(ADAPTER, policies)?,
            writable,
            state,
            definitions: RwLock::default(),
            types: Mutex::default(),
        });
        for (place, entry) in definitions.entries() {
            shared.activate_definition(place, entry)?;
        }
        let view = View { shared: &shared, repository: &definitions };
        for (place, _) in definitions.entries() {
            view.make_types_of(place);
        }
        *shared.definitions.write().unwrap_or_else(PoisonError::into_inner) = definitions;
        Ok(Self(shared))
    }

    /// The repository's own object.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` when the adapter was destroyed.
    pub fn reference(&self) -> Result<corba::Repository, PoaError> {
        self.0.poa.reference(&definition_id(""))
    }

    /// The definitions as they are now.
    pub fn definitions(&self) -> Repository {
        self.0.definitions.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for InterfaceRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InterfaceRepository").field("poa", &self.0.poa).finish_non_exhaustive()
    }
}

/// The object id of a definition: a letter and its repository id, which is empty for the
/// repository itself.
fn definition_id(id: &str) -> ObjectId {
    ObjectId::new(format!("D{id}"))
}

/// The object id of a type without a name: a letter and how IDL writes it.
fn type_id(text: &str) -> ObjectId {
    ObjectId::new(format!("T{text}"))
}

impl Shared {
    fn activate_definition(
        self: &Arc<Self>,
        place: EntryId,
        entry: &Entry,
    ) -> Result<(), PoaError> {
        let what = What::Definition(place);
        let object = Object { shared: Arc::clone(self), what, kind: kind::of_entry(entry) };
        self.poa.activate_with_id::<_, ObjectRef>(definition_id(&entry.id), object).map(drop)
    }

    /// The object of a type without a name; one is made where there is none.
    fn type_object<T: Interface>(
        self: &Arc<Self>,
        type_code: &TypeCode,
    ) -> Result<T, SystemException> {
        let text = zorb::dynamic::json::type_name(type_code);
        let id = type_id(&text);
        let mut types = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        if types.contains_key(&text) {
            return Ok(self.poa.reference(&id)?);
        }
        if types.len() >= MAX_TYPES {
            let minor = minor::no_resources::QUEUE_FULL;
            return Err(SystemException::no_resources(minor, CompletionStatus::No));
        }
        let what = What::Type(type_code.clone());
        let kind = kind::of_type(type_code);
        let object = Object { shared: Arc::clone(self), what, kind };
        let made: ObjectRef = self.poa.activate_with_id(id, object)?;
        types.insert(text, type_code.clone());
        Ok(made.unchecked_narrow())
    }

    /// Adds a definition: stores it, and makes its object.
    fn add(
        self: &Arc<Self>,
        definitions: &mut Repository,
        container: EntryId,
        id: &str,
        name: &str,
        kind: EntryKind,
    ) -> Result<EntryId, SystemException> {
        let no = CompletionStatus::No;
        if definitions.at(MAX_DEFINITIONS).is_some() {
            return Err(SystemException::no_resources(minor::no_resources::QUEUE_FULL, no));
        }
        let place = match &self.state {
            None => definitions.add(container, id, name, kind),
            Some(state) => {
                let mut next = definitions.clone();
                let place = next.add(container, id, name, kind);
                state.store(&next).map_err(|error| {
                    tracing::error!(%error, "a definition could not be stored");
                    SystemException::persist_store(MinorCode::default(), no)
                })?;
                *definitions = next;
                place
            }
        };
        self.activate_definition(place, &definitions[place])?;
        View { shared: self, repository: definitions }.make_types_of(place);
        Ok(place)
    }

    /// The type that a reference to one of these objects stands for.
    fn type_of(
        &self,
        repository: &Repository,
        reference: Option<&ObjectRef>,
    ) -> Result<TypeCode, SystemException> {
        let bad_param = |minor| SystemException::bad_param(minor, CompletionStatus::No);
        let reference = reference.ok_or_else(|| bad_param(minor::bad_param::NIL_NOT_ALLOWED))?;
        self.find_type(repository, reference)
            .ok_or_else(|| bad_param(minor::bad_param::WRONG_INTERFACE))
    }

    fn find_type(&self, repository: &Repository, reference: &ObjectRef) -> Option<TypeCode> {
        let id = self.poa.id_of(reference).ok()?;
        match std::str::from_utf8(id.as_bytes()).ok()?.split_at_checked(1)? {
            ("D", id) => repository.get(repository.lookup_id(id)?)?.type_code().cloned(),
            ("T", text) => {
                self.types.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
            }
            _ => None,
        }
    }
}
