//! The commands, one module each.

pub(crate) mod bench;
pub(crate) mod bridge;
pub(crate) mod call;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod idl;
pub(crate) mod ifr;
pub(crate) mod imr;
pub(crate) mod ior;
pub(crate) mod names;
pub(crate) mod ping;
pub(crate) mod rt;
pub(crate) mod sched;
pub(crate) mod serve;
pub(crate) mod store;
pub(crate) mod top;
