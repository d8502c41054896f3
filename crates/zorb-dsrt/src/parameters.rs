//! Scheduling parameters: how urgent a distributable thread is.

use std::time::Duration;

use zorb_rt::{Deadline, Priority};

/// How much depends on a distributable thread: under overload the less critical are late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criticality {
    /// The lowest.
    VeryLow,
    /// Below the middle.
    Low,
    /// In the middle: the default.
    #[default]
    Medium,
    /// Above the middle.
    High,
    /// The highest.
    VeryHigh,
}

impl Criticality {
    /// All, the lowest first.
    pub const ALL: [Self; 5] = [Self::VeryLow, Self::Low, Self::Medium, Self::High, Self::VeryHigh];
}

/// The scheduling parameters of a segment (`sched_param`), as one of the disciplines has them. They
/// travel with requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Parameters {
    /// Fixed priority: a CORBA priority.
    Priority(Priority),
    /// Earliest deadline first.
    Deadline(Deadline),
    /// Maximum urgency first: the more critical first, and of equally critical ones that with the
    /// least laxity.
    Urgency {
        /// How much depends on it.
        criticality: Criticality,
        /// Until when it has to be done.
        deadline: Deadline,
        /// How long that takes, at most.
        execution: Duration,
    },
}
