//! The portable object adapter: servants, object ids and their references.
//!
//! CORBA 3.3 part 1, chapter 15. A [`Poa`] maps object ids to servants according to its policies. Its
//! [`PoaManager`] passes, queues, discards or rejects requests.

pub use crate::adapter_activator::AdapterActivator;
pub use crate::deferred::{AsyncServant, DeferredServant, Response, Task};
pub use crate::orb::{Poa, PoaCurrent};
pub use crate::servant::AnyServant;
pub use crate::servant_manager::{
    Etherealization, ServantActivator, ServantLocator, ServantManagerError,
};
pub use crate::upcall::Upcall;
pub use zorb_base::object_id::ObjectId;
pub use zorb_poa::{ForwardTo, Forwarder, HeldRequests};
pub use zorb_poa::{
    IdAssignment, IdUniqueness, ImplicitActivation, KeyParts, Lifespan, ManagerState, PoaError,
    PoaManager, PoaManagerFactory, PoaPolicies, RequestProcessing, ServantRetention, ThreadModel,
    system_id,
};
