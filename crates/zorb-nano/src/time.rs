//! Times of the clock. The arithmetic of `Duration` has a place where it could panic, for nanoseconds above a second, and takes
//! several times the instructions of whole nanoseconds.

use core::time::Duration;

use crate::Os;

const SECOND: u64 = 1_000_000_000;

/// A time of the clock in nanoseconds. The range is 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(u64);

fn nanoseconds(time: Duration) -> u64 {
    time.as_secs().saturating_mul(SECOND).saturating_add(u64::from(time.subsec_nanos()))
}

impl Moment {
    /// The time when the clock was 0.
    pub(crate) const ZERO: Self = Self(0);

    pub(crate) fn now(os: &mut impl Os) -> Self {
        Self(nanoseconds(os.now()))
    }

    /// The time that is `by` after this one.
    pub(crate) fn after(self, by: Duration) -> Self {
        Self(self.0.saturating_add(nanoseconds(by)))
    }

    /// The time that is `by` before this one.
    pub(crate) fn before(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(nanoseconds(by)))
    }

    /// How long it is until another time; zero if that was before.
    pub(crate) fn until(self, to: Self) -> Duration {
        Duration::from_nanos(to.0.saturating_sub(self.0))
    }

    /// Whether another time comes before `span` has passed.
    pub(crate) fn is_within(self, span: Duration, to: Self) -> bool {
        to.0.saturating_sub(self.0) < nanoseconds(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_added_and_subtracted() {
        let [short, long] = [Duration::from_millis(1_700), Duration::from_millis(2_600)];
        let at = |time| Moment::ZERO.after(time);
        assert_eq!(at(short).after(long), at(Duration::from_millis(4_300)));
        assert_eq!(at(long).before(short), at(Duration::from_millis(900)));
        assert_eq!(at(short).until(at(long)), Duration::from_millis(900));
        assert_eq!(at(long).until(at(short)), Duration::ZERO);
        assert!(at(short).is_within(Duration::from_millis(901), at(long)));
        assert!(!at(short).is_within(Duration::from_millis(900), at(long)));
        assert!(at(Duration::MAX).after(Duration::MAX) > at(Duration::from_secs(1 << 34)));
    }
}
