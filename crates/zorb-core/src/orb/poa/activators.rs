//! Adapter activators of an adapter.

use std::sync::Arc;

use zorb_poa::PoaError;
use zorb_types::SystemException;

use super::Poa;
use super::weak::WeakPoa;
use crate::adapter_activator::AdapterActivator;

impl Poa {
    /// Sets what creates the missing children of this adapter (`the_activator`). It replaces an earlier one.
    #[doc(alias = "the_activator")]
    pub fn set_adapter_activator<A: AdapterActivator>(&self, activator: A) {
        let activator = ActivatorOf { activator, parent: self.downgrade() };
        self.adapter.set_adapter_activator(Arc::new(activator));
    }

    /// The child adapter of that name, which the [adapter activator](Self::set_adapter_activator) creates if it is
    /// missing (`find_POA` with `activate_it`).
    ///
    /// # Errors
    /// `AdapterNonExistent`; `OBJ_ADAPTER` (OMG 1) if the activator has raised an exception; `BAD_INV_ORDER` (OMG 3)
    /// in the activator for the adapter that it is to create; `TRANSIENT` if another thread takes longer than the option
    /// `MaxHeldTime` to create it, or (OMG 4) while one of this name is being destroyed; `OBJECT_NOT_EXIST` if the ORB has been dropped.
    #[doc(alias = "find_POA")]
    pub fn find_or_activate(&self, name: &str) -> Result<Self, PoaError> {
        let child = self.orb()?.adapters.find_or_activate(&self.adapter, name)?;
        Ok(self.with_adapter(child))
    }
}

/// An adapter activator and its adapter.
struct ActivatorOf<A> {
    activator: A,
    parent: WeakPoa,
}

impl<A: AdapterActivator> zorb_poa::AdapterActivator for ActivatorOf<A> {
    fn unknown_adapter(&self, name: &str) -> Result<bool, SystemException> {
        self.activator.unknown_adapter(&self.parent.upgrade()?, name)
    }
}
