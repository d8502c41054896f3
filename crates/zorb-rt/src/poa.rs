//! Objects with priorities of their own (`RTPortableServer::POA`).

use std::sync::Arc;

use zorb_core::poa::{ObjectId, Poa, PoaError};
use zorb_core::policy::Policies;
use zorb_core::{Interface, ServedBy};

use super::{Priority, PriorityModel, RtOrb};

impl RtOrb {
    /// Activates `servant` as an object whose upcalls run at `priority`, which its reference contains
    /// (`activate_object_with_priority`).
    ///
    /// # Errors
    /// As [`Poa::activate_with_policies`]; `WrongPolicy` unless the adapter's priority model is server-declared.
    #[doc(alias = "activate_object_with_priority")]
    pub fn activate_with_priority<S, R>(
        &self,
        poa: &Poa,
        servant: &Arc<S>,
        priority: Priority,
    ) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.activate(poa, servant, None, priority)
    }

    /// Like [`activate_with_priority`](Self::activate_with_priority), with `id`
    /// (`activate_object_with_id_and_priority`).
    ///
    /// # Errors
    /// As [`activate_with_priority`](Self::activate_with_priority); `BAD_INV_ORDER` if a reference was
    /// created with another priority.
    #[doc(alias = "activate_object_with_id_and_priority")]
    pub fn activate_with_id_and_priority<S, R>(
        &self,
        poa: &Poa,
        id: impl Into<ObjectId>,
        servant: &Arc<S>,
        priority: Priority,
    ) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        self.activate(poa, servant, Some(id.into()), priority)
    }

    /// Creates a reference to an object whose upcalls will run at `priority`, with an id that a persistent
    /// adapter assigns (`create_reference_with_priority`). The adapter stores the priority for the activation of the
    /// object.
    ///
    /// # Errors
    /// As [`Poa::create_reference_with_policies`]; `WrongPolicy` unless the adapter's priority model is
    /// server-declared.
    pub fn create_reference_with_priority<R: Interface>(
        &self,
        poa: &Poa,
        priority: Priority,
    ) -> Result<R, PoaError> {
        poa.create_reference_with_policies(None, &self.declaring(poa, priority)?)
    }

    /// Like [`create_reference_with_priority`](Self::create_reference_with_priority), with `id`
    /// (`create_reference_with_id_and_priority`).
    ///
    /// # Errors
    /// As [`create_reference_with_priority`](Self::create_reference_with_priority); `BAD_INV_ORDER` if
    /// a reference was created with another priority.
    pub fn create_reference_with_id_and_priority<R: Interface>(
        &self,
        poa: &Poa,
        id: impl Into<ObjectId>,
        priority: Priority,
    ) -> Result<R, PoaError> {
        poa.create_reference_with_policies(Some(id.into()), &self.declaring(poa, priority)?)
    }

    fn activate<S, R>(
        &self,
        poa: &Poa,
        servant: &Arc<S>,
        id: Option<ObjectId>,
        priority: Priority,
    ) -> Result<R, PoaError>
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        poa.activate_with_policies(servant, id, &self.declaring(poa, priority)?)
    }

    /// The policies of an object with this priority.
    fn declaring(&self, poa: &Poa, priority: Priority) -> Result<Policies, PoaError> {
        let policies = poa.policies();
        let declared = policies
            .others
            .value()
            .is_some_and(|model: &PriorityModel| !model.is_client_propagated());
        if !declared {
            return Err(PoaError::WrongPolicy);
        }
        Ok(Policies::new().with(self.server_declared(priority)))
    }
}
