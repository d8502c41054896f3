//! How long a call may take, over all its attempts and waits.

use std::io;
use std::time::{Duration, Instant};

/// The time-out of one call, counted from its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    limit: Option<(Duration, Instant)>,
}

impl Patience {
    /// Begins to count; `None` has all the time there is.
    #[inline]
    pub(super) fn new(timeout: Option<Duration>) -> Self {
        // A time-out beyond the end of the clock is none.
        let limit = timeout.and_then(|t| Some((t, Instant::now().checked_add(t)?)));
        Self { limit }
    }

    pub(super) fn timeout(self) -> Option<Duration> {
        self.limit.map(|(timeout, _)| timeout)
    }

    /// When it ends.
    #[inline]
    pub(super) fn deadline(self) -> Option<Instant> {
        self.limit.map(|(_, deadline)| deadline)
    }

    /// How long the next wait may last; `None` for ever. Streams remember their time-out and a
    /// different one costs a system call, so until a sixteenth of the time is gone this stays
    /// the whole time-out.
    #[inline]
    pub(super) fn next_wait(self) -> io::Result<Option<Duration>> {
        match self.limit {
            None => Ok(None),
            Some((timeout, deadline)) => Self::left(timeout, deadline).map(Some),
        }
    }

    #[inline(never)]
    fn left(timeout: Duration, deadline: Instant) -> io::Result<Duration> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(if left >= timeout - timeout / 16 { timeout } else { left })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_timeout_and_endless_ones_never_run_out() {
        for timeout in [None, Some(Duration::MAX)] {
            let patience = Patience::new(timeout);
            assert_eq!(patience.deadline(), None);
            assert_eq!(patience.next_wait().unwrap(), None);
        }
    }

    #[test]
    fn waits_shrink_and_end() {
        let hour = Duration::from_secs(3600);
        let now = Instant::now();
        let wait = |left| Patience { limit: Some((hour, now + left)) }.next_wait();
        assert_eq!(wait(hour).unwrap(), Some(hour));
        let half = wait(hour / 2).unwrap().unwrap();
        assert!(half <= hour / 2, "{half:?}");
        assert_eq!(wait(Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
