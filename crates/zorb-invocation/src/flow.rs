//! Bounded queues in front of slower consumers, which report how full they are.

mod buffering;
mod limits;
mod queue;

use std::time::Duration;

use zorb_types::SystemException;

pub use buffering::BufferingConstraint;
pub use limits::FlowLimits;
pub(crate) use limits::Watermark;
#[doc(hidden)]
pub use queue::FlowQueue;

/// What happens to a call when the queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// It fails with `TRANSIENT` at once. The default.
    #[default]
    Refuse,
    /// The caller waits for room up to this time; then the call fails with `TRANSIENT`.
    Wait(Duration),
}

/// An event of a queue, or of the pending calls of an ORB.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlowEvent {
    /// The queue has reached its high watermark. Reported on the calling thread.
    High {
        /// The calls that wait.
        calls: usize,
        /// Their octets.
        octets: usize,
    },
    /// The queue has emptied to its low watermark after the high one was reached. Reported on the queue's
    /// thread, like [`Lost`](Self::Lost).
    Low {
        /// The calls that wait.
        calls: usize,
        /// Their octets.
        octets: usize,
    },
    /// A call could not be sent, and is lost.
    Lost(SystemException),
}

/// The numbers of calls that a queue has sent, lost and refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowCounts {
    /// Calls that were sent.
    pub sent: u64,
    /// Calls that could not be sent.
    pub lost: u64,
    /// Calls that were refused because the queue was full.
    pub refused: u64,
}
