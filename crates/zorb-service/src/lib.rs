//! What services have in common: where they listen, whether they are ready, what they store, how they are found, and how
//! they end.
//!
//! A [`Host`] runs any number of services in one ORB. `zorb serve` is such a program; this is one of your own:
//!
//! ```no_run
//! use zorb_naming::server::{KEY, NamingOptions, NamingService};
//! use zorb_service::{Host, listening};
//!
//! fn main() -> Result<(), zorb::Error> {
//!     let host = Host::new(listening(zorb::Orb::builder, &[], 2809)?)?;
//!     let names = NamingService::serve(host.orb(), &NamingOptions::default())?;
//!     host.offer(KEY, &names.root()?)?;
//!     host.run()
//! }
//! ```
#![forbid(unsafe_code)]

mod binding;
#[cfg(feature = "console")]
mod console;
mod endpoints;
mod host;
mod http;
mod metrics;
mod options;
mod orb_metrics;
mod pages;
mod supervisor;
mod writers;

pub use endpoints::listening;
pub use host::{HEALTH_KEY, Host};
pub use metrics::{Labels, MetricKind, Metrics};
pub use options::{ServiceOptions, SetServiceOptions, Writers};
pub use writers::{check_local_writer, check_writer};
