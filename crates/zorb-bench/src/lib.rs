//! The experiments of `zorb bench`.
//!
//! The [`harness`] drives pairs of processes, a server and its client, with the protocol of
//! `bench/peers/PROTOCOL.md`. An [`experiment`] runs the same workload on all pairs in turns. This crate
//! contains two peers ([`peer`]): a program over bare sockets, which is the reference, and Zorb.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "workloads are paced")]

pub mod catalog;
pub mod child;
pub mod dba;
pub mod demo;
pub mod demux;
pub mod driver;
mod error;
pub mod experiment;
pub mod harness;
pub mod histogram;
pub mod ladder;
pub mod machine;
pub mod naming;
pub mod operation;
pub mod options;
mod param;
pub mod peer;
pub mod pin;
pub mod processor;
pub mod realtime;
mod recorder;
pub mod report;
pub mod statistics;
mod stubs;
pub mod timeline;
mod transport;
mod values;

pub use error::{Error, Result};
