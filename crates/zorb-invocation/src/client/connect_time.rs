//! The time for connecting to an object that has several addresses.

use std::time::Duration;

/// The time for connecting to one address after another.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectTime {
    each: Duration,
    left: Duration,
}

impl ConnectTime {
    /// At most `each` for one address, and `all` for all together, which is at least as long.
    pub(super) fn new(each: Duration, all: Duration) -> Self {
        Self { each, left: all.max(each) }
    }

    /// The maximum time for the next address.
    pub(super) fn next(&self) -> Duration {
        self.each.min(self.left)
    }

    /// Subtracts what an attempt took; returns whether there is time for another.
    pub(super) fn spend(&mut self, spent: Duration) -> bool {
        self.left = self.left.saturating_sub(spent);
        !self.left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_share_one_limit() {
        let seconds = Duration::from_secs;
        let mut time = ConnectTime::new(seconds(10), seconds(25));
        assert_eq!(time.next(), seconds(10));
        assert!(time.spend(seconds(10)));
        assert!(time.spend(seconds(9)));
        assert_eq!(time.next(), seconds(6));
        assert!(!time.spend(seconds(7)));
        assert_eq!(ConnectTime::new(seconds(60), seconds(25)).next(), seconds(60));
    }
}
