//! What serves the objects that are not active: a default servant, or a servant manager.

use std::any::Any;
use std::sync::Arc;

use zorb_base::object_id::ObjectId;
use zorb_giop::Ior;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::skeleton::Skeleton;

/// The reason why a servant manager provides no servant.
#[derive(Debug)]
pub enum NoServant {
    /// The object is elsewhere (`ForwardRequest`).
    Forward(Box<Ior>),
    /// Answer the request with this exception.
    Refused(SystemException),
}

/// A servant manager or an adapter activator, as the program has set it.
pub type AnyManager = Arc<dyn Any + Send + Sync>;

/// A servant locator with its types erased: provides a servant for each request.
pub trait Locator: Send + Sync {
    /// The program's servant manager.
    fn inner(&self) -> AnyManager;

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

    /// Takes the servant back after the request for this operation of this object (`postinvoke`).
    ///
    /// # Errors
    /// The exception that replaces the request's outcome.
    fn postinvoke(&self, id: &ObjectId, operation: &str) -> Result<(), SystemException>;
}

/// A servant activator with its types erased: provides the servants of objects, which then are active.
pub trait Activator: Send + Sync {
    /// The program's servant manager.
    fn inner(&self) -> AnyManager;

    /// Provides the servant of an object (`incarnate`).
    ///
    /// # Errors
    /// See [`NoServant`].
    fn incarnate(&self, id: &ObjectId) -> Result<Box<dyn Skeleton>, NoServant>;

    /// Takes a servant back (`etherealize`).
    fn etherealize(&self, ended: EndedObject<'_>);
}

/// An object that is no longer active.
pub struct EndedObject<'a> {
    /// Its id.
    pub id: &'a ObjectId,
    /// Its servant.
    pub skeleton: Box<dyn Skeleton>,
    /// Whether its adapter is being destroyed, or its manager deactivated.
    pub cleanup_in_progress: bool,
    /// Whether the servant still has other objects in the adapter.
    pub remaining_activations: bool,
}

impl std::fmt::Debug for EndedObject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EndedObject").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The servant of all objects that are not active.
pub struct DefaultServant {
    /// Makes the upcalls.
    pub skeleton: Arc<dyn Skeleton>,
}

impl std::fmt::Debug for DefaultServant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DefaultServant").finish_non_exhaustive()
    }
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
