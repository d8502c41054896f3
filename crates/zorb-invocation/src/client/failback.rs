//! When calls that use a later address of a reference try the earlier ones again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use zorb_os::clock::MonotonicTime;

/// When calls go back to the first address of a reference.
#[derive(Debug, Default)]
pub(super) struct Failback {
    /// The time from the beginning of the use of a later address; `None` for never.
    after: Option<Duration>,
    /// In nanoseconds of the coarse clock.
    due: AtomicU64,
}

impl Failback {
    pub(super) fn after(after: Option<Duration>) -> Self {
        Self { after, due: AtomicU64::new(u64::MAX) }
    }

    /// A later address, or the first, is used from now on.
    #[cold]
    pub(super) fn start(&self) {
        self.start_at(MonotonicTime::coarse());
    }

    /// Whether to try the first address.
    pub(super) fn is_due(&self) -> bool {
        let due = self.due.load(Ordering::Relaxed);
        due != u64::MAX && MonotonicTime::coarse().as_nanos() >= due
    }

    /// Whether the caller is the one that tries the first address, if it is time to. The next time is later, so that
    /// other calls go on with the address that works.
    #[cold]
    pub(super) fn begin(&self) -> bool {
        self.begin_at(MonotonicTime::coarse())
    }

    fn start_at(&self, now: MonotonicTime) {
        self.due.store(self.next(now), Ordering::Relaxed);
    }

    fn begin_at(&self, now: MonotonicTime) -> bool {
        let due = self.due.load(Ordering::Relaxed);
        let next = self.next(now);
        let order = Ordering::Relaxed;
        now.as_nanos() >= due && self.due.compare_exchange(due, next, order, order).is_ok()
    }

    fn next(&self, now: MonotonicTime) -> u64 {
        self.after.map_or(u64::MAX, |after| (now + after).as_nanos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_tries_the_first_address_each_time() {
        let minute = Duration::from_secs(60);
        let failback = Failback::after(Some(minute));
        let start = MonotonicTime::from_nanos(1);
        assert!(!failback.begin_at(start), "nothing has failed");
        failback.start_at(start);
        assert!(!failback.begin_at(start + minute / 2));
        let due = start + minute;
        assert!(failback.begin_at(due));
        assert!(!failback.begin_at(due), "another caller");
        assert!(!failback.begin_at(due + minute / 2));
        assert!(failback.begin_at(due + minute));
    }

    #[test]
    fn without_a_time_calls_stay() {
        let never = Failback::after(None);
        never.start_at(MonotonicTime::from_nanos(1));
        assert!(!never.begin_at(MonotonicTime::from_nanos(u64::MAX - 1)));
    }
}
