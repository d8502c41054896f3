//! The state shared by the objects of a repository, and their activation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use zorb::dynamic::repository::{Entry, EntryId, RenamedIds, Repository};
use zorb::poa::{ObjectId, Poa, PoaError};
use zorb::{
    CompletionStatus, Interface, MinorCode, ObjectRef, SystemException, TcKind, TypeCode, minor,
};

use super::budget::{self, Budget};
use super::kind;
use crate::State;
use crate::corba::DefinitionKind;

/// The maximum number of anonymous types with objects. Clients create them with operations such as
/// `create_sequence`, so the number must be bounded.
pub(super) const MAX_TYPES: usize = 1 << 16;

/// Refuses an operation that changes something.
pub(super) type WriteCheck = dyn Fn() -> Result<(), SystemException> + Send + Sync;

/// The state shared by all objects of a repository.
pub(super) struct Shared {
    pub(super) poa: Poa,
    /// Whether clients may change the definitions.
    pub(super) writable: bool,
    /// The file that stores changed definitions.
    pub(super) state: Option<State>,
    pub(super) write_check: OnceLock<Box<WriteCheck>>,
    pub(super) budget: Budget,
    /// Locked before the fields below.
    pub(super) definitions: RwLock<Repository>,
    /// Former repository ids of definitions, for references handed out earlier.
    pub(super) renamed: Mutex<RenamedIds>,
    /// The anonymous types with objects, by their IDL text.
    pub(super) types: Mutex<HashMap<String, TypeCode>>,
}

/// A servant of the repository.
pub(super) struct Object {
    pub(super) shared: Arc<Shared>,
    pub(super) target: Target,
    pub(super) kind: DefinitionKind,
}

/// What an object represents.
pub(super) enum Target {
    /// The definition with this current or former repository id.
    Definition(String),
    /// An anonymous type.
    Type(TypeCode),
}

/// The object id of a definition: a letter and its repository id, which is empty for the repository
/// itself.
pub(super) fn definition_id(id: &str) -> ObjectId {
    ObjectId::new(format!("D{id}"))
}

/// The object id of an anonymous type: a letter and its IDL text.
pub(super) fn type_id(text: &str) -> ObjectId {
    ObjectId::new(format!("T{text}"))
}

/// The entry of the definition with a current or former repository id.
pub(super) fn entry_id_of(
    definitions: &Repository,
    renamed: &RenamedIds,
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
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Repository> {
        self.definitions.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lock_renamed(&self) -> MutexGuard<'_, RenamedIds> {
        self.renamed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lock_types(&self) -> MutexGuard<'_, HashMap<String, TypeCode>> {
        self.types.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn activate_definition(self: &Arc<Self>, entry: &Entry) -> Result<(), PoaError> {
        let target = Target::Definition(entry.id.clone());
        let object = Object { shared: Arc::clone(self), target, kind: kind::of_entry(entry) };
        let id = definition_id(&entry.id);
        // A definition that had this id before may still have its object.
        let _ = self.poa.deactivate(&id);
        self.poa.activate_with_id::<_, ObjectRef>(id, object).map(drop)
    }

    /// Checks that the client whose request the calling thread serves may change something.
    ///
    /// # Errors
    /// The exception of the check.
    pub(super) fn check_writer(&self) -> Result<(), SystemException> {
        self.write_check.get().map_or(Ok(()), |check| check())
    }

    /// Whether an anonymous type has an object.
    pub(super) fn has_type(&self, type_code: &TypeCode) -> bool {
        self.lock_types().contains_key(&zorb::dynamic::json::type_name(type_code))
    }

    /// The object of an anonymous type; created if necessary.
    pub(super) fn type_object<T: Interface>(
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
        self.budget.check(budget::of_text(&text))?;
        let target = Target::Type(type_code.clone());
        let kind = kind::of_type(type_code);
        let object = Object { shared: Arc::clone(self), target, kind };
        let made: ObjectRef = self.poa.activate_with_id(id, object)?;
        self.budget.add_text(&text);
        types.insert(text, type_code.clone());
        Ok(made.unchecked_narrow())
    }

    /// Changes the definitions atomically: stores the result, and then makes it current. `finish`
    /// updates the objects before any other change.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&mut Repository, &RenamedIds) -> Result<T, SystemException>,
        finish: impl FnOnce(&Repository, &T) -> Result<(), SystemException>,
    ) -> Result<T, SystemException> {
        let mut definitions = self.definitions.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = definitions.clone();
        let result = change(&mut next, &self.lock_renamed())?;
        let octets = budget::of_all(&next);
        self.budget.check_change(octets)?;
        self.store(&next)?;
        self.budget.set_definitions(octets);
        *definitions = next;
        finish(&definitions, &result)?;
        Ok(result)
    }

    pub(super) fn store(&self, definitions: &Repository) -> Result<(), SystemException> {
        let Some(state) = &self.state else { return Ok(()) };
        state.store(definitions).map_err(|error| {
            tracing::error!(%error, "cannot store a definition");
            SystemException::persist_store(MinorCode::default(), CompletionStatus::No)
        })
    }

    /// The type that a reference to one of these objects denotes, as part of another type.
    pub(super) fn type_of(
        &self,
        repository: &Repository,
        renamed: &RenamedIds,
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
        renamed: &RenamedIds,
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
    pub(super) fn as_defined(
        &self,
        repository: &Repository,
        renamed: &RenamedIds,
        type_code: TypeCode,
    ) -> TypeCode {
        if !self.writable {
            return type_code;
        }
        repository.canonical(&type_code, renamed).unwrap_or(type_code)
    }
}
