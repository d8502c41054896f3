//! The scheduling service, compatible with TAO's `RtecScheduler::Scheduler`.
//!
//! [`SchedulerService`] serves it, based on the analysis of [`zorb_sched`]; [`rtec_scheduler`]
//! contains the client stubs.
//!
//! ```
//! use zorb::Orb;
//! use zorb_sched::{Strategy, System, TaskSet};
//! use zorb_sched_service::SchedulerService;
//! use zorb_sched_service::rtec_scheduler::{CriticalityT, ImportanceT, InfoTypeT, Scheduler};
//!
//! let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
//! let system = System::new(Strategy::Rms);
//! let served: Scheduler = SchedulerService::new(TaskSet::new(), system).serve(&orb.root_poa())?;
//!
//! let sensor = served.create("sensor")?;
//! let (high, medium) = (CriticalityT::HighCriticality, ImportanceT::MediumImportance);
//! // 2 ms in every 10 ms, in units of 100 ns.
//! served.set(sensor, high, 20_000, 0, 0, 100_000, medium, 0, 0, InfoTypeT::Operation)?;
//! let (infos, _, configs, anomalies) = served.compute_scheduling(1, 50)?;
//! assert_eq!((infos[0].priority, configs.len(), anomalies.len()), (50, 1, 0));
//! # orb.shutdown(true)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod convert;
mod servant;
mod service;
mod state;

mod idl {
    zorb::include_idl!("RtecScheduler");
}

pub use idl::{rtec_base, rtec_scheduler, time_base};
pub use service::SchedulerService;
