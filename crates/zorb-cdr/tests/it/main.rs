//! CDR from outside.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod fixed_runs;
mod hostile;
mod memory;
mod round_trip;
mod views;
