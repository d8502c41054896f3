//! Adapter activators: they create adapters on demand.

use zorb_types::SystemException;

use crate::orb::Poa;

/// Creates the missing children of an adapter: `PortableServer::AdapterActivator` (CORBA 3.3 part 1, 15.3.4).
pub trait AdapterActivator: Send + Sync + 'static {
    /// Creates the child `name` of `parent`, for a request for an object below it or [`Poa::find_or_activate`]. Returns
    /// whether it has; if not, the object does not exist. It is called on the thread of the request, once for each
    /// missing adapter on the path of a persistent reference, from the first existing ancestor on. Other requests for
    /// the adapter wait meanwhile, as messages.
    ///
    /// # Errors
    /// The client gets `OBJ_ADAPTER` (OMG 1).
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException>;
}
