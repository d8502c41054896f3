//! The time by which leases end.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Counts milliseconds since 1970. While it runs, changes of the system's time do not change it: leases neither end early
/// nor last longer. Only the next run has the system's time again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
    started_at: u64,
}

impl Clock {
    /// A clock with the system's time.
    pub(crate) fn new() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let started_at = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        Self { started: Instant::now(), started_at }
    }

    pub(crate) fn now(self) -> u64 {
        let passed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.started_at.saturating_add(passed)
    }
}
