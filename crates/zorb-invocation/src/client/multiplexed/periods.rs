//! The longest wait of pending requests without a time limit, by the periods in which they began: no request reads a clock
//! for it.

use std::time::Duration;

use crate::client::connection::LastReceived;

/// How many whole periods a request waits at least; it ends in the one after them.
const PERIODS: u32 = 16;

/// A tick of the coarse clock, by which a period may seem shorter than it is.
const TICK: Duration = Duration::from_millis(10);

/// The present period. The reader begins the next one.
#[derive(Debug, Default)]
pub(super) struct Periods {
    pub(super) number: u32,
    began: Option<LastReceived>,
}

/// The length of a period.
pub(super) fn length(longest_wait: Option<Duration>) -> Option<Duration> {
    longest_wait.map(|longest| longest / PERIODS)
}

impl Periods {
    /// How long the reader sleeps until the present period has the `length`; `None` if it has.
    #[inline]
    pub(super) fn rest(&self, length: Duration) -> Option<Duration> {
        self.began.and_then(|began| sleep_of(began.left_of(length)))
    }

    /// Begins the next one; returns its number.
    pub(super) fn begin_next(&mut self) -> u32 {
        self.began = Some(LastReceived::now());
        self.number = self.number.wrapping_add(1);
        self.number
    }
}

/// How long to sleep if this is left of a period; `None` for nothing.
fn sleep_of(left: Duration) -> Option<Duration> {
    Some(left.saturating_add(TICK)).filter(|_| !left.is_zero())
}

/// Whether a request that began in the period `began` has waited long enough in the period `number`.
pub(super) const fn is_late(number: u32, began: u32) -> bool {
    number.wrapping_sub(began) > PERIODS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_waits_for_all_periods_after_its_own() {
        for began in [0, 7, u32::MAX - 3] {
            assert!(!is_late(began, began));
            assert!(!is_late(began.wrapping_add(PERIODS), began));
            assert!(is_late(began.wrapping_add(PERIODS + 1), began));
        }
        assert_eq!(length(Some(Duration::from_secs(16))), Some(Duration::from_secs(1)));
        assert_eq!(length(None), None);
    }

    #[test]
    fn a_period_is_over_after_one_sleep() {
        for left in [Duration::from_nanos(1), TICK, Duration::from_secs(18)] {
            let slept = sleep_of(left).unwrap();
            // The clock may be one tick behind.
            assert_eq!(sleep_of(left.saturating_sub(slept - TICK)), None);
        }
        let (mut periods, hour) = (Periods::default(), Duration::from_secs(3600));
        assert_eq!(periods.rest(hour), None, "the first one has not begun");
        assert_eq!(periods.begin_next(), 1);
        assert!(periods.rest(hour).is_some_and(|rest| rest <= hour + TICK));
        assert_eq!(periods.rest(Duration::ZERO), None);
    }
}
