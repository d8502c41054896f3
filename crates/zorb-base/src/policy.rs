//! Policies: settings of calls, connections and object adapters (CORBA 3.3 part 1, 4.8; those of calls are
//! in chapter 17).
//!
//! A policy is a value of a Rust type that implements [`TypedPolicy`]: its number and encoding on the wire, and the
//! [`Levels`] at which it can be set. A policy has no behavior; the code that it controls looks it up. A set of
//! policies, [`Policies`], overrides the settings of weaker levels:
//!
//! | level | set with |
//! |---|---|
//! | a call | `ObjectRef::for_call` |
//! | a reference | `ObjectRef::with_policies` |
//! | a thread | `Orb::policy_current` |
//! | the ORB | `Orb::policy_manager` |
//! | the ORB's options | `-ORBName value`, the environment, a file |
//!
//! Object adapters have policies of their own, `PoaPolicies::with`. The adapter's references contain those that
//! clients must know, in a `TAG_POLICIES` component.
//!
//! ```
//! # use zorb_base as zorb;
//! use std::time::Duration;
//! use zorb::policy::{Policies, RelativeRoundtripTimeout};
//!
//! let limit = RelativeRoundtripTimeout(Duration::from_secs(30));
//! let policies = Policies::new().with(limit);
//! assert_eq!(policies.value(), Some(&limit));
//! ```

mod bands;
mod bidirectional;
mod buffer_strategy;
mod create;
mod deadline;
mod effective;
mod exposed;
mod levels;
mod messaging;
mod network;
mod priority;
mod properties;
mod protocols;
mod readers;
mod serve_in_time;
mod set;
mod threadpool;
mod types;

#[cfg(test)]
mod tests;

pub use bands::{PriorityBand, PriorityBands};
pub use bidirectional::BidirectionalPolicy;
#[doc(hidden)]
pub use buffer_strategy::BufferStrategy;
pub use create::PolicyError;
pub use deadline::{Deadline, ReplyEndTime, RequestEndTime};
pub use effective::EffectivePolicies;
pub use levels::{Levels, SetOverrideType};
pub use messaging::{
    ConnectionTimeout, MaxHops, Rebind, RelativeRequestTimeout, RelativeRoundtripTimeout, SyncScope,
};
pub use network::{NetworkClass, NetworkPriorities};
pub use priority::{Priority, PriorityModel};
pub use properties::ConnectionProperties;
pub use protocols::{ClientProtocols, PrivateConnection, ProtocolChoice, ServerProtocols};
pub use serve_in_time::ServeInTime;
pub use set::{Policies, Policy, TypedPolicy};
pub use threadpool::ThreadpoolPolicy;
pub use types::PolicyType;

#[doc(hidden)]
pub use exposed::{component, exposed_by};
#[doc(hidden)]
pub use network::ServedPriority;
#[doc(hidden)]
pub use properties::octets;
#[doc(hidden)]
pub use protocols::served_properties;
pub(crate) use readers::PolicyReaders;
#[doc(hidden)]
pub use threadpool::may_be_served_in_lane;
