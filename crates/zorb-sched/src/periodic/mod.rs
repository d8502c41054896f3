//! Real-time upcalls: periodic operations with priorities, budgets and deadlines.
//!
//! [`Releases`] computes release times; it reads no clock. A [`PeriodicTask`] runs on any
//! [`UpcallClock`], so that overload can be tested with a [`VirtualClock`]. [`Upcalls`] runs many
//! tasks, each on a thread of its own, scheduled by the system.

pub(crate) mod clock;
pub(crate) mod counts;
pub(crate) mod releases;
mod run;
pub(crate) mod task;
pub(crate) mod upcalls;

#[cfg(test)]
mod tests;
