//! Scheduling of operations: priorities, placement on processors, and schedulability analysis.
//!
//! A [`TaskSet`] describes for each operation its execution time, period and calls ([`RtInfo`]).
//! [`Schedule::compute`] expands the calls, assigns priorities by a [`Strategy`], places operations
//! on processors, and computes worst-case response times; it reports problems as [`Anomaly`]s. A
//! [`Simulation`] produces the events of a schedule. A [`Dispatcher`] runs ready work in the order
//! of a schedule; [`Upcalls`] run periodically. Nothing here uses an ORB.
//!
//! ```
//! use zorb_sched::{Call, Response, RtInfo, Schedule, Strategy, System, TaskSet, Time};
//!
//! let ms = Time::from_millis;
//! let mut set = TaskSet::new();
//! let filter = set.add(RtInfo::new("filter", ms(1)))?;
//! let sensor = set.add(RtInfo::new("sensor", ms(2)).period(ms(10)).calls(Call::two_way(filter, 3)))?;
//! set.add(RtInfo::new("display", ms(8)).period(ms(40)))?;
//! let schedule = Schedule::compute(&set, &System::new(Strategy::Rms))?;
//! assert!(schedule.is_schedulable());
//! assert_eq!(schedule.priority(sensor), Some(89));
//! assert_eq!(schedule.tasks[1].task.name, "display");
//! assert_eq!(schedule.tasks[1].response, Response::Within(ms(18)));
//! # Ok::<(), zorb_sched::Anomaly>(())
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod analysis;
mod anomaly;
mod dispatch;
mod file;
mod model;
mod partition;
mod periodic;
mod report;
mod schedule;
mod simulate;
mod strategy;
mod svg;
mod system;
mod table;
mod time;

pub use analysis::demand::{Demand, Excess, deadline_demand};
pub use analysis::dynamic::DynamicQueue;
pub use analysis::fixed::response_time;
pub use analysis::utilization::{Utilization, rate_monotonic_bound};
pub use analysis::{Budget, Exhausted, Load};
pub use anomaly::{Anomaly, Severity};
pub use dispatch::dispatcher::{Dispatcher, DispatcherOptions};
pub use dispatch::queue::ReadyQueue;
pub use dispatch::shared::DispatchCounts;
pub use dispatch::timers::{Due, Timers};
pub use dispatch::{Refusal, Refused, Urgency};
pub use file::{FileError, MAX_FILE, TaskFile};
pub use model::expand::{MAX_TASKS, Task, TaskId, expand};
pub use model::info::{Call, CallKind, Criticality, Handle, Importance, InfoType, RtInfo};
pub use model::set::{MAX_CALLS, MAX_OPERATIONS, TaskSet};
pub use periodic::clock::{UpcallClock, VirtualClock};
pub use periodic::counts::{Finding, UpcallCounts, UpcallEvent};
pub use periodic::releases::{Activation, Releases};
pub use periodic::task::{Backlog, PeriodicTask, UpcallScheduling};
pub use periodic::upcalls::{RunningUpcalls, UpcallError, Upcalls};
pub use schedule::{Response, Schedule, ScheduledTask};
pub use simulate::{Instance, SimulatedTask, Simulation, Slice, Trace};
pub use strategy::{Discipline, PriorityRange, Queue, Rank, Strategy, UnknownStrategy};
pub use svg::timeline;
pub use system::System;
pub use table::{PriorityTable, TableEntry};
pub use time::{MAX_TIME, ParseTimeError, Time};
