//! The time limit of a call, including all attempts and waits.

use std::io;
use std::time::{Duration, Instant};

use zorb_transport::MAX_LATENESS;

/// The time limit of a call, from its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimit {
    limit: Option<(Duration, Instant)>,
}

impl TimeLimit {
    /// No limit.
    pub(super) const NONE: Self = Self { limit: None };

    /// Starts the limit; `None` for no limit.
    #[inline]
    pub(super) fn new(timeout: Option<Duration>) -> Self {
        // A limit beyond the range of the clock is no limit.
        let limit = timeout.and_then(|t| Some((t, Instant::now().checked_add(t)?)));
        Self { limit }
    }

    /// What is `left` of the limit `timeout`.
    #[cold]
    pub(super) fn of_rest(timeout: Duration, left: Duration) -> Self {
        Self { limit: Instant::now().checked_add(left).map(|deadline| (timeout, deadline)) }
    }

    pub(super) fn timeout(self) -> Option<Duration> {
        self.limit.map(|(timeout, _)| timeout)
    }

    /// Its end.
    #[inline]
    pub(super) fn deadline(self) -> Option<Instant> {
        self.limit.map(|(_, deadline)| deadline)
    }

    /// The maximum time of the next wait; `None` for no limit. Early in the call this is the whole limit, so
    /// that a wait may end up to [`MAX_LATENESS`] late: with the exact time, a client sets another timeout of
    /// its stream for each call, which then takes 3 system calls instead of 2.
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
        Ok(if timeout.saturating_sub(left) <= MAX_LATENESS.min(timeout / 16) {
            timeout
        } else {
            left
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_timeout_and_endless_ones_never_run_out() {
        for timeout in [None, Some(Duration::MAX)] {
            let time_limit = TimeLimit::new(timeout);
            assert_eq!(time_limit.deadline(), None);
            assert_eq!(time_limit.next_wait().unwrap(), None);
        }
    }

    #[test]
    fn waits_shrink_and_end() {
        let hour = Duration::from_secs(3600);
        let now = Instant::now();
        let wait = |left| TimeLimit { limit: Some((hour, now + left)) }.next_wait();
        assert_eq!(wait(hour).unwrap(), Some(hour));
        // Half a millisecond of lateness is not worth a system call, a second is.
        assert_eq!(wait(hour + MAX_LATENESS / 2).unwrap(), Some(hour));
        let second = Duration::from_secs(1);
        assert!(wait(hour - second).unwrap().unwrap() <= hour - second);
        let half = wait(hour / 2).unwrap().unwrap();
        assert!(half <= hour / 2, "{half:?}");
        assert_eq!(wait(Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
