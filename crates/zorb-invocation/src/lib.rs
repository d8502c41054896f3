//! Object references and their invocation: the connections that requests go over, the calls that stubs make,
//! calls to objects of the same ORB, and values passed as arguments.
//!
//! A call goes through [`invoke`](client::invoke): it selects an endpoint of the reference, takes a connection
//! out of the cache, writes the request, and reads the reply on the calling thread.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

// `#[inline]`: see the root of `zorb-base`, which says what the attributes of the crates on the path of calls save.

pub mod client;
pub mod collocation;
pub mod flow;
pub mod interface;
pub mod loan;
pub mod loaned;
pub mod object;
pub mod value;
