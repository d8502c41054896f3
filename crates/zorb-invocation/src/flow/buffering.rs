//! When a queue sends the calls that it buffers.

use std::time::Duration;

/// What a queue waits for before it sends its calls together (TAO's `BufferingConstraint`): a number of calls, a number
/// of octets, or the age of the first one, whichever comes first; at the latest, for the maximum number of calls or
/// half of the octets that the queue accepts. By default, there is no other constraint. Flushing or ending the queue
/// also sends its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferingConstraint {
    /// The number of calls. Default: any.
    pub calls: usize,
    /// The size of all calls together. Default: any.
    pub octets: usize,
    /// The age of the first call. Default: any.
    pub age: Option<Duration>,
}

impl Default for BufferingConstraint {
    fn default() -> Self {
        Self { calls: usize::MAX, octets: usize::MAX, age: None }
    }
}

impl BufferingConstraint {
    /// The same constraint, also met when `calls` calls wait.
    #[must_use]
    pub const fn calls(self, calls: usize) -> Self {
        Self { calls, ..self }
    }

    /// The same constraint, also met when the calls that wait have `octets` octets.
    #[must_use]
    pub const fn octets(self, octets: usize) -> Self {
        Self { octets, ..self }
    }

    /// The same constraint, also met when the first call has this age.
    #[must_use]
    pub const fn age(self, age: Duration) -> Self {
        Self { age: Some(age), ..self }
    }

    /// The same constraint, met before a queue of these limits is full.
    pub(super) fn within(self, max_calls: usize, max_octets: usize) -> Self {
        let (calls, octets) = (self.calls.min(max_calls.max(1)), self.octets.min(max_octets / 2));
        Self { calls, octets, ..self }
    }

    /// Whether so many calls of so many octets are sent.
    pub(super) const fn is_met(&self, calls: usize, octets: usize) -> bool {
        calls >= self.calls || octets >= self.octets
    }
}
