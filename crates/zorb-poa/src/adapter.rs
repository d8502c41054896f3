//! One object adapter: its policies, its active object map, and its parent and children.

mod activation;
mod declared;
mod ending;
mod etherealization;
mod incarnation;
mod managed;
mod new_adapter;
mod object_ids;

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use zorb_base::interceptor::ServerRequestInterceptor;
use zorb_base::object_id::ObjectId;
use zorb_base::orb_core::OrbCore;
use zorb_base::policy::Priority;
use zorb_giop::TaggedComponent;
use zorb_os::lock::{Lock, Locked};
use zorb_types::{CompletionStatus, SystemException, minor};

pub use self::declared::PolicyUse;
pub use self::new_adapter::{NewAdapter, PreparedPolicies};
use crate::active_object::ActiveObject;
use crate::adapter_activation::AdapterActivator;
use crate::completion::Completion;
use crate::connection_setup::ConnectionSetup;
use crate::error::PoaError;
use crate::hold_queue::HoldQueue;
use crate::manager::PoaManager;
use crate::objects::Objects;
use crate::policies::PoaPolicies;
use crate::provider::Provider;
use crate::reference_profiles::ReferenceProfiles;
use crate::servants::{Activator, AnyManager, DefaultServant, Locator};
use crate::skeleton::{PolicySkeleton, Skeleton, SkeletonPolicies};
use crate::slots::Found;

/// An object adapter.
pub struct ObjectAdapter {
    core: Arc<OrbCore>,
    name: String,
    /// The names of the adapters below the root down to this one, each followed by NUL.
    path: Vec<u8>,
    this: Weak<Self>,
    parent: Option<Weak<Self>>,
    policies: PoaPolicies,
    /// The component of references with the policies that clients must know.
    exposed: Option<TaggedComponent>,
    reference_profiles: ReferenceProfiles,
    /// The interceptors of requests.
    interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    /// The setup of connections, if the policies contain properties of connections.
    setup: Option<Arc<ConnectionSetup>>,
    /// The priorities in references to objects that were not active when the references were created.
    declared_priorities: Lock<HashMap<ObjectId, Priority>>,
    manager: PoaManager,
    /// Admits one request at a time; `None` if the ORB controls the threads.
    serializer: Option<HoldQueue>,
    index: u32,
    stamp: u32,
    /// Each until its destruction is complete.
    children: Lock<BTreeMap<String, Arc<Self>>>,
    objects: Objects,
    /// Serves the objects that are not active.
    provider: Provider,
    /// The object ids of active servants, by the servant's identity; only with unique ids.
    servants: Lock<HashMap<usize, ObjectId>>,
    next_id: AtomicU64,
    /// Once it is being destroyed: whether that etherealizes its objects.
    destroyed: OnceLock<bool>,
    /// Whether its destruction is complete.
    has_ended: AtomicBool,
    completion: Completion,
    /// Creates its missing children.
    activator: Lock<Option<Arc<dyn AdapterActivator>>>,
    /// Its membership in the thread pool that serves it.
    membership: Lock<Option<Membership>>,
    /// The number of that thread pool; 0 for none.
    pool_number: AtomicUsize,
    /// The same, if requests from that pool need no [check](Self::pass) but the manager's.
    unchecked_pool: AtomicUsize,
}

impl std::fmt::Debug for ObjectAdapter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectAdapter").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An adapter's membership in a thread pool, which ends when it is dropped.
pub(crate) type Membership = Box<dyn Any + Send + Sync>;

impl ObjectAdapter {
    /// The adapter's name, unique among the children of its parent.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the adapters below the root down to this one, each followed by NUL.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// The parent; `None` for the root, and after the parent has been destroyed.
    pub fn parent(&self) -> Option<Arc<Self>> {
        self.parent.as_ref().and_then(Weak::upgrade)
    }

    /// The adapter's policies.
    pub fn policies(&self) -> &PoaPolicies {
        &self.policies
    }

    /// The component of its references with the policies that clients must know.
    pub fn exposed(&self) -> Option<&TaggedComponent> {
        self.exposed.as_ref()
    }

    /// The setup of connections, if its policies contain properties of connections.
    pub fn setup(&self) -> Option<&Arc<ConnectionSetup>> {
        self.setup.as_ref()
    }

    /// The core of its ORB.
    pub fn core(&self) -> &OrbCore {
        &self.core
    }

    /// The manager that controls its requests.
    pub fn manager(&self) -> &PoaManager {
        &self.manager
    }

    /// The adapter of an object; `None` if it has been destroyed and dropped.
    pub fn of(object: &ActiveObject) -> Option<Arc<Self>> {
        object.adapter()?.downcast().ok()
    }

    #[inline]
    pub(super) fn index(&self) -> u32 {
        self.index
    }

    #[inline]
    pub(super) fn stamp(&self) -> u32 {
        self.stamp
    }

    #[inline]
    pub(super) fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The number of the thread pool that serves it; 0 for none.
    #[inline]
    pub(super) fn pool_number(&self) -> usize {
        self.pool_number.load(Ordering::Relaxed)
    }

    /// The number of the thread pool whose requests need no check but the manager's.
    #[inline]
    pub(super) fn unchecked_pool(&self) -> usize {
        self.unchecked_pool.load(Ordering::Relaxed)
    }

    /// Admits its requests one at a time; `None` if the ORB controls the threads.
    pub(super) fn serializer(&self) -> Option<&HoldQueue> {
        self.serializer.as_ref()
    }

    /// Assigns the adapter to a thread pool until it is destroyed.
    pub fn join(&self, pool_number: usize, membership: Membership) {
        self.pool_number.store(pool_number, Ordering::Relaxed);
        if self.serializer.is_none() {
            self.unchecked_pool.store(pool_number, Ordering::Relaxed);
        }
        *self.membership.lock() = Some(membership);
    }

    /// The number of its active objects.
    pub fn active_objects(&self) -> usize {
        self.objects.len() + self.provider.changing().map_or(0, |changing| changing.all().len())
    }

    /// Whether its object ids are slots, which only activation assigns: transient system ids.
    pub fn ids_are_slots(&self) -> bool {
        self.objects.ids_are_slots()
    }

    /// The adapter's children, without those that are being destroyed.
    pub fn children(&self) -> Vec<Arc<Self>> {
        let mut children = self.known_children();
        children.retain(|child| !child.is_being_destroyed());
        children
    }

    /// The same with those that are being destroyed.
    fn known_children(&self) -> Vec<Arc<Self>> {
        self.children.lock().values().cloned().collect()
    }

    /// The child with this name, unless it is being destroyed.
    pub fn child(&self, name: &str) -> Option<Arc<Self>> {
        self.children.lock().get(name).filter(|child| !child.is_being_destroyed()).cloned()
    }

    /// Whether the child with this name is being destroyed.
    pub(crate) fn is_destroying(&self, name: &str) -> bool {
        self.children.lock().get(name).is_some_and(|child| child.is_being_destroyed())
    }

    fn is_being_destroyed(&self) -> bool {
        self.destroyed.get().is_some()
    }

    /// Whether its destruction is complete: no request is in progress, and all objects have been etherealized.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// What creates its missing children.
    pub fn adapter_activator(&self) -> Option<Arc<dyn AdapterActivator>> {
        self.activator.lock().clone()
    }

    /// Sets what creates its missing children; `None` for nothing.
    pub fn set_adapter_activator(&self, activator: Option<Arc<dyn AdapterActivator>>) {
        let replaced = std::mem::replace(&mut *self.activator.lock(), activator);
        // Without the lock: this is the program's.
        drop(replaced);
    }

    /// Locks the children, to add one.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 17) while this adapter is being destroyed.
    pub fn lock_children(&self) -> Result<Locked<'_, BTreeMap<String, Arc<Self>>>, PoaError> {
        let children = self.children.lock();
        if self.is_being_destroyed() {
            return Err(PoaError::System(SystemException::bad_inv_order(
                minor::bad_inv_order::POA_BEING_DESTROYED,
                CompletionStatus::No,
            )));
        }
        Ok(children)
    }

    /// Finds the active object `id`.
    #[inline]
    pub(crate) fn find_active(&self, id: &[u8]) -> Option<Found> {
        self.objects.find(id)
    }

    /// The active object `id`.
    pub fn find_object(&self, id: &[u8]) -> Option<Arc<ActiveObject>> {
        match self.objects.find(id) {
            Some(found) => found.to_shared(),
            None => self.provider.changing()?.incarnated(id),
        }
    }

    /// What serves the objects that are not active.
    #[inline]
    pub(crate) fn provider(&self) -> &Provider {
        &self.provider
    }

    /// The servant of all objects that are not active.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses one; `NoServant`.
    pub fn default_servant(&self) -> Result<Arc<DefaultServant>, PoaError> {
        self.provider.default_servant()
    }

    /// Sets the servant of all objects that are not active.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses one.
    pub fn set_default_servant(&self, servant: DefaultServant) -> Result<(), PoaError> {
        self.provider.set_default_servant(servant)
    }

    /// The servant manager; `None` if it has not been set.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses one.
    pub fn servant_manager(&self) -> Result<Option<AnyManager>, PoaError> {
        self.provider.servant_manager()
    }

    /// Sets the servant locator.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a servant manager; `OBJ_ADAPTER` (OMG 4) if it needs an activator;
    /// `BAD_INV_ORDER` (OMG 6) if it has a locator.
    pub fn set_locator(&self, locator: Arc<dyn Locator>) -> Result<(), PoaError> {
        self.provider.set_locator(locator)
    }

    /// Sets the servant activator.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a servant manager; `OBJ_ADAPTER` (OMG 4) if it needs a locator;
    /// `BAD_INV_ORDER` (OMG 6) if it has an activator.
    pub fn set_activator(&self, activator: Arc<dyn Activator>) -> Result<(), PoaError> {
        self.provider.set_activator(activator)
    }

    /// The object id of an active servant; only with unique ids.
    pub fn id_of_servant(&self, identity: usize) -> Option<ObjectId> {
        self.servants.lock().get(&identity).cloned()
    }

    /// Adds the adapter's policies to the skeleton of an object without policies of its own.
    pub fn policy_skeleton(
        &self,
        inner: Box<dyn Skeleton>,
        exposed: Option<TaggedComponent>,
    ) -> Box<dyn Skeleton> {
        // The objects share the adapter's setup, so that a connection that alternates between them is set up
        // only once.
        let (interceptors, setup) = (self.interceptors.clone(), self.setup.clone());
        let policies = self.policies.others.clone();
        Box::new(PolicySkeleton::new(
            inner,
            SkeletonPolicies { interceptors, setup, exposed, policies },
        ))
    }

    /// Whether its objects need a [`policy_skeleton`](Self::policy_skeleton): its policies have interceptors, or
    /// properties of connections.
    pub fn needs_policy_skeleton(&self) -> bool {
        !self.interceptors.is_empty() || self.setup.is_some()
    }
}
