//! Activates and deactivates objects.

use std::sync::Arc;

use zorb_base::object_id::ObjectId;
use zorb_base::policy::{self, Policies};
use zorb_giop::TaggedComponent;
use zorb_invocation::interface::Interface;
use zorb_poa::{
    ConnectionSetup, IdAssignment, PoaError, PolicySkeleton, PolicyUse, ServantRetention, Skeleton,
    SkeletonPolicies, check_policies,
};

use super::Poa;
use super::pools::{check_lanes, named_pool};
use crate::servant::{ServedBy, Tie};

impl Poa {
    /// Activates `servant` with an id that the adapter assigns, and returns its reference (`activate_object`,
    /// `id_to_reference` and `_narrow` in one).
    ///
    /// ```text
    /// let greeter: Greeter = orb.root_poa().activate(MyGreeter)?;
    /// ```
    ///
    /// # Errors
    /// `WrongPolicy` if the program assigns the ids, or the adapter does not retain servants; `INITIALIZE` if no endpoint can be opened for the reference.
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
        self.activate_with_policies(servant, None, &Policies::new())
    }

    /// Activates a servant whose object has `policies` of its own, each replacing the adapter's of the same type.
    /// The adapter assigns the id if `id` is `None`. RT-CORBA's operations that activate objects with priorities
    /// use it.
    ///
    /// # Errors
    /// As [`activate_shared`](Self::activate_shared) and [`activate_with_id`](Self::activate_with_id), and
    /// `InvalidPolicy` for a policy that adapters cannot have.
    pub fn activate_with_policies<S, R>(
        &self,
        servant: &Arc<S>,
        id: Option<ObjectId>,
        policies: &Policies,
    ) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        let skeleton = Box::new(Tie::<S, R>::new(Arc::clone(servant)));
        let id = self.activate_skeleton(skeleton, id, policies)?;
        self.reference_or_deactivate(&id)
    }

    /// Activates a servant, and returns the id of its object.
    pub(super) fn activate_skeleton(
        &self,
        skeleton: Box<dyn Skeleton>,
        id: Option<ObjectId>,
        policies: &Policies,
    ) -> Result<ObjectId, PoaError> {
        self.check_exists()?;
        self.check_retains()?;
        match &id {
            Some(id) => self.adapter.check_id(id)?,
            None if self.adapter.policies().id_assignment == IdAssignment::User => {
                return Err(PoaError::WrongPolicy);
            }
            None => {}
        }
        let skeleton = self.skeleton_with(id.as_ref(), skeleton, policies)?;
        self.adapter.incarnate(id, skeleton)
    }

    /// Checks that the adapter retains servants.
    ///
    /// # Errors
    /// `WrongPolicy`.
    pub(super) fn check_retains(&self) -> Result<(), PoaError> {
        match self.adapter.policies().servant_retention {
            ServantRetention::Retain => Ok(()),
            ServantRetention::NonRetain => Err(PoaError::WrongPolicy),
        }
    }

    /// Activates `servant` with `id` (`activate_object_with_id`). In an adapter that assigns the ids, it must be one
    /// that the adapter has assigned, in a persistent one also in an earlier run of the program. If a
    /// [servant activator](crate::poa::ServantActivator) is incarnating or has to etherealize the object, waits for that,
    /// for the option `MaxHeldTime` at most.
    ///
    /// # Errors
    /// `ObjectAlreadyActive`; `BAD_PARAM` (OMG 14) for an id that the adapter has not assigned; `WrongPolicy` if the
    /// adapter does not retain servants; `BAD_INV_ORDER` (OMG 3) if the thread would wait for itself: it incarnates or
    /// etherealizes the object, or makes an upcall of it; `TRANSIENT` if the wait takes too long.
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
        self.activate_with_policies(servant, Some(id.into()), &Policies::new())
    }

    /// The reference of an object that was just activated. If it cannot be created, deactivates the object.
    fn reference_or_deactivate<R: Interface>(&self, id: &ObjectId) -> Result<R, PoaError> {
        self.reference(id).inspect_err(|_| {
            // Another thread may have deactivated it already.
            let _ = self.deactivate(id);
        })
    }

    /// Deactivates the object `id`: no further request reaches its servant. Requests in progress complete; after the
    /// last one, a [servant activator](crate::poa::ServantActivator) etherealizes the object, and the servant is dropped.
    /// Does not wait for that.
    ///
    /// # Errors
    /// `ObjectNotActive`; `WrongPolicy` if the adapter does not retain servants.
    #[doc(alias = "deactivate_object")]
    pub fn deactivate(&self, id: &ObjectId) -> Result<(), PoaError> {
        self.check_exists()?;
        self.check_retains()?;
        self.adapter.deactivate(id)
    }

    /// Adds the policies of an object, which override the adapter's, to its skeleton.
    pub(super) fn skeleton_with(
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
    pub(super) fn own_policies(
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
