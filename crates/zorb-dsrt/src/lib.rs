//! RT-CORBA's dynamic scheduling: distributable threads (`RTScheduling`).
//!
//! A distributable thread is an activity that continues on other nodes through calls. It has an id that is the same on
//! all nodes, and scheduling parameters such as a priority or a deadline. [`RtScheduling`] adds distributable threads to
//! an ORB. A thread of a program becomes distributable by
//! [`begin_scheduling_segment`](Current::begin_scheduling_segment); from then on its requests carry id and parameters in
//! a service context, and upcalls of adapters with the policy [`Distributable`] are part of the thread. A [`Scheduler`]
//! is called at every scheduling point and decides which threads run.
//!
//! ```
//! use zorb_core::Orb;
//! use zorb_dsrt::{Deadline, EarliestDeadline, Parameters, RtScheduling};
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! let orb = Orb::builder().without_environment().build()?;
//! let scheduling = RtScheduling::attach(&orb, Arc::new(EarliestDeadline::new()));
//! let current = scheduling.current();
//! let soon = Parameters::Deadline(Deadline::after(Duration::from_millis(20)));
//! current.begin_scheduling_segment("track", Some(soon), None)?;
//! assert!(current.id().is_some());
//! assert_eq!(current.current_scheduling_segment_names(), ["track"]);
//! current.end_scheduling_segment("track")?;
//! assert!(current.id().is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod cancellation;
mod context;
mod current;
mod executive;
mod interceptors;
mod node;
mod parameters;
mod scheduler;
mod scheduling;
mod thread;
mod thread_entry;
mod thread_id;
mod visit;

#[cfg(test)]
mod tests;

pub use current::{Current, SchedulingError, Spawned};
pub use executive::{EarliestDeadline, MaximumUrgency};
pub use parameters::{Criticality, Parameters};
pub use scheduler::{FixedPriority, Point, Scheduler, SchedulerState};
pub use scheduling::{Distributable, RtScheduling};
pub use thread::{DistributableThread, ThreadState};
pub use thread_id::ThreadId;
pub use zorb_core::policy::Deadline;
