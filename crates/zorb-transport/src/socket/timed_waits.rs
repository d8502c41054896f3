//! The waits of one operation of a stream that consists of several of another one.

use std::io;
use std::time::{Duration, Instant};

/// The waits of one operation of a stream over another stream, whose timeout applies to each of them: together they take
/// no longer than that. For streams that receive until they have something whole, a record or a message: otherwise a peer
/// that sends one octet after the other prolongs the operation.
///
/// The first wait has the timeout that is set. Each further one costs a system call, which sets the time that is left.
#[derive(Debug)]
pub struct TimedWaits {
    limit: Option<Duration>,
    /// Known from the first wait on.
    deadline: Option<Instant>,
    is_shortened: bool,
}

impl TimedWaits {
    /// The waits of an operation over a stream with the timeout `limit`.
    #[must_use]
    pub const fn new(limit: Option<Duration>) -> Self {
        Self { limit, deadline: None, is_shortened: false }
    }

    /// Begins the next wait; `set` sets the timeout of the stream below.
    ///
    /// # Errors
    /// `TimedOut` if no time is left; the error of `set`.
    #[inline]
    pub fn begin(
        &mut self,
        set: impl FnOnce(Option<Duration>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(limit) = self.limit else { return Ok(()) };
        let Some(deadline) = self.deadline else {
            // A limit beyond the range of the clock is no limit.
            self.deadline = Instant::now().checked_add(limit);
            return Ok(());
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.is_shortened = true;
        set(Some(left))
    }

    /// Ends the operation with `result`. `set` sets the timeout again, if it was changed.
    ///
    /// # Errors
    /// That of `result`, or else of `set`.
    #[inline]
    pub fn end<T>(
        self,
        result: io::Result<T>,
        set: impl FnOnce(Option<Duration>) -> io::Result<()>,
    ) -> io::Result<T> {
        if !self.is_shortened {
            return result;
        }
        let restored = set(self.limit);
        result.and_then(|result| restored.map(|()| result))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn further_waits_have_the_time_that_is_left_and_the_next_operation_all_of_it() {
        let set = RefCell::new(Vec::new());
        let record = |timeout: Option<Duration>| {
            set.borrow_mut().extend(timeout);
            Ok(())
        };
        let mut waits = TimedWaits::new(Some(HOUR));
        waits.begin(record).unwrap();
        assert!(set.borrow().is_empty(), "the first one has the timeout that is set");
        for _ in 0..3 {
            waits.begin(record).unwrap();
        }
        waits.deadline = waits.deadline.map(|deadline| deadline - HOUR / 2);
        waits.begin(record).unwrap();
        assert_eq!(waits.end(Ok(7), record).unwrap(), 7);
        let set = set.into_inner();
        assert_eq!(set.len(), 5);
        assert!(set[..4].is_sorted_by(|before, after| before >= after), "{set:?}");
        assert!(set[0] <= HOUR && set[3] <= HOUR / 2);
        assert_eq!(set[4], HOUR);
    }

    #[test]
    fn an_operation_whose_time_is_over_does_not_wait_again() {
        let never = |_| panic!("it is not set");
        let mut waits = TimedWaits::new(Some(Duration::ZERO));
        waits.begin(never).unwrap();
        assert_eq!(waits.begin(never).unwrap_err().kind(), io::ErrorKind::TimedOut);
        let failed: io::Result<()> = Err(io::ErrorKind::TimedOut.into());
        assert!(waits.end(failed, never).is_err());
    }

    #[test]
    fn without_a_limit_there_is_none() {
        let mut waits = TimedWaits::new(None);
        for _ in 0..3 {
            waits.begin(|_| panic!("it is not set")).unwrap();
        }
        waits.end(Ok(()), |_| panic!("it is not set")).unwrap();
    }
}
