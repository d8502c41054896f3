//! Serves a repository: one object for each definition, and one for each anonymous type that
//! definitions use.

mod budget;
mod call;
mod change;
mod check;
mod create;
mod definition;
mod describe;
mod dispatch;
mod kind;
mod shared;
mod types;
mod view;

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use zorb::dynamic::repository::Repository;
use zorb::poa::{Poa, PoaError, PoaPolicies};

use crate::{State, corba};
use budget::Budget;
use shared::{Shared, definition_id};
use view::View;

/// The name of the object adapter, a child of the given one.
const ADAPTER: &str = "InterfaceRepository";

/// A served interface repository. Clones refer to the same repository.
///
/// ```
/// use std::sync::Arc;
///
/// use zorb::Orb;
/// use zorb_ifr::{InterfaceRepository, State};
/// use zorb_store::MemoryStore;
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
/// let state = State::stored(Arc::new(MemoryStore::new()));
/// let definitions = state.load()?.unwrap_or_default();
/// let served = InterfaceRepository::serve_writable(&orb.root_poa(), definitions, Some(state.clone()))?;
/// orb.publish("InterfaceRepository", &served.reference()?)?;
/// served.reference()?.create_module("IDL:Bank:1.0", "Bank", "1.0")?;
/// assert!(state.load()?.is_some_and(|stored| stored.lookup_id("IDL:Bank:1.0").is_some()));
/// # orb.shutdown(true)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// References to its objects stay valid across restarts as long as definitions keep their
/// repository ids.
#[derive(Clone)]
pub struct InterfaceRepository(Arc<Shared>);

impl InterfaceRepository {
    /// Serves definitions in an object adapter below `parent`. Clients cannot change them:
    /// operations that would fail with `NO_PERMISSION`.
    ///
    /// # Errors
    /// `AdapterAlreadyExists` if `parent` has such a child; `INITIALIZE` if no endpoint can be
    /// opened.
    pub fn serve(parent: &Poa, definitions: Repository) -> Result<Self, PoaError> {
        Self::serve_as(parent, definitions, false, None, Budget::new())
    }

    /// Serves definitions that any client may change; each change is stored in `state` before the
    /// reply is sent.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub fn serve_writable(
        parent: &Poa,
        definitions: Repository,
        state: Option<State>,
    ) -> Result<Self, PoaError> {
        Self::serve_as(parent, definitions, true, state, Budget::new())
    }

    fn serve_as(
        parent: &Poa,
        definitions: Repository,
        writable: bool,
        state: Option<State>,
        budget: Budget,
    ) -> Result<Self, PoaError> {
        let policies = PoaPolicies::new().persistent().user_ids().multiple_ids();
        let shared = Arc::new(Shared {
            poa: parent.create(ADAPTER, policies)?,
            writable,
            state,
            write_check: OnceLock::new(),
            budget,
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
        shared.budget.set_definitions(budget::of_all(&definitions));
        shared.budget.limit();
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

    /// Makes all operations that change something ask `check` first, and raise its exception; the first check counts.
    pub fn set_write_check(&self, check: impl Fn() -> zorb::Result<()> + Send + Sync + 'static) {
        let _ = self.0.write_check.set(Box::new(check));
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

#[cfg(test)]
mod tests;
