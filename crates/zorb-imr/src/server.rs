//! The implementation repository itself (feature `server`): [`ImplementationRepository`].
//!
//! `zorb serve imr` runs one; a program embeds one as in the example of [`ImplementationRepository`].

mod access;
mod administration;
mod changes;
mod definition;
mod entry;
mod former;
mod forwarding;
mod instance;
mod iterators;
mod listing;
mod monitor;
mod names;
mod options;
mod process;
mod registration;
mod servers;
mod service;
mod start_limits;
mod start_requests;
mod starting;
mod state;
mod stopping;
mod tables;
mod values;
mod watching;

pub use options::{ImrOptions, SetImrOptions};
pub use service::{ImplementationRepository, Statistics};
