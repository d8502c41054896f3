//! One object adapter: its policies, its active object map, and its parent and children.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use zorb_base::interceptor::ServerRequestInterceptor;
use zorb_base::object_id::ObjectId;
use zorb_base::orb_core::OrbCore;
use zorb_base::policy::{self, Policies, Priority, PriorityModel};
use zorb_giop::TaggedComponent;
use zorb_os::lock::{Lock, Locked};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::active_object::ActiveObject;
use crate::connection_setup::ConnectionSetup;
use crate::error::PoaError;
use crate::hold_queue::HoldQueue;
use crate::key::KeyParts;
use crate::manager::PoaManager;
use crate::objects::Objects;
use crate::policies::{IdAssignment, IdUniqueness, Lifespan, PoaPolicies, ThreadModel};
use crate::servants::{DefaultServant, Locator, Provider};
use crate::skeleton::{PolicySkeleton, Skeleton, SkeletonPolicies};
use crate::slots::Found;

/// An object adapter.
pub struct ObjectAdapter {
    name: String,
    /// The names of the adapters below the root down to this one, each followed by NUL.
    path: Vec<u8>,
    parent: Option<Weak<Self>>,
    policies: PoaPolicies,
    /// The component of references with the policies that clients must know.
    exposed: Option<TaggedComponent>,
    /// The interceptors of requests.
    interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    /// The setup of connections, if the policies contain properties of connections.
    setup: Option<Arc<ConnectionSetup>>,
    /// The priorities in references to objects that were not active when the references were created.
    declared_priorities: Lock<HashMap<ObjectId, Priority>>,
    manager: PoaManager,
    /// Admits one request at a time; `None` if the ORB controls the threads.
    turns: Option<HoldQueue>,
    index: u32,
    stamp: u32,
    children: Lock<BTreeMap<String, Arc<Self>>>,
    objects: Objects,
    /// Serves the objects that are not active.
    provider: Provider,
    /// The object ids of active servants, by the servant's identity; only with unique ids.
    servants: Lock<HashMap<usize, ObjectId>>,
    next_id: AtomicU64,
    destroyed: AtomicBool,
    /// Its membership in the thread pool that serves it.
    membership: Lock<Option<Membership>>,
    /// The number of that thread pool; 0 for none.
    pool_number: AtomicUsize,
    /// The same, if requests from that pool need no [check](Self::pass) but the manager's.
    unchecked_pool: AtomicUsize,
}

/// A number that no thread pool has.
const NO_POOL: usize = usize::MAX;

impl std::fmt::Debug for ObjectAdapter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectAdapter").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An adapter's membership in a thread pool, which ends when it is dropped.
pub(crate) type Membership = Box<dyn Any + Send + Sync>;

/// The maximum number of objects of an adapter whose priority references declare before the objects are active.
const MAX_DECLARED: usize = 1 << 20;

/// The purpose of an object's [policies](ObjectAdapter::declared_policies).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyUse {
    /// Creating a reference to an object, which may be inactive.
    Reference,
    /// Activating an object.
    Activation,
}

/// The parameters of a new adapter.
pub struct NewAdapter<'a> {
    /// Its name, unique among the children of its parent.
    pub name: &'a str,
    /// The parent; `None` for a root.
    pub parent: Option<&'a Arc<ObjectAdapter>>,
    /// The adapter's policies.
    pub policies: PreparedPolicies,
    /// The manager that controls its requests.
    pub manager: PoaManager,
}

/// The policies of a new adapter, and what follows from them.
pub struct PreparedPolicies {
    policies: PoaPolicies,
    exposed: Option<TaggedComponent>,
    interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    setup: Option<ConnectionSetup>,
}

impl std::fmt::Debug for PreparedPolicies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedPolicies").field("policies", &self.policies).finish_non_exhaustive()
    }
}

impl PreparedPolicies {
    pub(super) fn thread_model(&self) -> ThreadModel {
        self.policies.thread_model
    }

    /// For an adapter of `orb`. Calls the factories of interceptors, which may call the ORB: hold no lock.
    pub fn new(orb: &OrbCore, policies: PoaPolicies) -> Self {
        Self {
            exposed: policy::component(&policies.others).ok().flatten(),
            interceptors: orb.extensions().interceptors.server.of(&policies.others),
            setup: ConnectionSetup::of(&policies.others),
            policies,
        }
    }
}

impl std::fmt::Debug for NewAdapter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewAdapter").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ObjectAdapter {
    /// Creates an adapter. `index` is its index in the ORB's tables; `stamp` distinguishes it from earlier and later
    /// adapters with this index.
    ///
    /// `turns` admits its requests one at a time.
    pub(super) fn new(
        new: NewAdapter<'_>,
        turns: Option<HoldQueue>,
        index: u32,
        stamp: u32,
    ) -> Self {
        let NewAdapter { name, parent, policies, manager } = new;
        let PreparedPolicies { policies, exposed, interceptors, setup } = policies;
        let mut path = Vec::new();
        if let Some(parent) = parent {
            path.extend_from_slice(&parent.path);
            path.extend_from_slice(name.as_bytes());
            path.push(0);
        }
        let ids_are_slots = policies.lifespan == Lifespan::Transient
            && policies.id_assignment == IdAssignment::System;
        Self {
            name: name.to_owned(),
            path,
            parent: parent.map(Arc::downgrade),
            exposed,
            interceptors,
            setup: setup.map(Arc::new),
            declared_priorities: Lock::default(),
            provider: Provider::of(&policies),
            policies,
            manager,
            index,
            stamp,
            children: Lock::default(),
            objects: Objects::new(ids_are_slots, turns.is_none()),
            servants: Lock::default(),
            next_id: AtomicU64::new(0),
            destroyed: AtomicBool::new(false),
            membership: Lock::default(),
            pool_number: AtomicUsize::new(0),
            unchecked_pool: AtomicUsize::new(if turns.is_some() { NO_POOL } else { 0 }),
            turns,
        }
    }

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

    /// The manager that controls its requests.
    pub fn manager(&self) -> &PoaManager {
        &self.manager
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
    pub(super) fn turns(&self) -> Option<&HoldQueue> {
        self.turns.as_ref()
    }

    /// Assigns the adapter to a thread pool until it is destroyed.
    pub fn join(&self, pool_number: usize, membership: Membership) {
        self.pool_number.store(pool_number, Ordering::Relaxed);
        if self.turns.is_none() {
            self.unchecked_pool.store(pool_number, Ordering::Relaxed);
        }
        *self.membership.lock() = Some(membership);
    }

    /// The number of its active objects.
    pub fn active_objects(&self) -> usize {
        self.objects.len()
    }

    /// Whether its object ids are slots, which only activation assigns: transient system ids.
    pub fn ids_are_slots(&self) -> bool {
        self.objects.ids_are_slots()
    }

    /// The adapter's children.
    pub fn children(&self) -> Vec<Arc<Self>> {
        self.children.lock().values().cloned().collect()
    }

    /// The child with this name.
    pub fn child(&self, name: &str) -> Option<Arc<Self>> {
        self.children.lock().get(name).cloned()
    }

    /// Locks the children, to add one.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 17) while this adapter is being destroyed.
    pub fn lock_children(&self) -> Result<Locked<'_, BTreeMap<String, Arc<Self>>>, PoaError> {
        let children = self.children.lock();
        if self.destroyed.load(Ordering::Acquire) {
            return Err(PoaError::System(SystemException::bad_inv_order(
                minor::bad_inv_order::POA_BEING_DESTROYED,
                CompletionStatus::No,
            )));
        }
        Ok(children)
    }

    /// The object key for the object `id` of this adapter.
    pub fn key(&self, id: &[u8]) -> Vec<u8> {
        match self.policies.lifespan {
            Lifespan::Transient => {
                KeyParts::Transient { adapter: self.index, stamp: self.stamp, id }.to_key()
            }
            Lifespan::Persistent => KeyParts::Persistent { path: &self.path, id }.to_key(),
        }
    }

    /// The object id in a key of this adapter; `None` for the key of another adapter.
    pub fn id_in_key(&self, key: &KeyParts<'_>) -> Option<ObjectId> {
        match *key {
            KeyParts::Transient { adapter, stamp, id }
                if adapter == self.index && stamp == self.stamp =>
            {
                Some(ObjectId::from(id))
            }
            KeyParts::Persistent { path, id } if path == self.path => Some(ObjectId::from(id)),
            _ => None,
        }
    }

    /// Finds the active object `id`.
    #[inline]
    pub(crate) fn find_active(&self, id: &[u8]) -> Option<Found> {
        self.objects.find(id)
    }

    /// The active object `id`.
    pub fn find_object(&self, id: &[u8]) -> Option<Arc<ActiveObject>> {
        self.objects.find(id)?.to_shared()
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

    /// Sets the servant locator.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a servant manager; `OBJ_ADAPTER` (OMG 4) if it needs an activator;
    /// `BAD_INV_ORDER` (OMG 6) if it has a locator.
    pub fn set_locator(&self, locator: Arc<dyn Locator>) -> Result<(), PoaError> {
        self.provider.set_locator(locator, &self.policies)
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

    /// The policies that replace `given` as those of the object `id`, if an earlier reference declared its priority.
    /// The first reference with a priority declares it, as long as the adapter exists.
    ///
    /// # Errors
    /// `BAD_INV_ORDER`, minor `OTHER_PRIORITY`, if `given` contains another priority than an earlier reference;
    /// `NO_RESOURCES`, minor `OBJECTS`, if references have declared the priorities of 1,048,576 objects.
    pub fn declared_policies(
        &self,
        id: &ObjectId,
        given: &Policies,
        purpose: PolicyUse,
    ) -> Result<Option<Policies>, SystemException> {
        if self.policies.others.value::<PriorityModel>().is_none() {
            return Ok(None);
        }
        let wanted = given.value().map(PriorityModel::server_priority);
        let mut declared = self.declared_priorities.lock();
        match (declared.get(id).copied(), wanted) {
            (Some(declared), Some(wanted)) if declared != wanted => {
                let code = minor::bad_inv_order::OTHER_PRIORITY;
                Err(SystemException::bad_inv_order(code, CompletionStatus::No))
            }
            (Some(declared), None) => {
                Ok(Some(Policies::new().with(PriorityModel::server_declared(declared))))
            }
            (None, Some(wanted)) if purpose == PolicyUse::Reference => {
                declare(&mut declared, id, wanted, MAX_DECLARED)?;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Adds a servant to the active object map, with `id` or one that the adapter assigns. Returns the id.
    ///
    /// # Errors
    /// `ServantAlreadyActive`, `ObjectAlreadyActive`; `OBJECT_NOT_EXIST` if the adapter has been destroyed;
    /// `NO_RESOURCES` if the map is full.
    pub fn incarnate(
        &self,
        id: Option<ObjectId>,
        skeleton: Box<dyn Skeleton>,
    ) -> Result<ObjectId, PoaError> {
        let identity = skeleton.identity();
        let unique = self.policies.id_uniqueness == IdUniqueness::Unique;
        let mut servants = self.servants.lock();
        if self.destroyed.load(Ordering::Acquire) {
            return Err(PoaError::System(SystemException::object_not_exist(
                minor::object_not_exist::BEING_DEACTIVATED,
                CompletionStatus::No,
            )));
        }
        if unique && servants.contains_key(&identity) {
            return Err(PoaError::ServantAlreadyActive);
        }
        let id = match id {
            None if !self.objects.ids_are_slots() => Some(self.new_id()),
            id => id,
        };
        if id.as_ref().is_some_and(|id| self.objects.find(id.as_bytes()).is_some()) {
            return Err(PoaError::ObjectAlreadyActive);
        }
        let full =
            || SystemException::no_resources(minor::no_resources::OBJECTS, CompletionStatus::No);
        let id = self.objects.insert(id, skeleton).ok_or_else(full)?;
        if unique {
            servants.insert(identity, id.clone());
        }
        Ok(id)
    }

    /// Removes an object from the active object map. Requests in progress complete; the servant is dropped after
    /// the last one.
    ///
    /// # Errors
    /// `ObjectNotActive`.
    pub fn deactivate(&self, id: &ObjectId) -> Result<(), PoaError> {
        // One lock for both maps, so that no thread sees a servant in only one of them.
        let mut servants = self.servants.lock();
        let removed = self.objects.remove(id.as_bytes());
        let object = removed.ok_or(PoaError::ObjectNotActive)?;
        servants.remove(&object.skeleton.identity());
        // Dropping the servant may call the adapter.
        drop(servants);
        object.end_collocation();
        drop(object);
        Ok(())
    }

    /// Creates the id of an object that is not active. In a persistent adapter no other run of the program creates
    /// it: it consists of the time and a counter. In a transient one, it contains the adapter instead of the time.
    pub fn new_id(&self) -> ObjectId {
        let count = self.next_id.fetch_add(1, Ordering::Relaxed);
        let origin = match self.policies.lifespan {
            Lifespan::Transient => self.number(),
            Lifespan::Persistent => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
            }
        };
        ObjectId::new([origin.to_be_bytes(), count.to_be_bytes()].concat())
    }

    /// Distinguishes the adapter from others of its ORB.
    fn number(&self) -> u64 {
        u64::from(self.stamp) << 32 | u64::from(self.index)
    }

    /// Checks that the program may use `id` in this adapter. If the adapter assigns the ids, it must have assigned
    /// this one; a persistent adapter recognizes only the form of its ids.
    ///
    /// # Errors
    /// `BAD_PARAM` (OMG 14) for a foreign id.
    pub fn check_id(&self, id: &ObjectId) -> Result<(), PoaError> {
        if self.policies.id_assignment == IdAssignment::User
            || self.objects.has_assigned(id.as_bytes())
            || self.has_created(id.as_bytes())
        {
            return Ok(());
        }
        let code = minor::bad_param::INVALID_OBJECT_ID;
        Err(PoaError::System(SystemException::bad_param(code, CompletionStatus::No)))
    }

    /// Whether [`new_id`](Self::new_id) may have created an id.
    fn has_created(&self, id: &[u8]) -> bool {
        let Some((origin, count)) = id.split_first_chunk::<8>() else { return false };
        let Ok(count) = <[u8; 8]>::try_from(count) else { return false };
        match self.policies.lifespan {
            Lifespan::Transient => {
                u64::from_be_bytes(*origin) == self.number()
                    && u64::from_be_bytes(count) < self.next_id.load(Ordering::Relaxed)
            }
            Lifespan::Persistent => true,
        }
    }

    /// Answers held requests of this adapter and its descendants with `TRANSIENT`.
    pub fn release_held(&self) {
        self.manager.release_held();
        if let Some(turns) = &self.turns {
            turns.release();
        }
        self.children().iter().for_each(|child| child.release_held());
    }

    /// Makes collocated references to objects of this adapter and its descendants release their servants.
    pub fn end_collocation(&self) {
        self.objects.all().iter().for_each(|object: &Arc<ActiveObject>| object.end_collocation());
        self.children().iter().for_each(|child| child.end_collocation());
    }

    /// Destroys the adapter and its descendants; `unregister` removes each from the ORB's tables. Requests in
    /// progress complete.
    pub fn destroy(self: &Arc<Self>, unregister: &dyn Fn(&Arc<Self>)) {
        {
            // Servants are activated under this lock; after it no further servant is.
            let mut servants = self.servants.lock();
            self.destroyed.store(true, Ordering::Release);
            servants.clear();
        }
        let children = {
            let mut children = self.children.lock();
            std::mem::take(&mut *children)
        };
        for child in children.into_values() {
            child.destroy(unregister);
        }
        unregister(self);
        if let Some(parent) = self.parent() {
            let mut siblings = parent.children.lock();
            // Another adapter of this name may have been created in the meantime.
            if siblings.get(&self.name).is_some_and(|known| Arc::ptr_eq(known, self)) {
                siblings.remove(&self.name);
            }
        }
        self.membership.lock().take();
        // Dropping a servant may call the adapter, so no lock is held here.
        for object in self.objects.take() {
            object.end_collocation();
        }
    }
}

/// Declares the priority of an object, unless the priorities of `most` objects are declared.
fn declare(
    declared: &mut HashMap<ObjectId, Priority>,
    id: &ObjectId,
    priority: Priority,
    most: usize,
) -> Result<(), SystemException> {
    if declared.len() >= most {
        let code = minor::no_resources::OBJECTS;
        return Err(SystemException::no_resources(code, CompletionStatus::No));
    }
    declared.insert(id.clone(), priority);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_declared_priorities_is_limited() {
        let mut declared = HashMap::new();
        let mut declare = |id: &str| {
            declare(&mut declared, &ObjectId::from(id), Priority::default(), 2).map_err(|e| e.minor)
        };
        assert_eq!((declare("a"), declare("b")), (Ok(()), Ok(())));
        assert_eq!(declare("c"), Err(minor::no_resources::OBJECTS));
    }
}
