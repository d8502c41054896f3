//! The implementation repository, with servers in processes of their own.
#![allow(clippy::unwrap_used, clippy::panic)]

mod administration;
mod chaos;
mod hostile;
mod instances;
mod registration;
mod restarted;
mod starting;
mod stopping;
mod support;
