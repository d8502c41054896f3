//! What serves the objects of an adapter that are not active, by its policies.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use zorb_base::callback::call_back;
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};

use crate::changing::ChangingObjects;
use crate::error::PoaError;
use crate::hold_queue::HoldLimits;
use crate::policies::{PoaPolicies, RequestProcessing, ServantRetention};
use crate::registered::Registered;
use crate::servants::{Activator, AnyManager, DefaultServant, Locator, no_manager};

/// What serves the objects of an adapter that are not active, by its policies.
pub(crate) enum Provider {
    /// Nothing: only active objects exist.
    Nothing,
    Default(ArcSwapOption<DefaultServant>),
    Locator(Registered<dyn Locator>),
    Activator(Arc<ChangingObjects>),
}

impl Provider {
    pub(crate) fn of(policies: &PoaPolicies, limits: HoldLimits) -> Self {
        match (policies.request_processing, policies.servant_retention) {
            (RequestProcessing::ActiveObjectMapOnly, _) => Self::Nothing,
            (RequestProcessing::DefaultServant, _) => Self::Default(ArcSwapOption::empty()),
            (RequestProcessing::ServantManager, ServantRetention::NonRetain) => {
                Self::Locator(Registered::default())
            }
            (RequestProcessing::ServantManager, ServantRetention::Retain) => {
                Self::Activator(ChangingObjects::new(limits))
            }
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

    /// The objects that a servant activator is changing, if the adapter uses one.
    pub(crate) fn changing(&self) -> Option<&Arc<ChangingObjects>> {
        match self {
            Self::Activator(changing) => Some(changing),
            _ => None,
        }
    }

    /// The servant manager; `None` if it has not been set.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses one.
    pub(crate) fn servant_manager(&self) -> Result<Option<AnyManager>, PoaError> {
        match self {
            Self::Nothing | Self::Default(_) => Err(PoaError::WrongPolicy),
            Self::Locator(locator) => Ok(locator.get().map(|locator| locator.inner())),
            Self::Activator(changing) => {
                Ok(changing.activator().get().map(|activator| activator.inner()))
            }
        }
    }

    /// Sets the servant locator.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a servant manager; `OBJ_ADAPTER` (OMG 4) if it needs an activator;
    /// `BAD_INV_ORDER` (OMG 6) if it has a locator.
    pub(crate) fn set_locator(&self, locator: Arc<dyn Locator>) -> Result<(), PoaError> {
        match self {
            Self::Locator(current) => current.set(locator).then_some(()).ok_or_else(manager_set),
            _ => Err(self.wrong_manager()),
        }
    }

    /// Sets the servant activator.
    ///
    /// # Errors
    /// `WrongPolicy` unless the adapter uses a servant manager; `OBJ_ADAPTER` (OMG 4) if it needs a locator;
    /// `BAD_INV_ORDER` (OMG 6) if it has an activator.
    pub(crate) fn set_activator(&self, activator: Arc<dyn Activator>) -> Result<(), PoaError> {
        match self {
            Self::Activator(changing) => {
                changing.activator().set(activator).then_some(()).ok_or_else(manager_set)
            }
            _ => Err(self.wrong_manager()),
        }
    }

    /// Releases what the program has set, when the adapter has ended.
    pub(crate) fn end(&self) {
        match self {
            Self::Nothing => {}
            Self::Default(servant) => release("the drop of a default servant", servant.swap(None)),
            Self::Locator(locator) => release("the drop of a servant locator", locator.take()),
            Self::Activator(changing) => {
                release("the drop of a servant activator", changing.activator().take());
            }
        }
    }

    /// The error for a servant manager of the wrong kind.
    fn wrong_manager(&self) -> PoaError {
        match self {
            Self::Nothing | Self::Default(_) => PoaError::WrongPolicy,
            Self::Locator(_) => {
                wrong_kind("the adapter does not retain servants: set a servant locator")
            }
            Self::Activator(_) => {
                wrong_kind("the adapter retains servants: set a servant activator")
            }
        }
    }
}

/// Drops what the program has set.
fn release<T>(what: &str, set: T) {
    call_back(what, || drop(set));
}

/// The error for a servant manager of the other kind.
#[cold]
fn wrong_kind(hint: &str) -> PoaError {
    let context = ErrorContext::new(Phase::Adapter).with_hint(hint);
    PoaError::System(no_manager().with_context(context))
}

/// The exception for a second servant manager.
#[cold]
fn manager_set() -> PoaError {
    let code = minor::bad_inv_order::SERVANT_MANAGER_SET;
    PoaError::System(SystemException::bad_inv_order(code, CompletionStatus::No))
}
