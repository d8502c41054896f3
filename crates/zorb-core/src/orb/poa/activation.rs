//! Activates servants, and maps between servants, ids and references.

use std::sync::Arc;

use zorb_base::object_id::ObjectId;
use zorb_base::policy::{self, Policies};
use zorb_giop::TaggedComponent;
use zorb_invocation::interface::Interface;
use zorb_poa::{
    ConnectionSetup, Found, IdAssignment, IdUniqueness, ImplicitActivation, KeyParts, PoaError,
    PolicySkeleton, PolicyUse, Skeleton, SkeletonPolicies, check_policies,
};

use super::Poa;
use super::pools::{check_lanes, named_pool};
use crate::servant::{ServedBy, Tie, servant_identity};

impl Poa {
    /// Activates `servant` with an id that the adapter assigns, and returns its reference (`activate_object`,
    /// `id_to_reference` and `_narrow` in one).
    ///
    /// ```text
    /// let greeter: Greeter = orb.root_poa().activate(MyGreeter)?;
    /// ```
    ///
    /// # Errors
    /// `WrongPolicy` if the program assigns the ids; `INITIALIZE` if no endpoint can be opened for the reference.
    #[doc(alias = "activate_object")]
    pub fn activate<S, R>(&self, servant: S) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.activate_shared(&Arc::new(servant))
    }

    /// Activates a servant that the program shares.
    ///
    /// # Errors
    /// As [`activate`](Self::activate), and `ServantAlreadyActive` with unique ids.
    pub fn activate_shared<S, R>(&self, servant: &Arc<S>) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.activate_as(servant, None, &Policies::new())
    }

    /// Activates a servant whose object has `policies` of its own, each replacing the adapter's of the same type.
    /// The adapter assigns the id if `id` is `None`. RT-CORBA's operations that activate objects with priorities
    /// use it.
    ///
    /// # Errors
    /// As [`activate_shared`](Self::activate_shared) and [`activate_with_id`](Self::activate_with_id), and
    /// `InvalidPolicy` for a policy that adapters cannot have.
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
        let is_allowed = match id {
            None => self.adapter.policies().id_assignment == IdAssignment::System,
            Some(_) => !self.adapter.ids_are_slots(),
        };
        if !is_allowed {
            return Err(PoaError::WrongPolicy);
        }
        let skeleton = Box::new(Tie::<S, R>::new(Arc::clone(servant)));
        let skeleton = self.skeleton_with(id.as_ref(), skeleton, policies)?;
        let id = self.adapter.incarnate(id, skeleton)?;
        self.reference_or_deactivate(&id)
    }

    /// Activates `servant` with `id` (`activate_object_with_id`). In a persistent adapter that assigns the ids, it
    /// must be one that an earlier run of the program has assigned.
    ///
    /// # Errors
    /// `ObjectAlreadyActive`; `WrongPolicy` in a transient adapter that assigns the ids.
    #[doc(alias = "activate_object_with_id")]
    pub fn activate_with_id<S, R>(&self, id: impl Into<ObjectId>, servant: S) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.activate_shared_with_id(id, &Arc::new(servant))
    }

    /// Activates a servant that the program shares, with `id`.
    ///
    /// # Errors
    /// As [`activate_with_id`](Self::activate_with_id), and `ServantAlreadyActive` with unique ids.
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

    /// The reference of an object that was just activated. If it cannot be created, deactivates the object.
    fn reference_or_deactivate<R: Interface>(&self, id: &ObjectId) -> Result<R, PoaError> {
        self.reference(id).inspect_err(|_| {
            // Another thread may have deactivated it already.
            let _ = self.deactivate(id);
        })
    }

    /// The reference of a servant (`servant_to_reference`). If ids are unique and the servant is active, it is that
    /// of its object; otherwise, with implicit activation, the servant is activated with a new id.
    ///
    /// # Errors
    /// `ServantNotActive` without implicit activation.
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

    /// Deactivates the object `id`: no further request reaches its servant. Requests in progress complete; the
    /// servant is dropped after the last one.
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
    /// `ObjectNotActive`; `INITIALIZE` if no endpoint can be opened.
    #[doc(alias = "id_to_reference")]
    pub fn reference<R: Interface>(&self, id: &ObjectId) -> Result<R, PoaError> {
        let found = self.adapter.find_object(id.as_bytes());
        let object = found.as_ref().and_then(Found::object).ok_or(PoaError::ObjectNotActive)?;
        let exposed = object.skeleton.exposed().or(self.adapter.exposed());
        let policies = object.skeleton.policies().unwrap_or(&self.adapter.policies().others);
        self.make_reference(id, &object.skeleton.type_id(id), exposed, policies)
    }

    /// Creates a reference to the object `id`, active or not (`create_reference_with_id`).
    ///
    /// # Errors
    /// `WrongPolicy` in a transient adapter that assigns the ids, which only activation creates; `INITIALIZE` if no
    /// endpoint can be opened.
    #[doc(alias = "create_reference_with_id")]
    pub fn create_reference<R: Interface>(&self, id: &ObjectId) -> Result<R, PoaError> {
        self.create_reference_as(Some(id.clone()), &Policies::new())
    }

    /// Creates a reference to an object with `policies` of its own, each replacing the adapter's of the same type.
    /// A persistent adapter that assigns the ids creates one if `id` is `None`. [Activate](Self::activate_as) the
    /// object with the same policies; the adapter remembers only RT-CORBA priorities.
    ///
    /// # Errors
    /// As [`create_reference`](Self::create_reference); `WrongPolicy` without an id if the program assigns them;
    /// `InvalidPolicy` for a policy that adapters cannot have.
    pub fn create_reference_as<R: Interface>(
        &self,
        id: Option<ObjectId>,
        policies: &Policies,
    ) -> Result<R, PoaError> {
        let by_adapter = self.adapter.policies().id_assignment == IdAssignment::System;
        if self.adapter.ids_are_slots() || (id.is_none() && !by_adapter) {
            return Err(PoaError::WrongPolicy);
        }
        let id = id.unwrap_or_else(|| self.adapter.new_persistent_id());
        let declared = self.adapter.declared_policies(&id, policies, PolicyUse::Reference)?;
        let policies = declared.as_ref().unwrap_or(policies);
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

    /// The object id in a reference of this adapter (`reference_to_id`).
    ///
    /// # Errors
    /// `WrongAdapter` for a reference of another adapter.
    #[doc(alias = "reference_to_id")]
    pub fn id_of<R: Interface>(&self, reference: &R) -> Result<ObjectId, PoaError> {
        let keys = reference.as_object().keys();
        let id = keys.iter().find_map(|key| self.adapter.id_in_key(&KeyParts::parse(key)));
        id.ok_or(PoaError::WrongAdapter)
    }

    /// Adds the policies of an object, which override the adapter's, to its skeleton.
    fn skeleton_with(
        &self,
        id: Option<&ObjectId>,
        inner: Box<dyn Skeleton>,
        policies: &Policies,
    ) -> Result<Box<dyn Skeleton>, PoaError> {
        if !self.adapter.needs_policy_skeleton() && policies.is_empty() {
            return Ok(inner);
        }
        let declared = match id {
            Some(id) => self.adapter.declared_policies(id, policies, PolicyUse::Activation)?,
            None => None,
        };
        let policies = declared.as_ref().unwrap_or(policies);
        let (exposed, merged) = self.own_policies(policies)?;
        if policies.is_empty() {
            return Ok(self.adapter.policy_skeleton(inner, exposed));
        }
        let interceptors = self.orb()?.core.extensions().interceptors.server.of(&merged);
        let setup = ConnectionSetup::of(&merged).map(Arc::new);
        let policies = SkeletonPolicies { interceptors, setup, exposed, policies: merged };
        Ok(Box::new(PolicySkeleton::new(inner, policies)))
    }

    /// The effective policies of an object with `policies` of its own, and the component with those that clients
    /// must know.
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
