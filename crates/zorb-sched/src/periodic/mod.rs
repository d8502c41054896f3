//! Real-time upcalls: operations that run in every period, at their priority, with a budget and a
//! deadline.
//!
//! [`Releases`] is the arithmetic of when they run; it reads no clock. A [`PeriodicTask`] runs on any
//! [`UpcallClock`], so that what happens when something is late can be tried on a [`VirtualClock`].
//! [`Upcalls`] runs many, each on a thread of its own, which the system schedules.

pub(crate) mod clock;
pub(crate) mod counts;
pub(crate) mod releases;
pub(crate) mod task;
pub(crate) mod upcalls;

#[cfg(test)]
mod tests;
