//! The implementation repository itself (feature `server`): [`ImplementationRepository`].
//!
//! `zorb serve imr` runs one; a program embeds one as in the example of [`ImplementationRepository`].

mod access;
mod administration;
mod changes;
mod definition;
mod entry;
mod forwarding;
mod instance;
mod iterators;
mod monitor;
mod names;
mod process;
mod servers;
mod service;
mod settings;
mod start_limits;
mod starting;
mod stopping;
mod tables;
mod values;

pub use service::{ImplementationRepository, Statistics};
pub use settings::Settings;
