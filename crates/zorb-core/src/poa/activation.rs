//! Activating servants, and the ways between servants, ids and references.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use zorb_giop::TaggedComponent;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::policies::{check_lanes, named_pool};
use super::{
    Found, IdAssignment, IdUniqueness, ImplicitActivation, KeyParts, ObjectId, Poa, PoaCore,
    PoaError, check_policies, interceptors,
};
use crate::interface::Interface;
use crate::policy::{self, Policies, PriorityModel};
use crate::servant::{PolicySkeleton, ServedBy, Skeleton, Tie, servant_identity};
use crate::serving::ConnectionSetup;

impl Poa {
    /// Activates `servant` under an id of the adapter's choice and returns its reference
    /// (`activate_object`, `id_to_reference` and the narrowing, in one).
    ///
    /// ```text
    /// let greeter: Greeter = orb.root_poa().activate(MyGreeter)?;
    /// ```
    ///
    /// # Errors
    /// `WrongPolicy` where the program chooses the ids; `INITIALIZE` when no endpoint can be
    /// opened for the reference.
    #[doc(alias = "activate_object")]
    pub fn activate<S, R>(&self, servant: S) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.activate_shared(&Arc::new(servant))
    }

    /// Activates a servant that the program keeps a handle to.
    ///
    /// # Errors
    /// As [`activate`](Self::activate), and `ServantAlreadyActive` under unique ids.
    pub fn activate_shared<S, R>(&self, servant: &Arc<S>) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.activate_as(servant, None, &Policies::new())
    }

    /// Activates a servant whose object has `policies` of its own, each in place of one of its type
    /// that the adapter has; `id` is chosen by the adapter when it is `None`. RT-CORBA's operations
    /// that activate objects with priorities of their own are made of it.
    ///
    /// # Errors
    /// As [`activate_shared`](Self::activate_shared) and
    /// [`activate_with_id`](Self::activate_with_id), and `InvalidPolicy` for a policy that is not one
    /// of adapters.
    pub fn activate_as<S, R>(
        &self,
        servant: &Arc<S>,
        id: Option<ObjectId>,
        policies: &Policies,
    ) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        let fits = match id {
            None => self.0.policies.id_assignment == IdAssignment::System,
            Some(_) => !self.0.objects.makes_ids(),
        };
        if !fits {
            return Err(PoaError::WrongPolicy);
        }
        let skeleton = Box::new(Tie::<S, R>::new(Arc::clone(servant)));
        let skeleton = self.0.skeleton_with(id.as_ref(), skeleton, policies)?;
        let id = self.0.incarnate(id, skeleton)?;
        self.reference_or_none(&id)
    }

    /// Activates `servant` under `id` (`activate_object_with_id`).
    ///
    /// # Errors
    /// `ObjectAlreadyActive`; `WrongPolicy` in a transient adapter that chooses the ids; in a
    /// persistent one that does, an id of an earlier run may be given.
    #[doc(alias = "activate_object_with_id")]
    pub fn activate_with_id<S, R>(&self, id: impl Into<ObjectId>, servant: S) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.activate_shared_with_id(id, &Arc::new(servant))
    }

    /// Activates a servant that the program keeps a handle to, under `id`.
    ///
    /// # Errors
    /// As [`activate_with_id`](Self::activate_with_id), and `ServantAlreadyActive` under unique ids.
    pub fn activate_shared_with_id<S, R>(
        &self,
        id: impl Into<ObjectId>,
        servant: &Arc<S>,
    ) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.activate_as(servant, Some(id.into()), &Policies::new())
    }

    /// The reference of an object just activated, which does not stay active without one.
    fn reference_or_none<R: Interface>(&self, id: &ObjectId) -> Result<R, PoaError> {
        self.reference(id).inspect_err(|_| {
            // Nothing is left to do when another thread was faster.
            let _ = self.deactivate(id);
        })
    }

    /// The reference of a servant (`servant_to_reference`): of its present id under unique ids,
    /// else of a new one where activation is implicit.
    ///
    /// # Errors
    /// `ServantNotActive` where activation is explicit.
    #[doc(alias = "servant_to_reference")]
    #[doc(alias = "_this")]
    pub fn reference_of<S, R>(&self, servant: &Arc<S>) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        let unique = self.0.policies.id_uniqueness == IdUniqueness::Unique;
        let known = {
            let servants = self.0.servants.lock();
            servants.get(&servant_identity(servant)).cloned()
        };
        match known.filter(|_| unique) {
            Some(id) => self.reference(&id),
            None if self.0.policies.implicit_activation == ImplicitActivation::Implicit => {
                self.activate_shared(servant)
            }
            None => Err(PoaError::ServantNotActive),
        }
    }

    /// Ends the object `id`: no further request reaches its servant. Requests that are running
    /// finish; the servant is dropped after the last one.
    ///
    /// # Errors
    /// `ObjectNotActive`.
    #[doc(alias = "deactivate_object")]
    pub fn deactivate(&self, id: &ObjectId) -> Result<(), PoaError> {
        // One lock for both maps: nobody finds a servant in one and not in the other.
        let mut servants = self.0.servants.lock();
        let removed = self.0.objects.remove(id.as_bytes());
        let object = removed.ok_or(PoaError::ObjectNotActive)?;
        servants.remove(&object.skeleton.identity());
        // The servant may use the adapter as it is dropped.
        drop(servants);
        object.bonds.end();
        drop(object);
        Ok(())
    }

    /// The reference of the active object `id` (`id_to_reference`).
    ///
    /// # Errors
    /// `ObjectNotActive`; `INITIALIZE` when no endpoint can be opened.
    #[doc(alias = "id_to_reference")]
    pub fn reference<R: Interface>(&self, id: &ObjectId) -> Result<R, PoaError> {
        let found = self.0.find_object(id.as_bytes());
        let object = found.as_ref().and_then(Found::object).ok_or(PoaError::ObjectNotActive)?;
        let exposed = object.skeleton.exposed().or(self.0.exposed.as_ref());
        let policies = object.skeleton.policies().unwrap_or(&self.0.policies.others);
        self.make_reference(id, &object.skeleton.type_id(id), exposed, policies)
    }

    /// A reference to `id`, active or not (`create_reference_with_id`).
    ///
    /// # Errors
    /// `WrongPolicy` for transient system ids, which only activation makes; `INITIALIZE`.
    #[doc(alias = "create_reference_with_id")]
    pub fn create_reference<R: Interface>(&self, id: &ObjectId) -> Result<R, PoaError> {
        self.create_reference_as(Some(id.clone()), &Policies::new())
    }

    /// A reference to an object with `policies` of its own, each in place of one of its type that the
    /// adapter has; a persistent adapter that chooses the ids makes one when `id` is `None`. The object
    /// has them when it is [activated](Self::activate_as) with the same; RT-CORBA's priorities are
    /// remembered.
    ///
    /// # Errors
    /// As [`create_reference`](Self::create_reference); `WrongPolicy` without an id where the program
    /// chooses them; `InvalidPolicy` for a policy that is not one of adapters.
    pub fn create_reference_as<R: Interface>(
        &self,
        id: Option<ObjectId>,
        policies: &Policies,
    ) -> Result<R, PoaError> {
        let by_adapter = self.0.policies.id_assignment == IdAssignment::System;
        if self.0.objects.makes_ids() || (id.is_none() && !by_adapter) {
            return Err(PoaError::WrongPolicy);
        }
        let id = id.unwrap_or_else(|| self.0.fresh_persistent_id());
        let remembered = self.0.remembered(&id, policies, true)?;
        let policies = remembered.as_ref().unwrap_or(policies);
        if policies.is_empty() {
            let exposed = self.0.exposed.as_ref();
            return self.make_reference(&id, R::REPOSITORY_ID, exposed, &self.0.policies.others);
        }
        let (exposed, policies) = self.0.own_policies(policies)?;
        self.make_reference(&id, R::REPOSITORY_ID, exposed.as_ref(), &policies)
    }

    fn make_reference<R: Interface>(
        &self,
        id: &ObjectId,
        type_id: &str,
        exposed: Option<&TaggedComponent>,
        policies: &Policies,
    ) -> Result<R, PoaError> {
        let (orb, key) = (self.0.orb()?, self.0.key(id.as_bytes()));
        Ok(R::from_object(orb.export(type_id, &key, exposed, policies)?))
    }

    /// The id that a reference of this adapter carries (`reference_to_id`).
    ///
    /// # Errors
    /// `WrongAdapter` for a reference of another one.
    #[doc(alias = "reference_to_id")]
    pub fn id_of<R: Interface>(&self, reference: &R) -> Result<ObjectId, PoaError> {
        let keys = reference.as_object().keys();
        let id = keys.iter().find_map(|key| self.own_id(&KeyParts::parse(key)));
        id.ok_or(PoaError::WrongAdapter)
    }

    /// The id in a key of this adapter.
    pub(super) fn own_id(&self, key: &KeyParts<'_>) -> Option<ObjectId> {
        match *key {
            KeyParts::Transient { adapter, stamp, id }
                if adapter == self.0.index && stamp == self.0.stamp =>
            {
                Some(ObjectId::from(id))
            }
            KeyParts::Persistent { path, id } if path == self.0.path => Some(ObjectId::from(id)),
            _ => None,
        }
    }
}

impl PoaCore {
    /// The skeleton of an object with `policies` of its own beside the adapter's.
    fn skeleton_with(
        &self,
        id: Option<&ObjectId>,
        inner: Box<dyn Skeleton>,
        policies: &Policies,
    ) -> Result<Box<dyn Skeleton>, PoaError> {
        if self.interceptors.is_empty() && self.setup.is_none() && policies.is_empty() {
            return Ok(inner);
        }
        let remembered = match id {
            Some(id) => self.remembered(id, policies, false)?,
            None => None,
        };
        let policies = remembered.as_ref().unwrap_or(policies);
        let (exposed, merged) = self.own_policies(policies)?;
        // Objects without policies of their own share the adapter's setup, so that a connection is not set
        // up anew when it calls another of them.
        let (interceptors, setup) = match policies.is_empty() {
            true => (self.interceptors.clone(), self.setup.clone()),
            false => {
                let setup = ConnectionSetup::of(&merged).map(Arc::new);
                (interceptors(&*self.orb()?, &merged), setup)
            }
        };
        let is_prioritized = merged.value::<PriorityModel>().is_some();
        let policies = merged;
        Ok(Box::new(PolicySkeleton {
            inner,
            interceptors,
            setup,
            exposed,
            is_prioritized,
            policies,
        }))
    }

    /// The own policies of the object `id`, if they are not those that are `given` for its activation or
    /// for a reference: the priority of its first reference remains as long as the adapter exists.
    fn remembered(
        &self,
        id: &ObjectId,
        given: &Policies,
        for_reference: bool,
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
            (None, Some(wanted)) if for_reference => {
                declared.insert(id.clone(), wanted);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// What holds for an object with `policies` of its own, and what of it its reference tells.
    fn own_policies(
        &self,
        policies: &Policies,
    ) -> Result<(Option<TaggedComponent>, Policies), PoaError> {
        check_policies(policies)?;
        let policies = policies.over(&self.policies.others);
        if let Some(pool) = named_pool(&*self.orb()?, &policies)? {
            check_lanes(&pool, &policies)?;
        }
        Ok((policy::component(&policies).ok().flatten(), policies))
    }

    /// Puts a servant into the active object map.
    fn incarnate(
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
            None if !self.objects.makes_ids() => Some(self.fresh_persistent_id()),
            id => id,
        };
        if id.as_ref().is_some_and(|id| self.objects.find(id.as_bytes()).is_some()) {
            return Err(PoaError::ObjectAlreadyActive);
        }
        let no_room =
            || SystemException::no_resources(minor::no_resources::QUEUE_FULL, CompletionStatus::No);
        let id = self.objects.insert(id, skeleton).ok_or_else(no_room)?;
        if unique {
            servants.insert(identity, id.clone());
        }
        Ok(id)
    }

    /// An id that no other run of the program makes: the time and a count.
    fn fresh_persistent_id(&self) -> ObjectId {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let count = self.next_persistent_id.fetch_add(1, Ordering::Relaxed);
        let time = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        ObjectId::new([time.to_be_bytes(), count.to_be_bytes()].concat())
    }
}
