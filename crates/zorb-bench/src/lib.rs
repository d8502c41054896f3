//! The experiments of `zorb bench`.
//!
//! The [`harness`] drives pairs of processes, a server and a client of it, over the protocol of
//! `bench/peers/PROTOCOL.md`, in turns, and an [`experiment`] asks them for the same work. Two
//! peers are in this crate ([`peer`]): the program over bare sockets that all are compared with, and
//! Zorb itself.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "workloads are paced")]

pub mod child;
pub mod demux;
pub mod driver;
mod error;
pub mod experiment;
pub mod harness;
pub mod histogram;
pub mod machine;
pub mod operation;
pub mod peer;
pub mod processor;
pub mod realtime;
pub mod report;
pub mod statistics;
mod stubs;
pub mod timeline;
mod transport;
mod values;

pub use error::{Error, Result};
