//! The limit of the octets of large requests to an endpoint.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Requests up to this size do not count, so that most calls pay nothing. Their number is limited.
pub(super) const UNCOUNTED: usize = 64 << 10;

/// The octets of requests that are being sent to an endpoint, or wait for their replies.
#[derive(Debug)]
pub(super) struct RequestOctets {
    sum: AtomicUsize,
    most: usize,
}

/// The octets of one of them, until dropped.
#[derive(Debug)]
pub(super) struct CountedOctets {
    of: Arc<RequestOctets>,
    octets: usize,
}

impl RequestOctets {
    pub(super) const fn new(most: usize) -> Self {
        Self { sum: AtomicUsize::new(0), most }
    }

    /// Counts the octets of a request, if they are within the limit or there is no other.
    pub(super) fn enter(self: &Arc<Self>, octets: usize) -> Option<CountedOctets> {
        let add = |sum: usize| {
            let more = sum.saturating_add(octets);
            (sum == 0 || more <= self.most).then_some(more)
        };
        let entered = self.sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        entered.ok().map(|_| CountedOctets { of: Arc::clone(self), octets })
    }
}

impl Drop for CountedOctets {
    fn drop(&mut self) {
        self.of.sum.fetch_sub(self.octets, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_count_until_they_end_and_a_larger_one_goes_alone() {
        let all = Arc::new(RequestOctets::new(10));
        let first = all.enter(6).unwrap();
        assert!(all.enter(5).is_none() && all.enter(usize::MAX).is_none());
        let second = all.enter(4).unwrap();
        assert!(all.enter(1).is_none());
        drop(first);
        assert!(all.enter(6).is_some());
        assert!(all.enter(11).is_none());
        drop(second);
        let large = all.enter(11).unwrap();
        assert!(all.enter(1).is_none());
        drop(large);
        assert!(all.enter(10).is_some());
    }
}
