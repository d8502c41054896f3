//! Tests of the small ORB, over a simulated network and over Linux.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may")]

mod allocations;
mod calls;
mod closing;
mod generated;
mod heads;
mod hostile;
#[cfg(feature = "key-index")]
mod indexes;
#[cfg(feature = "lanes")]
mod lanes;
mod linux;
#[cfg(all(feature = "lite", feature = "udp", feature = "unix"))]
mod protocols;
mod refusals;
mod scripted;
mod servant;
mod simulated;
mod steady;
mod to_all;
#[cfg(all(feature = "lite", feature = "udp", feature = "unix"))]
mod transports;
