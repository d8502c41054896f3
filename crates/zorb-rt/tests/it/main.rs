//! Real-time CORBA over real connections. Tests of the steady state are in `steady`; those that need a
//! privilege are in `privileged`.
#![allow(clippy::unwrap_used, clippy::use_self)]

mod binding;
mod by_file;
#[path = "../../../zorb-tls/tests/support/mod.rs"]
mod certificates;
mod configured;
mod denied;
mod destroyed;
mod flow;
mod in_time;
mod network;
mod oneways;
mod pools;
mod priorities;
mod probe;
mod standard;
mod startup;
