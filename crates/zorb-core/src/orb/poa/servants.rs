//! Default servants and servant managers of an adapter.

use std::any::Any;
use std::sync::Arc;

use zorb_base::object_id::ObjectId;
use zorb_base::policy::Policies;
use zorb_os::lock::Lock;
use zorb_poa::{
    Activator, AnyManager, DefaultServant, EndedObject, Located, Locator, NoServant, PoaError,
    Skeleton,
};
use zorb_types::SystemException;

use super::Poa;
use super::weak::WeakPoa;
use crate::servant::AnyServant;
use crate::servant_manager::{Etherealization, ServantActivator, ServantLocator};

impl Poa {
    /// Sets the servant of all objects that are not active (`set_servant`). It replaces an earlier one; requests in
    /// progress complete with that.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a [default servant](zorb_poa::PoaPolicies::default_servant).
    pub fn set_servant(&self, servant: AnyServant) -> Result<(), PoaError> {
        self.check_exists()?;
        let skeleton = self.with_adapters_policies(servant)?;
        self.adapter.set_default_servant(DefaultServant { skeleton: skeleton.into() })
    }

    /// The servant of all objects that are not active (`get_servant`).
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a [default servant](zorb_poa::PoaPolicies::default_servant);
    /// `NoServant` if it has not been set.
    #[doc(alias = "get_servant")]
    pub fn servant(&self) -> Result<AnyServant, PoaError> {
        self.check_exists()?;
        Ok(AnyServant::of_skeleton(&*self.adapter.default_servant()?.skeleton))
    }

    /// Sets the servant manager of an adapter that does not retain servants (`set_servant_manager`).
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a [servant manager](zorb_poa::PoaPolicies::servant_manager);
    /// `OBJ_ADAPTER` (OMG 4) if it retains servants; `BAD_INV_ORDER` (OMG 6) if it has a servant manager.
    #[doc(alias = "set_servant_manager")]
    pub fn set_servant_locator<L: ServantLocator>(&self, locator: L) -> Result<(), PoaError> {
        self.check_exists()?;
        self.adapter
            .set_locator(Arc::new(LocatorOf { locator: Arc::new(locator), poa: self.downgrade() }))
    }

    /// Sets the servant manager of an adapter that retains servants (`set_servant_manager`).
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a [servant manager](zorb_poa::PoaPolicies::servant_manager);
    /// `OBJ_ADAPTER` (OMG 4) if it does not retain servants; `BAD_INV_ORDER` (OMG 6) if it has a servant manager.
    pub fn set_servant_activator<A: ServantActivator>(&self, activator: A) -> Result<(), PoaError> {
        self.check_exists()?;
        let activator = Arc::new(activator);
        self.adapter.set_activator(Arc::new(ActivatorOf { activator, poa: self.downgrade() }))
    }

    /// The servant activator or locator that the program has set (`get_servant_manager`); `None` before, or if it is not
    /// an `M`.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a [servant manager](zorb_poa::PoaPolicies::servant_manager).
    #[doc(alias = "get_servant_manager")]
    pub fn servant_manager<M: Any + Send + Sync>(&self) -> Result<Option<Arc<M>>, PoaError> {
        self.check_exists()?;
        Ok(self.adapter.servant_manager()?.and_then(|manager| manager.downcast().ok()))
    }

    /// The skeleton of a servant that the adapter did not activate, with the adapter's policies.
    fn with_adapters_policies(&self, servant: AnyServant) -> Result<Box<dyn Skeleton>, PoaError> {
        let skeleton = servant.into_skeleton();
        match self.adapter.needs_policy_skeleton() {
            true => Ok(self.adapter.policy_skeleton(skeleton, self.adapter.exposed().cloned())),
            false => Ok(skeleton),
        }
    }
}

/// A servant locator and its adapter.
struct LocatorOf<L> {
    locator: Arc<L>,
    poa: WeakPoa,
}

impl<L: ServantLocator> Locator for LocatorOf<L> {
    fn inner(&self) -> AnyManager {
        Arc::<L>::clone(&self.locator)
    }

    fn preinvoke(&self, id: &ObjectId, operation: &str) -> Result<Box<dyn Located>, NoServant> {
        let poa = self.poa.upgrade().map_err(NoServant::Refused)?;
        let (servant, cookie) = self.locator.preinvoke(&poa, id, operation)?;
        Ok(Box::new(LocatedServant {
            locator: Arc::clone(&self.locator),
            poa,
            skeleton: servant.into_skeleton(),
            cookie: Lock::new(Some(cookie)),
        }))
    }
}

/// A servant activator and its adapter.
struct ActivatorOf<A> {
    activator: Arc<A>,
    poa: WeakPoa,
}

impl<A: ServantActivator> Activator for ActivatorOf<A> {
    fn inner(&self) -> AnyManager {
        Arc::<A>::clone(&self.activator)
    }

    fn incarnate(&self, id: &ObjectId) -> Result<Box<dyn Skeleton>, NoServant> {
        let poa = self.poa.upgrade().map_err(NoServant::Refused)?;
        let servant = self.activator.incarnate(&poa, id)?;
        poa.skeleton_with(Some(id), servant.into_skeleton(), &Policies::new())
            .map_err(|refused| NoServant::Refused(refused.into()))
    }

    fn etherealize(&self, ended: EndedObject<'_>) {
        let EndedObject { id, skeleton, cleanup_in_progress, remaining_activations } = ended;
        // The object that ends keeps the adapter.
        let Ok(poa) = self.poa.upgrade() else { return };
        let servant = AnyServant::from_skeleton(skeleton);
        let how = Etherealization { cleanup_in_progress, remaining_activations };
        self.activator.etherealize(&poa, id, servant, how);
    }
}

/// A servant that a locator has provided for a request.
struct LocatedServant<L: ServantLocator> {
    locator: Arc<L>,
    poa: Poa,
    skeleton: Box<dyn Skeleton>,
    /// Until `postinvoke` takes it.
    cookie: Lock<Option<L::Cookie>>,
}

impl<L: ServantLocator> Located for LocatedServant<L> {
    fn skeleton(&self) -> &dyn Skeleton {
        &*self.skeleton
    }

    fn postinvoke(&self, id: &ObjectId, operation: &str) -> Result<(), SystemException> {
        let cookie = self.cookie.lock().take();
        let Some(cookie) = cookie else { return Ok(()) };
        let servant = AnyServant::of_skeleton(&*self.skeleton);
        self.locator.postinvoke(&self.poa, id, operation, servant, cookie)
    }
}
