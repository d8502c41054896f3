//! Real-time CORBA: end-to-end priorities.
//!
//! A CORBA [`Priority`], 0 to 32767, has the same meaning on every machine. A [`PriorityMapping`] maps it to a native
//! priority of this machine, [`RtCurrent`] sets that of a thread, and the policy [`PriorityModel`] of an object adapter
//! decides at which priority upcalls run: at the client's, which requests carry, or at one that the server declares.
//! [`PiMutex`] is a lock with priority inheritance.
//!
//! ```
//! use zorb_core::Orb;
//! use zorb_core::poa::PoaPolicies;
//! use zorb_rt::{Denied, Priority, PriorityModel, RtOrb};
//!
//! let orb = Orb::builder().without_environment().build()?;
//! let rt = RtOrb::builder().denied(Denied::Run).attach(&orb)?;
//! rt.current().set_priority(Priority::new(1000)?)?;
//!
//! let declared = rt.server_declared(Priority::new(20_000)?);
//! let urgent = orb.root_poa().create("urgent", PoaPolicies::new().with(declared))?;
//! let policies = urgent.policies();
//! let model: Option<&PriorityModel> = policies.others.value();
//! assert_eq!(model.map(|model| model.server_priority().value()), Some(20_000));
//! # Ok::<(), zorb_core::Error>(())
//! ```
//!
//! If the system does not permit the process to set priorities, [`RtOrb::denial`] returns the reason, and [`Denied`]
//! decides whether calls run nevertheless or fail.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod builder;
mod configuration;
mod configured;
mod configured_pools;
mod context;
mod current;
mod description;
mod expansion;
mod flow;
mod frozen;
mod invocation;
mod log;
mod mapping;
mod model;
mod named;
mod network;
mod object_qos;
mod options;
mod orb;
mod poa;
mod pool;
mod priority;
mod qos;
mod readiness;
mod setting;
mod table;

#[cfg(test)]
mod tests;

pub use builder::RtOrbBuilder;
pub use current::{RtCurrent, SavedPriority};
pub use expansion::{Expansion, expand};
pub use flow::{OutputQueue, OutputQueueBuilder};
pub use invocation::InvocationPriority;
pub use log::{LogCounts, LogLine, LogQueue, LogQueueBuilder};
pub use mapping::{
    Continuous, Direct, Linear, PriorityMapping, PriorityMappingManager, PriorityTransform,
};
pub use network::{LinearNetwork, NetworkPriorityMapping};
pub use object_qos::ObjectQos;
pub use options::{RtMapping, RtNetwork, RtOneways, RtOptions, SetRtOptions};
pub use orb::RtOrb;
pub use pool::{LaneBuilder, Threadpool, ThreadpoolBuilder};
pub use priority::NativePriority;
pub use qos::{Qos, QosClass};
pub use readiness::{Finding, Verdict, examine};
pub use setting::{Denied, SchedulingPolicy};
pub use zorb_core::flow::{BufferingConstraint, FlowCounts, FlowEvent, FlowLimits, WhenFull};
pub use zorb_core::lanes::{Buffering, DynamicLifespan, LaneCounts, LaneViolations, Strategy};
pub use zorb_core::policy::{
    NetworkClass, Priority, PriorityBand, PriorityBands, PriorityModel, ThreadpoolPolicy,
};
pub use zorb_os::alloc::CountingAllocator;
pub use zorb_os::mutex::{PiGuard, PiMutex};
