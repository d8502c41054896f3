//! The portable object adapter: servants, object ids and the references made of them.
//!
//! CORBA 3.3 part 1, chapter 15. An object key leads to its adapter by an index and to its servant
//! by a slot, so that finding the servant of a request costs the same for one object and for a
//! million; user ids and persistent adapters go through one hash.

mod activation;
mod adapters;
mod error;
mod groups;
mod ids;
mod key;
mod manager;

mod objects;
mod policies;
mod slots;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use zorb_giop::{Ior, ProfileTag, TaggedComponent};
use zorb_os::lock::Lock;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::collocation::{Bonds, Faces, HasServant};
use crate::interceptor::ServerRequestInterceptor;
use crate::orb::OrbCore;
use crate::policy::{self, ConnectionProperties, Priority, served_properties};
use crate::servant::Skeleton;
use crate::serving::{ConnectionSetup, PoolUse};

pub use crate::object_id::ObjectId;
pub(crate) use adapters::{Access, Adapters, KnownAdapters, KnownOperation, not_there};
pub use error::PoaError;
pub use key::{KeyParts, system_id};
pub(crate) use manager::{Arrival, HoldLimits, Holdable, ResumePass, Stopped};
pub use manager::{ManagerState, PoaManager};
use objects::Objects;
pub use policies::{IdAssignment, IdUniqueness, ImplicitActivation, Lifespan, PoaPolicies};
use policies::{check_policies, interceptors, pool_of};
pub(crate) use slots::Found;

/// An object adapter. Clones are the same adapter.
///
/// The root adapter comes with the ORB; children are made with [`Poa::create`]. Unlike in the
/// standard, whose root manager starts in the holding state, Zorb's starts active: a program that
/// wants requests to wait says so with [`PoaManager::hold_requests`].
#[derive(Clone)]
#[doc(alias = "POA")]
pub struct Poa(Arc<PoaCore>);

/// An object with a servant.
pub(crate) struct ActiveObject {
    pub(crate) id: ObjectId,
    pub(crate) skeleton: Box<dyn Skeleton>,
    /// The servant as callers in this process see it.
    faces: Faces,
    /// The references that lead straight here.
    pub(crate) bonds: Bonds,
}

impl ActiveObject {
    fn new(id: ObjectId, skeleton: Box<dyn Skeleton>) -> Self {
        Self { id, skeleton, faces: Faces::default(), bonds: Bonds::default() }
    }

    /// The servant as callers of `I` see it; `None` when it does not serve that.
    #[inline]
    pub(crate) fn face<I: HasServant>(&self) -> Option<&I::Servant> {
        match self.faces.first::<I>() {
            Some(face) => Some(face),
            None => self.faces.find::<I>(&*self.skeleton),
        }
    }
}

pub(crate) struct PoaCore {
    orb: Weak<OrbCore>,
    name: String,
    /// The names of the adapters below the root down to this one, each followed by NUL.
    path: Vec<u8>,
    parent: Option<Weak<Self>>,
    policies: PoaPolicies,
    /// What references say of the policies.
    exposed: Option<TaggedComponent>,
    /// The interceptors of requests.
    interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    /// The setup of connections, if the policies ask for one.
    setup: Option<Arc<ConnectionSetup>>,
    /// The priorities in references to objects that were not active when the references were made.
    declared_priorities: Lock<HashMap<ObjectId, Priority>>,
    manager: PoaManager,
    index: u32,
    stamp: u32,
    children: Lock<BTreeMap<String, Poa>>,
    objects: Objects,
    /// The id under which a servant is active, by the servant's identity; unique ids only.
    servants: Lock<HashMap<usize, ObjectId>>,
    next_persistent_id: AtomicU64,
    destroyed: AtomicBool,
    /// Its part in the pool whose threads serve it.
    pool: Lock<Option<PoolUse>>,
    /// The number of that pool; 0 for none.
    pool_number: AtomicUsize,
}

/// Why the object of a request is not served here, or not now.
pub(crate) enum NotHere {
    /// Its key is that of a published reference.
    Elsewhere(Box<Ior>),
    /// There is none; the exception says why.
    Nowhere(SystemException),
    /// Its manager holds requests.
    Held(PoaManager),
}

impl Poa {
    pub(crate) fn root(orb: &Arc<OrbCore>) -> Self {
        let manager = PoaManager::new(ManagerState::Active, HoldLimits::of(orb.options()));
        let (policies, pool) = Self::root_policies(orb);
        let root = orb.adapters().register(|index, stamp| {
            PoaCore::new(orb, "RootPOA", None, policies, manager, (index, stamp))
        });
        if pool.is_some() {
            root.join(pool);
        }
        Self(root)
    }

    /// The policies of the root adapter, and its part in its thread pool.
    fn root_policies(orb: &Arc<OrbCore>) -> (PoaPolicies, Option<PoolUse>) {
        let mut policies = PoaPolicies::root();
        if let Some(configured) = &orb.extensions().load().adapter_policies {
            match configured.of(orb, "/") {
                Ok(configured) => policies = policies.with_defaults(&configured),
                Err(error) => tracing::warn!(%error, "the root adapter is without its policies"),
            }
        }
        let inherited = policies.inheriting(&orb.client_policies().load().policies);
        match pool_of(orb, &inherited.others) {
            Ok(pool) => (inherited, pool),
            Err(error) => {
                tracing::warn!(%error, "the root adapter is without the ORB's policies");
                (PoaPolicies::root(), None)
            }
        }
    }

    /// Creates a child adapter under the same manager (`create_POA`).
    ///
    /// # Errors
    /// `AdapterAlreadyExists`; `InvalidPolicy` for policies that contradict each other or a name
    /// that is empty, too long or holds a NUL; `BAD_INV_ORDER` (OMG 17) while this adapter is being
    /// destroyed; `BAD_INV_ORDER` (OMG 4) or `OBJECT_NOT_EXIST` when the ORB has shut down or gone.
    #[doc(alias = "create_POA")]
    pub fn create(&self, name: &str, policies: PoaPolicies) -> Result<Self, PoaError> {
        self.create_with_manager(name, policies, self.manager())
    }

    /// Creates a child adapter under a manager of its own choice.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_with_manager(
        &self,
        name: &str,
        policies: PoaPolicies,
        manager: PoaManager,
    ) -> Result<Self, PoaError> {
        policies.check()?;
        if name.is_empty() || name.contains('\0') || self.0.path.len() + name.len() > key::MAX_PATH
        {
            return Err(PoaError::InvalidPolicy { reason: "the adapter's name is not usable" });
        }
        let orb = self.0.orb()?;
        let policies = self.configured(&orb, name, policies)?;
        let policies = policies.inheriting(&orb.client_policies().load().policies);
        let pool = pool_of(&orb, &policies.others)?;
        let mut children = self.0.children.lock();
        // Asked under the lock with which a shutdown looks for managers that hold requests.
        orb.check_running()?;
        if self.0.destroyed.load(Ordering::Acquire) {
            return Err(PoaError::System(SystemException::bad_inv_order(
                minor::bad_inv_order::POA_BEING_DESTROYED,
                CompletionStatus::No,
            )));
        }
        if children.contains_key(name) {
            return Err(PoaError::AdapterAlreadyExists);
        }
        let child = orb.adapters().register(|index, stamp| {
            let parent = Some(&self.0);
            PoaCore::new(&orb, name, parent, policies, manager, (index, stamp))
        });
        child.join(pool);
        children.insert(name.to_owned(), Self(Arc::clone(&child)));
        Ok(Self(child))
    }

    /// The policies of a child, with those that the ORB's configuration gives it.
    fn configured(
        &self,
        orb: &Arc<OrbCore>,
        name: &str,
        policies: PoaPolicies,
    ) -> Result<PoaPolicies, PoaError> {
        let extensions = orb.extensions().load_full();
        let Some(configured) = &extensions.adapter_policies else { return Ok(policies) };
        let mut path = name.to_owned();
        let mut above = Some(self.clone());
        while let Some(poa) = above.filter(|poa| poa.parent().is_some()) {
            path = format!("{}/{path}", poa.name());
            above = poa.parent();
        }
        let configured = configured.of(orb, &path);
        let policies = policies.with_defaults(&configured.map_err(|error| {
            let no = CompletionStatus::No;
            let code = minor::inv_policy::CONFLICT;
            error.into_exception(SystemException::inv_policy(code, no))
        })?);
        policies.check()?;
        Ok(policies)
    }

    /// The child adapter of that name (`find_POA`).
    ///
    /// # Errors
    /// `AdapterNonExistent`.
    #[doc(alias = "find_POA")]
    pub fn find(&self, name: &str) -> Result<Self, PoaError> {
        let children = self.0.children.lock();
        children.get(name).cloned().ok_or(PoaError::AdapterNonExistent)
    }

    /// The adapter's name; `"RootPOA"` for the root.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The adapter's policies.
    pub fn policies(&self) -> PoaPolicies {
        self.0.policies.clone()
    }

    /// What connections are like by which the objects of this adapter are called over profiles of this
    /// kind: what its policies say and those of the ORB when it was made, and where nothing is the options
    /// that are for servers, too. Of a property that nobody names the system's choice holds, or there is
    /// none. The limits, from `max_connections` on, are those of clients, whatever is said.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` when the ORB has gone.
    pub fn connection_properties(
        &self,
        profile: ProfileTag,
    ) -> Result<ConnectionProperties, SystemException> {
        let said = served_properties(&self.0.policies.others, profile);
        Ok(said.or(ConnectionProperties::of_served(self.0.orb()?.options())))
    }

    /// The adapter's manager.
    #[doc(alias = "the_POAManager")]
    pub fn manager(&self) -> PoaManager {
        self.0.manager.clone()
    }

    /// The adapter's parent; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.parent.as_ref().and_then(Weak::upgrade).map(Self)
    }

    /// The adapter's children.
    pub fn children(&self) -> Vec<Self> {
        let children = self.0.children.lock();
        children.values().cloned().collect()
    }

    /// Objects with a servant in this adapter.
    pub fn active_objects(&self) -> usize {
        self.0.objects.len()
    }

    /// Lets the requests go that managers hold back, unanswered but for `TRANSIENT`.
    pub(crate) fn release_held(&self) {
        self.0.manager.release_held();
        for child in self.children() {
            child.release_held();
        }
    }

    /// Has no reference lead straight to an object any more, here and in the adapters below.
    pub(crate) fn end_bonds(&self) {
        for object in self.0.objects.all() {
            object.bonds.end();
        }
        for child in self.children() {
            child.end_bonds();
        }
    }

    /// Destroys the adapter and its children: their objects no longer exist. Requests that are
    /// running finish; a destroyed adapter's name can be used again.
    pub fn destroy(&self) {
        {
            // A servant is activated under this lock, so from here on none comes in any more.
            let mut servants = self.0.servants.lock();
            self.0.destroyed.store(true, Ordering::Release);
            servants.clear();
        }
        let children = {
            let mut children = self.0.children.lock();
            std::mem::take(&mut *children)
        };
        for child in children.into_values() {
            child.destroy();
        }
        if let Some(orb) = self.0.orb.upgrade() {
            orb.adapters().unregister(&self.0);
        }
        if let Some(parent) = self.parent() {
            let mut siblings = parent.0.children.lock();
            // A namesake created since must stay.
            if siblings.get(self.name()).is_some_and(|known| Arc::ptr_eq(&known.0, &self.0)) {
                siblings.remove(self.name());
            }
        }
        self.0.pool.lock().take();
        // Servants may use the adapter as they are dropped, which is now that no lock is held.
        for object in self.0.objects.take() {
            object.bonds.end();
        }
    }
}

impl fmt::Debug for Poa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poa")
            .field("name", &self.0.name)
            .field("policies", &self.0.policies)
            .field("manager", &self.0.manager.state())
            .finish_non_exhaustive()
    }
}

impl PoaCore {
    fn new(
        orb: &Arc<OrbCore>,
        name: &str,
        parent: Option<&Arc<Self>>,
        policies: PoaPolicies,
        manager: PoaManager,
        (index, stamp): (u32, u32),
    ) -> Self {
        let mut path = Vec::new();
        if let Some(parent) = parent {
            path.extend_from_slice(&parent.path);
            path.extend_from_slice(name.as_bytes());
            path.push(0);
        }
        let setup = ConnectionSetup::of(&policies.others).map(Arc::new);
        let slots = policies.lifespan == Lifespan::Transient
            && policies.id_assignment == IdAssignment::System;
        Self {
            orb: Arc::downgrade(orb),
            name: name.to_owned(),
            path,
            parent: parent.map(Arc::downgrade),
            exposed: policy::component(&policies.others).ok().flatten(),
            interceptors: interceptors(orb, &policies.others),
            setup,
            declared_priorities: Lock::default(),
            policies,
            manager,
            index,
            stamp,
            children: Lock::default(),
            objects: Objects::new(slots),
            servants: Lock::default(),
            next_persistent_id: AtomicU64::new(0),
            destroyed: AtomicBool::new(false),
            pool: Lock::default(),
            pool_number: AtomicUsize::new(0),
        }
    }

    fn orb(&self) -> Result<Arc<OrbCore>, SystemException> {
        self.orb.upgrade().ok_or_else(|| {
            SystemException::object_not_exist(
                minor::object_not_exist::POA_NOT_FOUND,
                CompletionStatus::No,
            )
        })
    }

    /// Is served by the threads of `pool` from now on, which sets its connections up as the policies say.
    fn join(&self, pool: Option<PoolUse>) {
        if let Some(pool) = &pool {
            pool.set_up_by(self.setup.clone());
            self.pool_number.store(pool.number(), Ordering::Relaxed);
        }
        *self.pool.lock() = pool;
    }

    pub(crate) fn manager(&self) -> &PoaManager {
        &self.manager
    }

    /// The key of the object `id` of this adapter.
    fn key(&self, id: &[u8]) -> Vec<u8> {
        match self.policies.lifespan {
            Lifespan::Transient => {
                KeyParts::Transient { adapter: self.index, stamp: self.stamp, id }.to_key()
            }
            Lifespan::Persistent => KeyParts::Persistent { path: &self.path, id }.to_key(),
        }
    }

    /// The servant's object under `id`.
    #[inline]
    pub(crate) fn find_object(&self, id: &[u8]) -> Option<Found> {
        self.objects.find(id)
    }
}
