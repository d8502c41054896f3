//! The portable object adapter: servants, object ids and the references made of them.
//!
//! CORBA 3.3 part 1, chapter 15. A [`Poa`] maps object ids to servants by its policies; its [`PoaManager`]
//! lets requests pass, holds, discards or refuses them.

pub use crate::orb::Poa;
pub use zorb_base::object_id::ObjectId;
pub use zorb_poa::{
    IdAssignment, IdUniqueness, ImplicitActivation, KeyParts, Lifespan, ManagerState, PoaError,
    PoaManager, PoaPolicies, system_id,
};
