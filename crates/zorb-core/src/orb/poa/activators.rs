//! Adapter activators of an adapter.

use std::any::Any;
use std::sync::Arc;

use zorb_poa::{AnyManager, PoaError};
use zorb_types::SystemException;

use super::Poa;
use super::weak::WeakPoa;
use crate::adapter_activator::AdapterActivator;

impl Poa {
    /// Sets what creates the missing children of this adapter (`the_activator`). It replaces an earlier one.
    #[doc(alias = "the_activator")]
    pub fn set_adapter_activator<A: AdapterActivator>(&self, activator: A) {
        let activator = ActivatorOf { activator: Arc::new(activator), parent: self.downgrade() };
        self.adapter.set_adapter_activator(Some(Arc::new(activator)));
    }

    /// Removes what creates the missing children of this adapter: they do not exist.
    pub fn unset_adapter_activator(&self) {
        self.adapter.set_adapter_activator(None);
    }

    /// What creates the missing children of this adapter (`the_activator`); `None` if nothing does, or if it is not an
    /// `A`.
    #[doc(alias = "the_activator")]
    pub fn adapter_activator<A: Any + Send + Sync>(&self) -> Option<Arc<A>> {
        self.adapter.adapter_activator()?.inner().downcast().ok()
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
        self.check_exists()?;
        let child = self.orb()?.adapters.find_or_activate(&self.adapter, name)?;
        Ok(self.with_adapter(child))
    }
}

/// An adapter activator and its adapter.
struct ActivatorOf<A> {
    activator: Arc<A>,
    parent: WeakPoa,
}

impl<A: AdapterActivator> zorb_poa::AdapterActivator for ActivatorOf<A> {
    fn inner(&self) -> AnyManager {
        Arc::<A>::clone(&self.activator)
    }

    fn unknown_adapter(&self, name: &str) -> Result<bool, SystemException> {
        self.activator.unknown_adapter(&self.parent.upgrade()?, name)
    }
}
