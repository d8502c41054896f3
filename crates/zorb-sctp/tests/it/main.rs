//! The transport over SCTP.
#![allow(clippy::unwrap_used)]

mod classes;
mod conformance;
mod lossy;
