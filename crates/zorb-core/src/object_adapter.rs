//! The object adapter: from an object key to a servant, and the upcall.
//!
//! An object key leads to its adapter by an index and to its servant by a slot, so that finding the servant
//! of a request costs the same for one object and for a million; user ids and persistent adapters go
//! through one hash. A request is served in two calls: [`find_target`], once its header has been read,
//! and [`dispatch`].

mod active_object;
mod adapter;
mod adapters;
mod call;
mod connection_setup;
mod dispatch;
mod error;
mod ids;
mod key;
mod manager;
mod objects;
mod policies;
mod servant_objects;
mod skeleton;
mod slots;

pub(crate) use active_object::{ActiveObject, CollocatedReference};
pub(crate) use adapter::{NewAdapter, ObjectAdapter};
pub(crate) use adapters::{Access, Adapters, KnownAdapters, NotHere};
pub(crate) use call::{ReplyTo, RequestSource};
pub use call::{Served, ServerCall};
pub(crate) use connection_setup::ConnectionSetup;
pub(crate) use dispatch::{
    Answer, InParts, answer_absent, answer_locate, dispatch, find_target, panicked,
};
pub use error::PoaError;
pub(crate) use key::MAX_PATH;
pub use key::{KeyParts, system_id};
pub(crate) use manager::{Arrival, HoldLimits, Holdable, ResumePass};
pub use manager::{ManagerState, PoaManager};
pub(crate) use policies::check_policies;
pub use policies::{IdAssignment, IdUniqueness, ImplicitActivation, Lifespan, PoaPolicies};
pub(crate) use servant_objects::PLACES as SERVANT_OBJECT_PLACES;
pub use skeleton::ServantObject;
pub(crate) use skeleton::{PolicySkeleton, Skeleton, SkeletonPolicies};
pub(crate) use slots::Found;
