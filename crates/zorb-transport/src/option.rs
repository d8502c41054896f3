//! Options of an ORB. Each is defined once, by [`options!`](crate::options!) in the crate that
//! reads it; the field, the parser, the builder's setter and the rows of tables derive from the
//! definition.
//!
//! ```
//! use std::time::Duration;
//!
//! zorb_transport::options! {
//!     /// Options of the protocol `semaphore`.
//!     #[derive(Clone, Debug, PartialEq)]
//!     pub struct SemaphoreOptions of "semaphore", set by (trait SetSemaphoreOptions) {
//!         /// Maximum time to wait for a flag.
//!         "SemaphoreTimeout" semaphore_timeout: Duration = Duration::from_secs(5), 1..=3_600_000, "ms";
//!         /// Whether arms are lit at night.
//!         "SemaphoreLamps" semaphore_lamps: bool = true;
//!     }
//! }
//!
//! let options = SemaphoreOptions::default();
//! assert_eq!(options.semaphore_timeout, Duration::from_secs(5));
//! assert_eq!(SemaphoreOptions::OPTIONS[0].variable(), "ZORB_SEMAPHORE_TIMEOUT");
//! ```

mod define;
mod set;
mod spec;
#[cfg(test)]
mod tests;
mod value;

pub use set::{OptionSet, OptionSets, SetOption};
pub use spec::{OptionKind, OptionSpec};
pub use value::{NameValuePairs, OptionNumber, OptionValue};

#[doc(hidden)]
pub use {spec::check_key, value::word};
