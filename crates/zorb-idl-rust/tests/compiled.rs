//! The texts on record compile without a warning, and do what they say.
#![deny(warnings, missing_docs, missing_debug_implementations)]

extern crate zorb_core as zorb;

#[path = "golden/bank.rs"]
pub mod bank;
#[path = "golden/hello.rs"]
pub mod hello;
#[path = "golden/interfaces.rs"]
pub mod interfaces;
#[path = "golden/names.rs"]
pub mod names;
#[path = "golden/reopened.rs"]
pub mod reopened;
#[path = "golden/types.rs"]
pub mod types;
#[path = "golden/unions.rs"]
pub mod unions;

#[path = "compiled/calls.rs"]
mod calls;
#[path = "compiled/values.rs"]
mod values;
