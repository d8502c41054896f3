//! Scheduling parameters: the urgency of a distributable thread.

use std::time::Duration;

use zorb_core::policy::Deadline;
use zorb_rt::Priority;

/// The criticality of a distributable thread: under overload, less critical threads miss their deadlines first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criticality {
    /// The lowest criticality.
    VeryLow,
    /// Below the default.
    Low,
    /// The default.
    #[default]
    Medium,
    /// Above the default.
    High,
    /// The highest criticality.
    VeryHigh,
}

impl Criticality {
    /// All, the lowest first.
    pub const ALL: [Self; 5] = [Self::VeryLow, Self::Low, Self::Medium, Self::High, Self::VeryHigh];
}

/// The scheduling parameters of a segment (`sched_param`) for one of the scheduling disciplines. Requests carry them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Parameters {
    /// Fixed priority: a CORBA priority.
    Priority(Priority),
    /// Earliest deadline first.
    Deadline(Deadline),
    /// Maximum urgency first: the most critical first, and of equally critical ones the one with the least laxity.
    Urgency {
        /// The criticality.
        criticality: Criticality,
        /// The deadline.
        deadline: Deadline,
        /// The worst-case execution time until then.
        execution: Duration,
    },
}
