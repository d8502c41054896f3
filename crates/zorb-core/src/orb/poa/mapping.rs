//! Maps between servants, ids and references.

use std::sync::Arc;

use zorb_base::object_id::ObjectId;
use zorb_base::policy::Policies;
use zorb_invocation::interface::Interface;
use zorb_poa::{
    IdAssignment, IdUniqueness, ImplicitActivation, KeyParts, PoaError, PolicyUse,
    RequestProcessing, ServantRetention,
};

use super::super::export::{Exported, ObjectPolicies};
use super::Poa;
use crate::servant::{AnyServant, ServedBy, servant_identity};

impl Poa {
    /// The reference of a servant (`_this`, `servant_to_reference`). In an upcall of this adapter to the servant, it is
    /// that of the object being served. Otherwise, if ids are unique and the servant is active, it is that of its
    /// object; with implicit activation, the servant is activated with a new id.
    ///
    /// # Errors
    /// Outside of such an upcall: `ServantNotActive` without implicit activation; `WrongPolicy` if the adapter does not
    /// retain servants, or if its ids are not unique and activation is explicit.
    #[doc(alias = "servant_to_reference")]
    #[doc(alias = "_this")]
    pub fn reference_of<S, R>(&self, servant: &Arc<S>) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.check_exists()?;
        let identity = servant_identity(servant);
        if let Some(served) = self.served_by(identity, |object| self.reference_of_object(object)) {
            return served;
        }
        if !self.maps_servants() {
            return Err(PoaError::WrongPolicy);
        }
        match self.id_of_active(identity) {
            Some(id) => self.reference(&id),
            None if self.adapter.policies().implicit_activation == ImplicitActivation::Implicit => {
                self.activate_shared(servant)
            }
            None => Err(PoaError::ServantNotActive),
        }
    }

    /// The id of a servant's object (`servant_to_id`). If ids are unique and the servant is active, it is that of its
    /// object; otherwise, with implicit activation, the servant is activated with a new id. In an upcall to the default
    /// servant, it is the id of the object being served.
    ///
    /// # Errors
    /// `ServantNotActive` without implicit activation; `WrongPolicy` if the adapter has no default servant, and does
    /// not retain servants, or its ids are not unique and activation is explicit.
    pub fn servant_to_id(&self, servant: &AnyServant) -> Result<ObjectId, PoaError> {
        self.check_exists()?;
        let policies = self.adapter.policies();
        let maps_servants = self.maps_servants();
        if !maps_servants && policies.request_processing != RequestProcessing::DefaultServant {
            return Err(PoaError::WrongPolicy);
        }
        match self.id_of_active(servant.identity()) {
            Some(id) => Ok(id),
            None if policies.implicit_activation == ImplicitActivation::Implicit => {
                self.activate_skeleton(servant.clone().into_skeleton(), None, &Policies::new())
            }
            None if self.servant().is_ok_and(|by_default| by_default == *servant) => {
                let served = self.served_by(servant.identity(), |object| object.id().clone());
                served.ok_or(PoaError::ServantNotActive)
            }
            None => Err(PoaError::ServantNotActive),
        }
    }

    /// Whether active servants have ids, or get one: whether servants are retained, and ids are unique or activation
    /// is implicit.
    fn maps_servants(&self) -> bool {
        let policies = self.adapter.policies();
        policies.servant_retention == ServantRetention::Retain
            && (policies.id_uniqueness == IdUniqueness::Unique
                || policies.implicit_activation == ImplicitActivation::Implicit)
    }

    /// The only id of an active servant.
    fn id_of_active(&self, identity: usize) -> Option<ObjectId> {
        let is_unique = self.adapter.policies().id_uniqueness == IdUniqueness::Unique;
        if is_unique { self.adapter.id_of_servant(identity) } else { None }
    }

    /// The servant of the object `id` (`id_to_servant`): that of the active object, otherwise the default servant.
    ///
    /// # Errors
    /// `ObjectNotActive`; `WrongPolicy` if the adapter neither retains servants nor uses a default servant.
    pub fn id_to_servant(&self, id: &ObjectId) -> Result<AnyServant, PoaError> {
        self.check_exists()?;
        let policies = self.adapter.policies();
        if policies.request_processing != RequestProcessing::DefaultServant {
            self.check_retains()?;
        }
        if let Some(object) = self.adapter.find_object(id.as_bytes()) {
            return Ok(AnyServant::of_skeleton(&*object.skeleton));
        }
        self.servant().map_err(|_| PoaError::ObjectNotActive)
    }

    /// The servant of the object of a reference (`reference_to_servant`): that of the active object, otherwise the
    /// default servant.
    ///
    /// # Errors
    /// `WrongAdapter` for a reference of another adapter; `ObjectNotActive`; `WrongPolicy` if the adapter neither
    /// retains servants nor uses a default servant.
    pub fn reference_to_servant<R: Interface>(
        &self,
        reference: &R,
    ) -> Result<AnyServant, PoaError> {
        self.check_exists()?;
        if self.adapter.policies().request_processing != RequestProcessing::DefaultServant {
            self.check_retains()?;
        }
        self.id_to_servant(&self.id_of(reference)?)
    }

    /// The reference of the active object `id` (`id_to_reference`).
    ///
    /// # Errors
    /// `ObjectNotActive`; `WrongPolicy` if the adapter does not retain servants; `INITIALIZE` if no endpoint can be
    /// opened.
    #[doc(alias = "id_to_reference")]
    pub fn reference<R: Interface>(&self, id: &ObjectId) -> Result<R, PoaError> {
        self.check_exists()?;
        self.check_retains()?;
        let found = self.adapter.find_object(id.as_bytes());
        let object = found.ok_or(PoaError::ObjectNotActive)?;
        self.reference_of_object(&object)
    }

    /// Creates a reference to a new object, which is not active, with an id that the adapter assigns
    /// (`create_reference`).
    ///
    /// # Errors
    /// `WrongPolicy` if the program assigns the ids; `INITIALIZE` if no endpoint can be opened.
    pub fn create_reference<R: Interface>(&self) -> Result<R, PoaError> {
        self.create_reference_with_policies(None, &Policies::new())
    }

    /// Creates a reference to the object `id`, active or not (`create_reference_with_id`).
    ///
    /// # Errors
    /// `BAD_PARAM` (OMG 14) in an adapter that assigns the ids, if it has not assigned this one; `INITIALIZE` if no
    /// endpoint can be opened.
    pub fn create_reference_with_id<R: Interface>(
        &self,
        id: impl Into<ObjectId>,
    ) -> Result<R, PoaError> {
        self.create_reference_with_policies(Some(id.into()), &Policies::new())
    }

    /// Creates a reference to an object with `policies` of its own, each replacing the adapter's of the same type.
    /// The adapter assigns the id if `id` is `None`. [Activate](Self::activate_with_policies) the object with the same policies;
    /// the adapter remembers only RT-CORBA priorities.
    ///
    /// # Errors
    /// As [`create_reference`](Self::create_reference) and
    /// [`create_reference_with_id`](Self::create_reference_with_id); `InvalidPolicy` for a policy that adapters
    /// cannot have.
    pub fn create_reference_with_policies<R: Interface>(
        &self,
        id: Option<ObjectId>,
        policies: &Policies,
    ) -> Result<R, PoaError> {
        self.check_exists()?;
        let id = match id {
            Some(id) => {
                self.adapter.check_id(&id)?;
                id
            }
            None if self.adapter.policies().id_assignment == IdAssignment::User => {
                return Err(PoaError::WrongPolicy);
            }
            None => self.adapter.new_id(),
        };
        let declared = self.adapter.declared_policies(&id, policies, PolicyUse::Reference)?;
        let policies = declared.as_ref().unwrap_or(policies);
        if policies.is_empty() {
            return self.make_reference(&id, R::REPOSITORY_ID, None);
        }
        let (exposed, effective) = self.own_policies(policies)?;
        let own = ObjectPolicies { exposed: exposed.as_ref(), effective: &effective };
        self.make_reference(&id, R::REPOSITORY_ID, Some(own))
    }

    pub(super) fn make_reference<R: Interface>(
        &self,
        id: &ObjectId,
        type_id: &str,
        own: Option<ObjectPolicies<'_>>,
    ) -> Result<R, PoaError> {
        let exported = Exported { adapter: &self.adapter, id, type_id, own };
        Ok(R::from_object(self.orb()?.export(&exported)?))
    }

    /// The object id in a reference of this adapter (`reference_to_id`).
    ///
    /// # Errors
    /// `WrongAdapter` for a reference of another adapter.
    #[doc(alias = "reference_to_id")]
    pub fn id_of<R: Interface>(&self, reference: &R) -> Result<ObjectId, PoaError> {
        self.check_exists()?;
        let keys = reference.as_object().keys();
        let id = keys.iter().find_map(|key| self.adapter.id_in_key(&KeyParts::parse(key)));
        id.ok_or(PoaError::WrongAdapter)
    }
}
