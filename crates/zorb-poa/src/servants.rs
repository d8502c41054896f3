//! What serves the objects that are not active: a default servant, or a servant manager.

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;
use zorb_base::object_id::ObjectId;
use zorb_giop::Ior;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::error::PoaError;
use crate::policies::{PoaPolicies, RequestProcessing, ServantRetention};
use crate::skeleton::Skeleton;

/// The reason why a servant manager provides no servant.
#[derive(Debug)]
pub enum NoServant {
    /// The object is elsewhere (`ForwardRequest`).
    Forward(Box<Ior>),
    /// Answer the request with this exception.
    Refused(SystemException),
}

/// A servant locator with its types erased: provides a servant for each request.
pub trait Locator: Send + Sync {
    /// Provides the servant for a request (`preinvoke`).
    ///
    /// # Errors
    /// See [`NoServant`].
    fn preinvoke(&self, id: &ObjectId, operation: &str) -> Result<Box<dyn Located>, NoServant>;
}

/// A servant for one request.
pub trait Located: Send + Sync {
    /// Makes the upcall.
    fn skeleton(&self) -> &dyn Skeleton;

    /// Takes the servant back after the request (`postinvoke`).
    ///
    /// # Errors
    /// The exception that replaces the request's outcome.
    fn postinvoke(&self) -> Result<(), SystemException>;
}

/// The servant of all objects that are not active.
pub struct DefaultServant {
    /// Makes the upcalls.
    pub skeleton: Box<dyn Skeleton>,
}

impl std::fmt::Debug for DefaultServant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DefaultServant").finish_non_exhaustive()
    }
}

/// What serves the objects of an adapter that are not active, by its policies.
pub(crate) enum Provider {
    /// Nothing: only active objects exist.
    Nothing,
    Default(ArcSwapOption<DefaultServant>),
    Locator(OnceLock<Arc<dyn Locator>>),
    /// A servant activator, which programs cannot set yet.
    Activator,
}

impl Provider {
    pub(crate) fn of(policies: &PoaPolicies) -> Self {
        match (policies.request_processing, policies.servant_retention) {
            (RequestProcessing::ActiveObjectMapOnly, _) => Self::Nothing,
            (RequestProcessing::DefaultServant, _) => Self::Default(ArcSwapOption::empty()),
            (RequestProcessing::ServantManager, ServantRetention::NonRetain) => {
                Self::Locator(OnceLock::new())
            }
            (RequestProcessing::ServantManager, ServantRetention::Retain) => Self::Activator,
        }
    }

    /// The default servant.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses one; `NoServant`.
    pub(crate) fn default_servant(&self) -> Result<Arc<DefaultServant>, PoaError> {
        match self {
            Self::Default(servant) => servant.load_full().ok_or(PoaError::NoServant),
            _ => Err(PoaError::WrongPolicy),
        }
    }

    /// Sets the default servant.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses one.
    pub(crate) fn set_default_servant(&self, servant: DefaultServant) -> Result<(), PoaError> {
        let Self::Default(current) = self else { return Err(PoaError::WrongPolicy) };
        current.store(Some(Arc::new(servant)));
        Ok(())
    }

    /// Sets the servant locator.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a servant manager; `OBJ_ADAPTER` (OMG 4) if it needs an activator;
    /// `BAD_INV_ORDER` (OMG 6) if it has a locator.
    pub(crate) fn set_locator(
        &self,
        locator: Arc<dyn Locator>,
        policies: &PoaPolicies,
    ) -> Result<(), PoaError> {
        if policies.request_processing != RequestProcessing::ServantManager {
            return Err(PoaError::WrongPolicy);
        }
        match self {
            Self::Locator(current) => current.set(locator).map_err(|_| manager_set()),
            _ => Err(PoaError::System(no_manager())),
        }
    }
}

/// The exception for a second servant manager.
#[cold]
fn manager_set() -> PoaError {
    let code = minor::bad_inv_order::SERVANT_MANAGER_SET;
    PoaError::System(SystemException::bad_inv_order(code, CompletionStatus::No))
}

/// The exception for an adapter without a servant manager, or one of the wrong kind.
#[cold]
pub(crate) fn no_manager() -> SystemException {
    let code = minor::obj_adapter::NO_SERVANT_MANAGER;
    SystemException::obj_adapter(code, CompletionStatus::No)
}

/// The exception for an adapter without a default servant.
#[cold]
pub(crate) fn no_default_servant() -> SystemException {
    let code = minor::obj_adapter::NO_DEFAULT_SERVANT;
    SystemException::obj_adapter(code, CompletionStatus::No)
}
