//! Times of the clock. The arithmetic of `Duration` has a place where it could panic, for nanoseconds above a second.

use core::time::Duration;

const SECOND: u64 = 1_000_000_000;

/// The time in nanoseconds, of which there are 584 years.
fn nanoseconds(time: Duration) -> u64 {
    time.as_secs().saturating_mul(SECOND).saturating_add(u64::from(time.subsec_nanos()))
}

/// The time that is `by` after another one.
pub(crate) fn later(time: Duration, by: Duration) -> Duration {
    Duration::from_nanos(nanoseconds(time).saturating_add(nanoseconds(by)))
}

/// How long it is from one time to another; zero if that was before.
pub(crate) fn between(from: Duration, to: Duration) -> Duration {
    Duration::from_nanos(nanoseconds(to).saturating_sub(nanoseconds(from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_added_and_subtracted() {
        let [short, long] = [Duration::from_millis(1_700), Duration::from_millis(2_600)];
        assert_eq!(later(short, long), Duration::from_millis(4_300));
        assert_eq!(between(short, long), Duration::from_millis(900));
        assert_eq!(between(long, short), Duration::ZERO);
        assert!(later(Duration::MAX, Duration::MAX) > Duration::from_secs(1 << 34));
    }
}
