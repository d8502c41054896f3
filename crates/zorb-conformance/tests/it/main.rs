//! The suites over every protocol, and what connection properties do for each.
#![allow(clippy::unwrap_used, clippy::panic)]

mod bridges;
mod conformance;
mod descriptors;
mod frames;
mod held;
mod local_sockets;
mod lookups;
mod one_way;
mod properties;
mod references;
mod silent;
mod tls;
