//! The time that a call spends connecting.

use std::cell::Cell;
use std::time::Duration;

use super::longest_wait::FirstAttempt;

/// The time that a call has spent connecting: to one address after another, and after each forward.
#[derive(Debug, Default)]
pub(super) struct ConnectTime {
    spent: Cell<Duration>,
    /// When it had its first connection.
    pub(super) first: FirstAttempt,
}

impl ConnectTime {
    /// The maximum time for the next address: at most `each` for one address, and `all` for all together, which is at
    /// least as long.
    pub(super) fn left(&self, each: Duration, all: Duration) -> Duration {
        all.max(each).saturating_sub(self.spent.get()).min(each)
    }

    /// Adds what an attempt took.
    pub(super) fn spend(&self, spent: Duration) {
        self.spent.set(self.spent.get().saturating_add(spent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_share_one_limit() {
        let seconds = Duration::from_secs;
        let time = ConnectTime::default();
        let left = || time.left(seconds(10), seconds(25));
        assert_eq!(left(), seconds(10));
        time.spend(seconds(10));
        time.spend(seconds(9));
        assert_eq!(left(), seconds(6));
        time.spend(seconds(7));
        assert_eq!(left(), Duration::ZERO);
        assert_eq!(ConnectTime::default().left(seconds(60), seconds(25)), seconds(60));
    }
}
