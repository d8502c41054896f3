//! Usage files: which operations a program calls and serves most, so that the IDL compiler can choose a marshalling engine
//! for each (`zorb idl compile --marshal profile`).
//!
//! With the option `UsageFile`, interceptors of all requests count one of 16 at random, for client and server, by the
//! repository id of the interface and the name of the operation. A thread writes the file every minute if there is something
//! new; it is written, too, when the ORB has shut down, or has been dropped with its references without ever listening. A new
//! file replaces an older one at once. Requests that an ORB without the option makes and serves execute no instruction for it.
//!
//! ```text
//! zorb-usage 1
//! # One of 16 calls and requests is counted.
//! # calls requests interface operation
//! 120 0 IDL:Shop/Account:1.0 deposit
//! 7 3 IDL:Shop/Account:1.0 close
//! ```
//!
//! Files have at most [`MAX_OPERATIONS`] operations, also those of servers whose clients make up names.
//!
//! [`attach`] adds it to an ORB; the facade does so with its feature `usage`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod attach;
mod counts;
mod file;
mod options;
mod sampling;

pub use attach::attach;
pub use counts::MAX_OPERATIONS;
pub use options::{SetUsageOptions, UsageOptions};
