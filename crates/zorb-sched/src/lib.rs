//! Scheduling: what operations need of processors, which priorities they get, and whether all of
//! them meet their deadlines.
//!
//! A [`TaskSet`] says of every operation how long it runs, how often, and what it calls
//! ([`RtInfo`]). [`expand`] follows the calls and makes [`Task`]s: what has to run in each
//! period, the time of two-way calls included. Nothing here uses an ORB.
//!
//! ```
//! use zorb_sched::{Call, RtInfo, TaskSet, Time, expand};
//!
//! let mut set = TaskSet::new();
//! let filter = set.add(RtInfo::new("filter", Time::from_millis(1)))?;
//! let sensor = RtInfo::new("sensor", Time::from_millis(2)).period(Time::from_millis(10));
//! set.add(sensor.calls(Call::two_way(filter, 3)))?;
//! let tasks = expand(&set)?;
//! assert_eq!(tasks.len(), 1);
//! assert_eq!(tasks[0].worst, Time::from_millis(5));
//! # Ok::<(), zorb_sched::Anomaly>(())
//! ```
#![forbid(unsafe_code)]

mod anomaly;
mod model;
mod time;

pub use anomaly::{Anomaly, Severity};
pub use model::expand::{MAX_TASKS, Task, TaskId, expand};
pub use model::info::{Call, CallKind, Criticality, Handle, Importance, InfoType, RtInfo};
pub use model::set::{MAX_CALLS, MAX_OPERATIONS, TaskSet};
pub use time::{MAX_TIME, ParseTimeError, Time};
