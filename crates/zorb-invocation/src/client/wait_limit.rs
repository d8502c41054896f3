//! How long a caller waits for a connection that other calls use.

use std::time::{Duration, Instant};

/// The end of a wait for a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitLimit {
    /// The deadline of the call.
    deadline: Option<Instant>,
    /// The end by the option `MaxConnectionWait`.
    end: Option<Instant>,
}

impl WaitLimit {
    /// Starts a wait of a call with this deadline, and of at most `longest`; `None` for no limit.
    pub(super) fn start(deadline: Option<Instant>, longest: Option<Duration>) -> Self {
        // A limit beyond the range of the clock is no limit.
        Self { deadline, end: longest.and_then(|longest| Instant::now().checked_add(longest)) }
    }

    /// The remaining time; `None` for no limit.
    pub(super) fn left(&self) -> Option<Duration> {
        let ends = self.deadline.into_iter().chain(self.end);
        ends.min().map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether the time is over.
    pub(super) fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_end_counts() {
        let (soon, hour) = (Duration::ZERO, Duration::from_secs(3600));
        let now = Instant::now();
        assert!(WaitLimit::start(Some(now), Some(hour)).is_over());
        assert!(WaitLimit::start(Some(now + hour), Some(soon)).is_over());
        assert!(!WaitLimit::start(Some(now + hour), Some(hour)).is_over());
        for no_limit in [None, Some(Duration::MAX)] {
            assert_eq!(WaitLimit::start(None, no_limit).left(), None);
        }
    }
}
