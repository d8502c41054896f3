//! Serves a repository: one object for each definition, and one for each anonymous type that
//! definitions use.

mod change;
mod check;
mod create;
mod definition;
mod describe;
mod kind;
mod object;
mod types;
mod view;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use zorb::dynamic::repository::{Entry, EntryId, Renamed, Repository};
use zorb::poa::{ObjectId, Poa, PoaError, PoaPolicies};
use zorb::{
    CompletionStatus, Interface, MinorCode, ObjectRef, SystemException, TcKind, TypeCode, minor,
};

use crate::{StateFile, corba};
use create::Addition;
use object::{Object, Target};
use view::View;

/// The name of the object adapter, a child of the given one.
const ADAPTER: &str = "InterfaceRepository";

/// The maximum number of anonymous types with objects. Clients create them with operations such as
/// `create_sequence`, so the number must be bounded.
const MAX_TYPES: usize = 1 << 16;

/// The maximum number of definitions in a repository that clients can change.
const MAX_DEFINITIONS: usize = 1 << 20;

/// A served interface repository. Clones refer to the same repository.
///
/// References to its objects stay valid across restarts as long as definitions keep their
/// repository ids.
#[derive(Clone)]
pub struct InterfaceRepository(Arc<Shared>);

/// The state shared by all objects of a repository.
struct Shared {
    poa: Poa,
    /// Whether clients may change the definitions.
    writable: bool,
    /// The file that stores changed definitions.
    state: Option<StateFile>,
    /// Locked before the fields below.
    definitions: RwLock<Repository>,
    /// Former repository ids of definitions, for references handed out earlier.
    renamed: Mutex<Renamed>,
    /// The anonymous types with objects, by their IDL text.
    types: Mutex<HashMap<String, TypeCode>>,
}

impl InterfaceRepository {
    /// Serves definitions in an object adapter below `parent`. Clients cannot change them:
    /// operations that would fail with `NO_PERMISSION`.
    ///
    /// # Errors
    /// `AdapterAlreadyExists` if `parent` has such a child; `INITIALIZE` if no endpoint can be
    /// opened.
    pub fn serve(parent: &Poa, definitions: Repository) -> Result<Self, PoaError> {
        Self::serve_as(parent, definitions, false, None)
    }

    /// Serves definitions that any client may change; each change is stored in `state` before the
    /// reply is sent.
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
            renamed: Mutex::default(),
            types: Mutex::default(),
        });
        for (_, entry) in definitions.entries() {
            shared.activate_definition(entry)?;
        }
        let view = View { shared: &shared, repository: &definitions };
        for (entry_id, _) in definitions.entries() {
            view.make_types_of(entry_id);
        }
        *shared.definitions.write().unwrap_or_else(PoisonError::into_inner) = definitions;
        Ok(Self(shared))
    }

    /// The repository's own object.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if the adapter was destroyed.
    pub fn reference(&self) -> Result<corba::Repository, PoaError> {
        self.0.poa.reference(&definition_id(""))
    }

    /// The current definitions.
    pub fn definitions(&self) -> Repository {
        self.0.read().clone()
    }
}

impl fmt::Debug for InterfaceRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InterfaceRepository").field("poa", &self.0.poa).finish_non_exhaustive()
    }
}

/// The object id of a definition: a letter and its repository id, which is empty for the repository
/// itself.
fn definition_id(id: &str) -> ObjectId {
    ObjectId::new(format!("D{id}"))
}

/// The object id of an anonymous type: a letter and its IDL text.
fn type_id(text: &str) -> ObjectId {
    ObjectId::new(format!("T{text}"))
}

/// The entry of the definition with a current or former repository id.
fn entry_id_of(
    definitions: &Repository,
    renamed: &Renamed,
    id: &str,
) -> Result<EntryId, SystemException> {
    if id.is_empty() {
        return Ok(Repository::ROOT);
    }
    let entry_id = definitions.lookup_id(id).or_else(|| definitions.lookup_id(renamed.get(id)?));
    entry_id.ok_or_else(|| {
        let minor = minor::object_not_exist::NO_MATCH;
        SystemException::object_not_exist(minor, CompletionStatus::No)
    })
}

impl Shared {
    fn read(&self) -> RwLockReadGuard<'_, Repository> {
        self.definitions.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_renamed(&self) -> MutexGuard<'_, Renamed> {
        self.renamed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_types(&self) -> MutexGuard<'_, HashMap<String, TypeCode>> {
        self.types.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn activate_definition(self: &Arc<Self>, entry: &Entry) -> Result<(), PoaError> {
        let target = Target::Definition(entry.id.clone());
        let object = Object { shared: Arc::clone(self), target, kind: kind::of_entry(entry) };
        let id = definition_id(&entry.id);
        // A definition that had this id before may still have its object.
        let _ = self.poa.deactivate(&id);
        self.poa.activate_with_id::<_, ObjectRef>(id, object).map(drop)
    }

    /// The object of an anonymous type; created if necessary.
    fn type_object<T: Interface>(
        self: &Arc<Self>,
        type_code: &TypeCode,
    ) -> Result<T, SystemException> {
        let text = zorb::dynamic::json::type_name(type_code);
        let id = type_id(&text);
        let mut types = self.lock_types();
        if types.contains_key(&text) {
            return Ok(self.poa.reference(&id)?);
        }
        if types.len() >= MAX_TYPES {
            let minor = minor::no_resources::QUEUE_FULL;
            return Err(SystemException::no_resources(minor, CompletionStatus::No));
        }
        let target = Target::Type(type_code.clone());
        let kind = kind::of_type(type_code);
        let object = Object { shared: Arc::clone(self), target, kind };
        let made: ObjectRef = self.poa.activate_with_id(id, object)?;
        types.insert(text, type_code.clone());
        Ok(made.unchecked_narrow())
    }

    /// Changes the definitions atomically: stores the result, and then makes it current. `finish`
    /// updates the objects before any other change.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut Repository, &Renamed) -> Result<T, SystemException>,
        finish: impl FnOnce(&Repository, &T) -> Result<(), SystemException>,
    ) -> Result<T, SystemException> {
        let mut definitions = self.definitions.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = definitions.clone();
        let result = change(&mut next, &self.lock_renamed())?;
        self.store(&next)?;
        *definitions = next;
        finish(&definitions, &result)?;
        Ok(result)
    }

    /// Adds a definition and creates its object.
    fn add(
        self: &Arc<Self>,
        make: impl FnOnce(&Repository, &Renamed) -> Result<Addition, SystemException>,
    ) -> Result<(), SystemException> {
        let mut definitions = self.definitions.write().unwrap_or_else(PoisonError::into_inner);
        if definitions.at(MAX_DEFINITIONS).is_some() {
            let minor = minor::no_resources::QUEUE_FULL;
            return Err(SystemException::no_resources(minor, CompletionStatus::No));
        }
        let addition = make(&definitions, &self.lock_renamed())?;
        let id = addition.id.clone();
        match self.state.is_none() && !addition.is_tried() {
            true => addition.apply(&mut definitions)?,
            false => {
                let mut next = definitions.clone();
                addition.apply(&mut next)?;
                self.store(&next)?;
                *definitions = next;
            }
        }
        self.lock_renamed().remove(&id);
        if let Some(entry_id) = definitions.lookup_id(&id) {
            self.activate_definition(&definitions[entry_id])?;
            View { shared: self, repository: &definitions }.make_types_of(entry_id);
        }
        Ok(())
    }

    fn store(&self, definitions: &Repository) -> Result<(), SystemException> {
        let Some(state) = &self.state else { return Ok(()) };
        state.store(definitions).map_err(|error| {
            tracing::error!(%error, "cannot store a definition");
            SystemException::persist_store(MinorCode::default(), CompletionStatus::No)
        })
    }

    /// The type that a reference to one of these objects denotes, as part of another type.
    fn type_of(
        &self,
        repository: &Repository,
        renamed: &Renamed,
        reference: Option<&ObjectRef>,
    ) -> Result<TypeCode, SystemException> {
        let bad_param = |minor| SystemException::bad_param(minor, CompletionStatus::No);
        let reference = reference.ok_or_else(|| bad_param(minor::bad_param::NIL_NOT_ALLOWED))?;
        let found = self.find_type(repository, renamed, reference);
        let found = found.ok_or_else(|| bad_param(minor::bad_param::WRONG_INTERFACE))?;
        // A type still without members is referred to by its id.
        let is_empty = found.member_count() == 0;
        match found.kind() {
            TcKind::Struct | TcKind::Union if is_empty => Ok(TypeCode::recursive(found.id())?),
            _ => Ok(found),
        }
    }

    fn find_type(
        &self,
        repository: &Repository,
        renamed: &Renamed,
        reference: &ObjectRef,
    ) -> Option<TypeCode> {
        let id = self.poa.id_of(reference).ok()?;
        match std::str::from_utf8(id.as_bytes()).ok()?.split_at_checked(1)? {
            ("D", id) => {
                let entry_id = entry_id_of(repository, renamed, id).ok()?;
                repository.get(entry_id)?.type_code().cloned()
            }
            ("T", text) => {
                let known = self.lock_types().get(text).cloned()?;
                Some(self.as_defined(repository, renamed, known))
            }
            _ => None,
        }
    }

    /// Updates a type to the current state of the definitions in it.
    fn as_defined(
        &self,
        repository: &Repository,
        renamed: &Renamed,
        type_code: TypeCode,
    ) -> TypeCode {
        if !self.writable {
            return type_code;
        }
        repository.canonical(&type_code, renamed).unwrap_or(type_code)
    }
}
