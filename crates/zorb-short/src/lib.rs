//! A messaging protocol for peers that call the same objects again and again: a request says which
//! object and which operation it is for with one octet, and takes ten octets in all.
//!
//! [`Short`] is put over a transport with `Composed` of `zorb-transport`; the facade has
//! it over TCP and Unix-domain sockets. The first request for an operation of an object names both and
//! introduces an index for them, which later requests of the connection say in their place. An ORB that
//! does not know the protocol takes another profile of the reference.
//!
//! The calling side chooses the indexes, and says again what one stands for when it is to stand for
//! something else. Since requests arrive in the order in which they were sent, both sides always mean
//! the same by it. All that is remembered ends with the connection.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod client;
mod format;
mod messaging;
mod server;

pub use format::{HEADER_SIZE, MAX_SIZE};
pub use messaging::Short;

/// How many indexes a connection has.
pub const INDEXES: usize = 256;

/// The most octets of an object key and an operation's name together that an index stands for; larger
/// pairs are named in full by every request. So a connection remembers 256 KiB at most.
pub const MAX_PAIR: usize = 1024;

#[cfg(test)]
mod tests;
