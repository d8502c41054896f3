//! The object adapters of an ORB.

mod activation;
mod activators;
mod creation;
mod current;
mod groups;
mod mapping;
mod pools;
mod servants;
mod weak;

use std::fmt;
use std::sync::{Arc, Weak};

use zorb_base::policy::{ConnectionProperties, served_properties};
use zorb_base::upcall_thread::{about_to_block, check_may_wait};
use zorb_giop::ProfileTag;
use zorb_poa::{ObjectAdapter, PoaError, PoaManager, PoaManagerFactory, PoaPolicies};
use zorb_types::{CompletionStatus, SystemException, minor};

pub use self::current::PoaCurrent;
use super::inner::OrbInner;

/// A handle to an object adapter. Clones are the same adapter.
///
/// The root adapter is part of the ORB; [`Poa::create`] creates children. The root adapter's manager starts in the
/// state active, unlike the standard's, which starts holding. Call [`PoaManager::hold_requests`] to make requests
/// wait.
#[derive(Clone)]
#[doc(alias = "POA")]
pub struct Poa {
    adapter: Arc<ObjectAdapter>,
    orb: Weak<OrbInner>,
}

impl Poa {
    /// A handle to another adapter of the same ORB.
    fn with_adapter(&self, adapter: Arc<ObjectAdapter>) -> Self {
        Self { adapter, orb: Weak::clone(&self.orb) }
    }

    fn orb(&self) -> Result<Arc<OrbInner>, SystemException> {
        self.orb.upgrade().ok_or_else(|| {
            SystemException::object_not_exist(
                minor::object_not_exist::POA_NOT_FOUND,
                CompletionStatus::No,
            )
        })
    }

    /// Checks that the adapter has not been destroyed.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` (OMG 4) once its destruction is complete; `BAD_INV_ORDER` (OMG 4) after a shutdown.
    fn check_exists(&self) -> Result<(), PoaError> {
        if self.adapter.has_ended() { Err(self.destroyed()) } else { Ok(()) }
    }

    #[cold]
    fn destroyed(&self) -> PoaError {
        let ended = self.orb.upgrade().and_then(|orb| orb.core.check_running().err());
        let gone = || {
            let code = minor::object_not_exist::BEING_DEACTIVATED;
            SystemException::object_not_exist(code, CompletionStatus::No)
        };
        PoaError::System(ended.unwrap_or_else(gone))
    }

    /// The child adapter of that name (`find_POA`).
    ///
    /// # Errors
    /// `AdapterNonExistent`; `OBJECT_NOT_EXIST` (OMG 4) if this adapter has been [destroyed](Self::destroy).
    #[doc(alias = "find_POA")]
    pub fn find(&self, name: &str) -> Result<Self, PoaError> {
        self.check_exists()?;
        let child = self.adapter.child(name).ok_or(PoaError::AdapterNonExistent)?;
        Ok(self.with_adapter(child))
    }

    /// The adapter's name; `"RootPOA"` for the root.
    pub fn name(&self) -> &str {
        self.adapter.name()
    }

    /// The names of the adapters from below the root down to this one, separated by `/`; `"/"` for the root.
    pub fn path(&self) -> String {
        let path = self.adapter.path();
        match path.strip_suffix(b"\0") {
            Some(names) => String::from_utf8_lossy(names).replace('\0', "/"),
            None => "/".to_owned(),
        }
    }

    /// The adapter's id, octets that no other adapter of its ORB has (attribute `id`). A persistent adapter with this path
    /// has the same one in each run of the program; a transient adapter has one of its own.
    pub fn id(&self) -> Vec<u8> {
        self.adapter.key(&[])
    }

    /// The adapter's policies.
    pub fn policies(&self) -> PoaPolicies {
        self.adapter.policies().clone()
    }

    /// The properties of connections to this adapter's objects over profiles of this kind. Each is taken
    /// from the adapter's policies, otherwise from the ORB's policies when the adapter was created,
    /// otherwise from the server's options; a property that none of them sets is left to the system. The
    /// limits, from `max_connections` on, apply to clients and are not read from policies of servers.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if the ORB has been dropped.
    pub fn connection_properties(
        &self,
        profile: ProfileTag,
    ) -> Result<ConnectionProperties, SystemException> {
        let own = served_properties(&self.adapter.policies().others, profile);
        Ok(own.or(ConnectionProperties::of_served(self.orb()?.core.options())))
    }

    /// The adapter's manager.
    #[doc(alias = "the_POAManager")]
    pub fn manager(&self) -> PoaManager {
        self.adapter.manager().clone()
    }

    /// What creates the POA managers of the ORB, and finds them by id.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if the ORB has been dropped.
    #[doc(alias = "the_POAManagerFactory")]
    pub fn manager_factory(&self) -> Result<PoaManagerFactory, SystemException> {
        Ok(self.orb()?.adapters.managers().clone())
    }

    /// The adapter's parent; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.adapter.parent().map(|parent| self.with_adapter(parent))
    }

    /// The adapter's children.
    pub fn children(&self) -> Vec<Self> {
        self.adapter.children().into_iter().map(|child| self.with_adapter(child)).collect()
    }

    /// The number of active objects in this adapter.
    pub fn active_objects(&self) -> usize {
        self.adapter.active_objects()
    }

    /// Destroys the adapter and its children: their objects no longer exist, and servant activators etherealize them,
    /// those of the children first. Requests in progress complete, which this does not wait for. Then the adapter's name
    /// can be used again, and its operations that return a `Result` fail with `OBJECT_NOT_EXIST` (OMG 4);
    /// [`create`](Self::create) fails with `BAD_INV_ORDER` (OMG 17).
    pub fn destroy(&self) {
        self.destroy_now(true);
    }

    /// As [`destroy`](Self::destroy), with the standard's parameters. Without `etherealize_objects`, servant activators
    /// do not learn of the end of the objects. With `wait_for_completion`, returns when all requests in progress have
    /// completed, and all objects have been etherealized.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 3) with `wait_for_completion` on a thread of the ORB, which would wait for itself, for
    /// example in an upcall; then nothing is destroyed.
    pub fn destroy_with(
        &self,
        etherealize_objects: bool,
        wait_for_completion: bool,
    ) -> Result<(), PoaError> {
        if wait_for_completion && let Some(orb) = self.orb.upgrade() {
            check_may_wait(&orb.core)?;
        }
        self.destroy_now(etherealize_objects);
        if wait_for_completion {
            about_to_block();
            self.adapter.wait_for_completion();
        }
        Ok(())
    }

    fn destroy_now(&self, etherealize: bool) {
        let orb = self.orb.upgrade();
        self.adapter.destroy(etherealize, &|adapter| {
            if let Some(orb) = &orb {
                orb.adapters.unregister(adapter);
            }
        });
    }
}

impl fmt::Debug for Poa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poa")
            .field("name", &self.name())
            .field("policies", self.adapter.policies())
            .field("manager", &self.adapter.manager().state())
            .finish_non_exhaustive()
    }
}
