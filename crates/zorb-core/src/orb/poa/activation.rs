//! Activating servants, and the ways between servants, ids and references.

use std::sync::Arc;

use zorb_base::object_id::ObjectId;
use zorb_base::policy::{self, Policies};
use zorb_giop::TaggedComponent;
use zorb_invocation::interface::Interface;
use zorb_poa::{
    ConnectionSetup, Found, IdAssignment, IdUniqueness, ImplicitActivation, KeyParts, PoaError,
    PolicySkeleton, Skeleton, SkeletonPolicies, check_policies,
};

use super::Poa;
use super::pools::{check_lanes, named_pool};
use crate::servant::{ServedBy, Tie, servant_identity};

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
            None => self.adapter.policies().id_assignment == IdAssignment::System,
            Some(_) => !self.adapter.makes_ids(),
        };
        if !fits {
            return Err(PoaError::WrongPolicy);
        }
        let skeleton = Box::new(Tie::<S, R>::new(Arc::clone(servant)));
        let skeleton = self.skeleton_with(id.as_ref(), skeleton, policies)?;
        let id = self.adapter.incarnate(id, skeleton)?;
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
        let unique = self.adapter.policies().id_uniqueness == IdUniqueness::Unique;
        let known = self.adapter.id_of_servant(servant_identity(servant));
        match known.filter(|_| unique) {
            Some(id) => self.reference(&id),
            None if self.adapter.policies().implicit_activation == ImplicitActivation::Implicit => {
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
        self.adapter.deactivate(id)
    }

    /// The reference of the active object `id` (`id_to_reference`).
    ///
    /// # Errors
    /// `ObjectNotActive`; `INITIALIZE` when no endpoint can be opened.
    #[doc(alias = "id_to_reference")]
    pub fn reference<R: Interface>(&self, id: &ObjectId) -> Result<R, PoaError> {
        let found = self.adapter.find_object(id.as_bytes());
        let object = found.as_ref().and_then(Found::object).ok_or(PoaError::ObjectNotActive)?;
        let exposed = object.skeleton.exposed().or(self.adapter.exposed());
        let policies = object.skeleton.policies().unwrap_or(&self.adapter.policies().others);
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
        let by_adapter = self.adapter.policies().id_assignment == IdAssignment::System;
        if self.adapter.makes_ids() || (id.is_none() && !by_adapter) {
            return Err(PoaError::WrongPolicy);
        }
        let id = id.unwrap_or_else(|| self.adapter.fresh_persistent_id());
        let remembered = self.adapter.remembered(&id, policies, true)?;
        let policies = remembered.as_ref().unwrap_or(policies);
        if policies.is_empty() {
            let exposed = self.adapter.exposed();
            return self.make_reference(
                &id,
                R::REPOSITORY_ID,
                exposed,
                &self.adapter.policies().others,
            );
        }
        let (exposed, policies) = self.own_policies(policies)?;
        self.make_reference(&id, R::REPOSITORY_ID, exposed.as_ref(), &policies)
    }

    fn make_reference<R: Interface>(
        &self,
        id: &ObjectId,
        type_id: &str,
        exposed: Option<&TaggedComponent>,
        policies: &Policies,
    ) -> Result<R, PoaError> {
        let (orb, key) = (self.orb()?, self.adapter.key(id.as_bytes()));
        Ok(R::from_object(orb.export(type_id, &key, exposed, policies)?))
    }

    /// The id that a reference of this adapter carries (`reference_to_id`).
    ///
    /// # Errors
    /// `WrongAdapter` for a reference of another one.
    #[doc(alias = "reference_to_id")]
    pub fn id_of<R: Interface>(&self, reference: &R) -> Result<ObjectId, PoaError> {
        let keys = reference.as_object().keys();
        let id = keys.iter().find_map(|key| self.adapter.own_id(&KeyParts::parse(key)));
        id.ok_or(PoaError::WrongAdapter)
    }

    /// The skeleton of an object with `policies` of its own beside the adapter's.
    fn skeleton_with(
        &self,
        id: Option<&ObjectId>,
        inner: Box<dyn Skeleton>,
        policies: &Policies,
    ) -> Result<Box<dyn Skeleton>, PoaError> {
        if !self.adapter.governs() && policies.is_empty() {
            return Ok(inner);
        }
        let remembered = match id {
            Some(id) => self.adapter.remembered(id, policies, false)?,
            None => None,
        };
        let policies = remembered.as_ref().unwrap_or(policies);
        let (exposed, merged) = self.own_policies(policies)?;
        if policies.is_empty() {
            return Ok(self.adapter.skeleton_with(inner, exposed));
        }
        let interceptors = self.orb()?.core.extensions().interceptors.server.of(&merged);
        let setup = ConnectionSetup::of(&merged).map(Arc::new);
        let policies = SkeletonPolicies { interceptors, setup, exposed, policies: merged };
        Ok(Box::new(PolicySkeleton::new(inner, policies)))
    }

    /// The policies that hold for an object with `policies` of its own, and the component with them.
    fn own_policies(
        &self,
        policies: &Policies,
    ) -> Result<(Option<TaggedComponent>, Policies), PoaError> {
        check_policies(policies)?;
        let policies = policies.over(&self.adapter.policies().others);
        if let Some(pool) = named_pool(&*self.orb()?, &policies)? {
            check_lanes(&pool, &policies)?;
        }
        Ok((policy::component(&policies).ok().flatten(), policies))
    }
}
