//! Tests of the small ORB, over a simulated network and over Linux.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may")]

mod allocations;
mod calls;
mod closing;
mod generated;
mod hostile;
mod linux;
mod scripted;
mod servant;
mod simulated;
