//! Servant managers: they provide the servants of objects that are not active.

use std::fmt;

use zorb_base::object_id::ObjectId;
use zorb_invocation::interface::Interface;
use zorb_invocation::object::ObjectRef;
use zorb_poa::NoServant;
use zorb_types::SystemException;

use crate::orb::Poa;
use crate::servant::AnyServant;

/// Provides a servant for each request of an adapter that does not retain servants: `PortableServer::ServantLocator`
/// (CORBA 3.3 part 1, 15.3.7).
pub trait ServantLocator: Send + Sync + 'static {
    /// What [`preinvoke`](Self::preinvoke) passes to [`postinvoke`](Self::postinvoke) (`Cookie`); `()` for nothing.
    type Cookie: Send + 'static;

    /// Provides the servant for a request for `operation` of the object `id` of `poa`. The name of the operation is
    /// the one in the request: `_get_owner` for reading an attribute, `_is_a` and the like for implicit operations.
    ///
    /// # Errors
    /// [`ServantManagerError`]: the client is forwarded, or gets the exception.
    fn preinvoke(
        &self,
        poa: &Poa,
        id: &ObjectId,
        operation: &str,
    ) -> Result<(AnyServant, Self::Cookie), ServantManagerError>;

    /// Takes the servant back after the request, on the same thread, also if the servant has raised an exception or
    /// panicked. Default: nothing.
    ///
    /// # Errors
    /// The exception for the client, which replaces the results of the request.
    fn postinvoke(
        &self,
        poa: &Poa,
        id: &ObjectId,
        operation: &str,
        servant: AnyServant,
        cookie: Self::Cookie,
    ) -> Result<(), SystemException> {
        let _ = (poa, id, operation, servant, cookie);
        Ok(())
    }
}

/// Provides the servants of the objects of an adapter that retains servants: `PortableServer::ServantActivator`
/// (CORBA 3.3 part 1, 15.3.6). A request for an object that is not active calls [`incarnate`](Self::incarnate) on its
/// own thread; further requests for the object wait meanwhile, as messages.
pub trait ServantActivator: Send + Sync + 'static {
    /// Provides the servant of the object `id` of `poa`, which then is active. It is called once, however many requests
    /// wait; after an error, one of them calls it again. If it calls the object itself, that fails with
    /// `BAD_INV_ORDER` (OMG 3).
    ///
    /// # Errors
    /// [`ServantManagerError`]: the client is forwarded, or gets the exception.
    fn incarnate(&self, poa: &Poa, id: &ObjectId) -> Result<AnyServant, ServantManagerError>;

    /// Takes the servant of an object back that has been deactivated, after its last request. Requests that come in the
    /// meantime wait, and then incarnate the object anew. Default: drops the servant.
    ///
    /// It runs on the thread that deactivates the object, or that of the last request; with the single-thread and the
    /// main-thread model at its turn. A collocated call of the object from here, or from an upcall of the object itself,
    /// would wait for this: it fails with `BAD_INV_ORDER` (OMG 3), as does everything that waits for requests of the ORB.
    fn etherealize(&self, poa: &Poa, id: &ObjectId, servant: AnyServant, ended: Etherealization) {
        let _ = (poa, id, servant, ended);
    }
}

/// Why and when an object is [etherealized](ServantActivator::etherealize).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Etherealization {
    /// Whether the adapter is being destroyed, or its manager has been deactivated.
    pub cleanup_in_progress: bool,
    /// Whether the servant still has other objects in this adapter.
    pub remaining_activations: bool,
}

/// The reason why a servant manager provides no servant.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServantManagerError {
    /// The object is elsewhere: its client sends the request, and later ones, to this reference
    /// (`PortableServer::ForwardRequest`).
    ForwardRequest(ObjectRef),
    /// The client gets this exception.
    System(SystemException),
}

impl ServantManagerError {
    /// Forwards the client to `reference`.
    pub fn forward<R: Interface>(reference: &R) -> Self {
        Self::ForwardRequest(reference.as_object().clone())
    }
}

impl fmt::Display for ServantManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForwardRequest(_) => f.write_str("the object is elsewhere"),
            Self::System(exception) => exception.fmt(f),
        }
    }
}

impl std::error::Error for ServantManagerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::ForwardRequest(_) => None,
            Self::System(exception) => exception.source(),
        }
    }
}

/// Makes `?` work in servant managers: every error that converts to a system exception is one.
impl<E> From<E> for ServantManagerError
where
    E: Into<SystemException>,
{
    fn from(error: E) -> Self {
        Self::System(error.into())
    }
}

impl From<ServantManagerError> for NoServant {
    fn from(error: ServantManagerError) -> Self {
        match error {
            ServantManagerError::ForwardRequest(to) => Self::Forward(Box::new(to.ior().clone())),
            ServantManagerError::System(exception) => Self::Refused(exception),
        }
    }
}
