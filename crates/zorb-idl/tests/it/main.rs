//! The front end, from text to diagnostics and model.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod api;
mod fixtures;
mod hostile;
mod implied;
mod support;
