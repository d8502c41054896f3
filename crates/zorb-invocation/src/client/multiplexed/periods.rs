//! The longest wait of pending requests without a time limit, by the periods in which they began: no request reads a clock
//! for it.

use std::time::Duration;

use crate::client::connection::LastReceived;

/// How many whole periods a request waits at least; it ends in the one after them.
const PERIODS: u32 = 16;

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
    /// Whether the present period has the `length`.
    #[inline]
    pub(super) fn is_over(&self, length: Duration) -> bool {
        self.began.is_none_or(|began| began.is_older_than(length))
    }

    /// Begins the next one; returns its number.
    pub(super) fn begin_next(&mut self) -> u32 {
        self.began = Some(LastReceived::now());
        self.number = self.number.wrapping_add(1);
        self.number
    }
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
}
