//! The transport over Unix-domain sockets.
#![allow(clippy::unwrap_used)]

mod conformance;
mod sockets;
