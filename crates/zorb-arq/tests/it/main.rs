//! The transport over a reliable stream over UDP.
#![allow(clippy::unwrap_used)]

mod classes;
mod conformance;
mod lossy;
mod port;
mod threads;
