//! Policies: what a program asks of calls, connections and object adapters beyond their meaning
//! (CORBA 3.3 part 1, 4.8; the policies of calls are part 1, chapter 17's).
//!
//! A policy is a value of a Rust type that implements [`TypedPolicy`], which says what it is on the
//! wire and at which [`Levels`] it can be set. A set of them, [`Policies`], overrides what holds
//! otherwise at one of these levels, the first that has a policy of a type winning:
//!
//! | level | set with |
//! |---|---|
//! | a call | [`ObjectRef::for_call`](crate::ObjectRef::for_call) |
//! | a reference | [`ObjectRef::with_policies`](crate::ObjectRef::with_policies) |
//! | a thread | [`Orb::policy_current`](crate::Orb::policy_current) |
//! | the ORB | [`Orb::policy_manager`](crate::Orb::policy_manager) |
//! | the ORB's options | `-ORBName value` and the other fronts |
//!
//! Object adapters have policies of their own,
//! [`PoaPolicies::with`](crate::poa::PoaPolicies::with); those that clients have to know stand in
//! the adapter's references, in a `TAG_POLICIES` component.
//!
//! ```
//! use std::time::Duration;
//! use zorb_core::Orb;
//! use zorb_core::policy::{Policies, RelativeRoundtripTimeout};
//!
//! let orb = Orb::builder().without_environment().build()?;
//! let patient = Policies::new().with(RelativeRoundtripTimeout(Duration::from_secs(30)));
//! orb.policy_manager().add(&patient)?;
//! assert!(!orb.policy_manager().policy_overrides().is_empty());
//! # Ok::<(), zorb_core::Error>(())
//! ```

mod current;
mod exposed;
mod hooks;
mod levels;
mod manager;
mod messaging;
mod overrides;
mod properties;
mod protocols;
mod queueing;
mod served;
mod set;
mod shape;
mod types;

#[cfg(test)]
mod tests;

pub use current::PolicyCurrent;
pub use hooks::{
    AdapterPolicies, AroundUpcall, CallPriority, EndTimes, NetworkClass, NetworkPriorities,
    RequestContext, RestingPriorities, ShortContext,
};
pub use levels::Levels;
pub use manager::PolicyManager;
pub use messaging::{
    ConnectionTimeout, Rebind, RelativeRequestTimeout, RelativeRoundtripTimeout, SyncScope,
};
pub use overrides::SetOverrideType;
pub use properties::ConnectionProperties;
pub use protocols::{ClientProtocols, PrivateConnection, ProtocolChoice, ServerProtocols};
pub use queueing::OnewayQueue;
pub use served::ServedOf;
pub use set::{DetourOf, Policies, Policy, ShaperOf, TypedPolicy};
pub use types::PolicyType;

pub(crate) use exposed::{component, exposed_by};
pub(crate) use hooks::{MAX_CONTEXTS, Understood};
pub(crate) use overrides::{
    Asked, Detour, ObjectOverrides, Overrides, Terms, override_of, overrides_here, plain_terms,
    terms,
};
pub(crate) use properties::LineOptions;
pub(crate) use served::{SetsUp, served_properties};
pub(crate) use shape::{AnyShape, Lines, Shape, Shaper};
