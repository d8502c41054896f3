//! The limit of calls that have no other: the option `MaxReplyWait`.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::connection::{LastReceived, NoReply};
use super::time_limit::TimeLimit;

/// The maximum time by which such a wait may exceed its limit. A reply that takes as long may set a timeout of the stream
/// for each further piece: that is a system call, of less than a microsecond.
const MAX_EXCESS: Duration = Duration::from_millis(10);

/// The wait of a call whose reply does not arrive at once and whole. A call with a time limit ends by that, others by the
/// longest time that calls wait.
///
/// An exclusive connection has the longest time as the timeout of its stream while a call without a limit uses it: such a
/// call reads no clock unless its reply comes in pieces, and sets no other timeout unless these take longer than
/// [`MAX_EXCESS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    own: TimeLimit,
    longest: Option<Duration>,
    begun: LastReceived,
}

impl Wait {
    /// The wait since `begun` of a call with a limit of its `own`, or of none.
    pub(super) const fn since(
        begun: LastReceived,
        own: TimeLimit,
        longest: Option<Duration>,
    ) -> Self {
        Self { own, longest, begun }
    }

    /// The longest time; `None` if another limit, or none, applies.
    #[inline]
    fn applying(&self) -> Option<Duration> {
        self.longest.filter(|_| self.own.deadline().is_none())
    }

    /// When it ends; `None` for no limit.
    pub(super) fn deadline(&self) -> Option<Instant> {
        // A limit beyond the range of the clock is no limit.
        let left = || Some(self.begun.left_of(self.applying()?));
        self.own.deadline().or_else(|| Instant::now().checked_add(left()?))
    }

    /// The limit of the next receiving, which begins `now`; without one, the timeout of the stream applies.
    ///
    /// # Errors
    /// The longest time is over.
    #[inline]
    pub(super) fn next_at(&self, now: LastReceived) -> Result<TimeLimit, NoReply> {
        match self.applying() {
            Some(longest) if self.begun.is_older_at(now, MAX_EXCESS.min(longest / 16)) => {
                self.rest(now, longest)
            }
            _ => Ok(self.own),
        }
    }

    /// The same for receiving that begins now.
    pub(super) fn next(&self) -> Result<TimeLimit, NoReply> {
        self.next_at(LastReceived::now())
    }

    #[cold]
    fn rest(&self, now: LastReceived, longest: Duration) -> Result<TimeLimit, NoReply> {
        match self.begun.left_of_at(now, longest) {
            Duration::ZERO => Err(NoReply::TimedOut),
            left => Ok(TimeLimit::new(Some(left))),
        }
    }
}

/// When the first attempt of a call had its connection, once that attempt has not completed the call: the longest wait is
/// for all attempts together.
#[derive(Debug, Default)]
pub(super) struct FirstAttempt(Cell<Option<LastReceived>>);

impl FirstAttempt {
    /// Notes that an attempt has not completed the call. It had its connection since `begun`.
    #[cold]
    pub(super) fn note(&self, begun: LastReceived) {
        if self.0.get().is_none() {
            self.0.set(Some(begun));
        }
    }

    /// What it has left of the `longest` wait to further attempts.
    pub(super) fn rest(&self, longest: Option<Duration>) -> TimeLimit {
        match self.0.get().zip(longest) {
            Some((begun, longest)) => TimeLimit::of_rest(longest, begun.left_of(longest)),
            None => TimeLimit::NONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_limit_of_the_call_comes_first() {
        let now = LastReceived::now();
        let wait = Wait::since(now, TimeLimit::new(Some(HOUR)), Some(Duration::ZERO));
        assert!(wait.deadline().is_some_and(|end| end > Instant::now()));
        assert_eq!(wait.next().unwrap().timeout(), Some(HOUR));
        let endless = Wait::since(now, TimeLimit::NONE, None);
        assert_eq!(endless.deadline(), None);
        assert_eq!(endless.next().unwrap().timeout(), None);
    }

    #[test]
    fn further_attempts_have_what_the_first_one_has_left() {
        let first = FirstAttempt::default();
        assert_eq!(first.rest(Some(HOUR)).deadline(), None, "it has not had a connection");
        first.note(LastReceived::long_ago());
        first.note(LastReceived::now());
        assert_eq!(first.rest(None).deadline(), None);
        let runs = LastReceived::long_ago().left_of(Duration::MAX);
        let over = first.rest(Some((Duration::MAX - runs) / 2));
        assert!(over.deadline().is_some_and(|end| end <= Instant::now()));
        assert!(over.next_wait().is_err());
        let longest = (Duration::MAX - runs) * 2;
        let half = first.rest(Some(longest));
        assert_eq!(half.timeout(), Some(longest));
        assert!(half.next_wait().unwrap().unwrap() <= longest / 2);
    }

    #[test]
    fn the_longest_wait_ends() {
        let since = |begun, longest| Wait::since(begun, TimeLimit::NONE, Some(longest));
        let begun = since(LastReceived::now(), HOUR);
        assert_eq!(begun.next().unwrap().timeout(), None, "that of the stream");
        assert!(begun.deadline().is_some_and(|end| end > Instant::now() + HOUR / 2));
        let over = since(LastReceived::long_ago(), Duration::from_nanos(1));
        assert!(matches!(over.next(), Err(NoReply::TimedOut)));
        assert!(over.deadline().is_some_and(|end| end <= Instant::now()));
        // The machine has run for longer than a wait may exceed its limit.
        let runs = LastReceived::long_ago().left_of(Duration::MAX);
        let much = since(LastReceived::long_ago(), (Duration::MAX - runs) * 100);
        assert!(much.next().unwrap().timeout().is_some());
        // As long again as the machine runs.
        let runs = LastReceived::long_ago().left_of(Duration::MAX);
        let half = since(LastReceived::long_ago(), (Duration::MAX - runs) * 2);
        let left = half.next().unwrap().timeout().unwrap();
        assert!(left <= Duration::MAX - runs, "{left:?}");
    }
}
