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

mod bands;
mod effective;
mod exposed;
mod levels;
mod messaging;
mod network;
mod priority;
mod properties;
mod protocols;
mod readers;
mod set;
mod threadpool;
mod types;

#[cfg(test)]
mod tests;

pub use bands::{PriorityBand, PriorityBands};
pub use effective::EffectivePolicies;
pub use levels::{Levels, SetOverrideType};
pub use messaging::{
    ConnectionTimeout, Rebind, RelativeRequestTimeout, RelativeRoundtripTimeout, SyncScope,
};
pub use network::{NetworkClass, NetworkPriorities};
pub use priority::{Priority, PriorityModel};
pub use properties::ConnectionProperties;
pub use protocols::{ClientProtocols, PrivateConnection, ProtocolChoice, ServerProtocols};
pub use set::{Policies, Policy, TypedPolicy};
pub use threadpool::ThreadpoolPolicy;
pub use types::PolicyType;

pub(crate) use exposed::{component, exposed_by};
pub(crate) use network::ServedPriority;
pub(crate) use properties::octets;
pub(crate) use protocols::served_properties;
pub(crate) use readers::PolicyReaders;
pub(crate) use threadpool::may_be_served_in_lane;
