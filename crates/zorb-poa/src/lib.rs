//! The object adapter: finds the servant for an object key, and makes the upcall.
//!
//! An object key contains the index of its adapter and the slot of its servant, so that demultiplexing costs the
//! same for one object and for a million; user ids and persistent adapters need one hash lookup. [`serve`] serves a
//! request; its [`RequestOrigin`] implements what depends on the origin.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

// `#[inline]`: see the root of `zorb-base`, which says what the attributes of the crates on the path of calls save.

mod active_object;
mod adapter;
mod adapter_activation;
mod adapters;
mod answers;
mod call;
mod changing;
mod completion;
mod connection_setup;
mod current;
mod deferred;
mod dispatch;
mod error;
mod flow_stack;
mod forwarder;
mod hold_queue;
mod ids;
mod inactive;
mod interception;
mod key;
mod manager;
mod manager_factory;
mod objects;
mod operation_cache;
mod policies;
mod provider;
mod reference_profiles;
mod registered;
mod reply;
mod servant_objects;
mod servants;
mod skeleton;
mod slots;
mod upcall;

pub use active_object::{ActiveObject, CollocatedReference};
pub use adapter::{NewAdapter, ObjectAdapter, PolicyUse, PreparedPolicies};
pub use adapter_activation::AdapterActivator;
pub use adapters::{Access, AdapterCache, Adapters, NotAdmitted};
pub use answers::answer_locate;
pub use call::ServerCall;
pub use connection_setup::ConnectionSetup;
pub use current::{CurrentUpcall, serving, with_current};
pub use deferred::DeferredReply;
pub use dispatch::{Answer, IncomingRequest, MessageLayout, NotServed, RequestOrigin, serve};
pub use error::PoaError;
pub use forwarder::{ForwardTo, Forwarder, HeldRequests};
pub use hold_queue::{Arrival, HoldQueue, Holdable, ResumePass, WeakHoldQueue, discarded};
pub use key::MAX_PATH;
pub use key::{KeyParts, system_id};
pub use manager::{ManagerState, PoaManager};
pub use manager_factory::PoaManagerFactory;
pub use policies::check_policies;
pub use policies::{
    IdAssignment, IdUniqueness, ImplicitActivation, Lifespan, PoaPolicies, RequestProcessing,
    ServantRetention, ThreadModel,
};
pub use reply::{ReplyTo, RequestSource, Served};
pub use servant_objects::ENTRIES as SERVANT_OBJECT_ENTRIES;
pub use servants::{
    Activator, AnyManager, DefaultServant, EndedObject, Located, Locator, NoServant,
};
pub use skeleton::ServantObject;
pub use skeleton::{PolicySkeleton, Skeleton, SkeletonPolicies};
pub use slots::Found;
pub use upcall::panicked;
