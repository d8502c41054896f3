//! The transport over shared memory.
#![allow(clippy::unwrap_used)]

mod buffers;
mod conformance;
mod held;
mod peers;
