//! A messaging protocol for peers that call the same objects repeatedly: a request identifies
//! object and operation by one octet, and its header has ten octets.
//!
//! [`Short`] is combined with a transport by `Composed` of `zorb-transport`; the facade does so for
//! TCP and Unix-domain sockets. The first request for an operation of an object contains both names
//! and introduces an index for them, which later requests of the connection use. ORBs without this
//! protocol use another profile of the reference.
//!
//! The client chooses the indexes, and may reintroduce one for another pair. Since requests arrive
//! in the order of sending, both sides always agree. All indexes end with the connection.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod client;
mod format;
mod messaging;
mod server;

pub use format::{HEADER_SIZE, MAX_SIZE};
pub use messaging::Short;

/// The number of indexes of a connection.
pub const INDEXES: usize = 256;

/// The maximum size of an object key and an operation name together for which an index is
/// introduced; larger pairs are always sent in full. A connection therefore stores at most 256 KiB.
pub const MAX_PAIR: usize = 1024;

#[cfg(test)]
mod tests;
