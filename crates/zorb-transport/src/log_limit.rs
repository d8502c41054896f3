//! Limits the rate of log messages that peers can cause.

/// Logs at a level of `tracing`, from this line of code at most once a second; the field `unlogged` is the number of messages
/// that were left out before, if there are any. For what peers can cause at will.
///
/// ```
/// # fn f(peer: &str) {
/// zorb_transport::log_limited!(warn, peer, "protocol error");
/// # }
/// ```
#[macro_export]
macro_rules! log_limited {
    ($level:ident, $($message:tt)+) => {{
        static LIMIT: $crate::LogLimit = $crate::LogLimit::new();
        if let Some(unlogged) = LIMIT.admit() {
            tracing::$level!(unlogged, $($message)+);
        }
    }};
}

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use zorb_os::lock::Lock;

/// The time between two messages.
const INTERVAL: Duration = Duration::from_secs(1);

/// Limits the messages about one kind of event to one a second, each with the number of those left out before it.
#[derive(Debug, Default)]
pub struct LogLimit(Lock<Messages>);

#[derive(Debug, Default)]
struct Messages {
    last: Option<Instant>,
    unlogged: u64,
}

impl LogLimit {
    /// Of no messages yet.
    pub const fn new() -> Self {
        Self(Lock::new(Messages { last: None, unlogged: 0 }))
    }

    /// Counts an event. Returns whether to log it: with the number of events since the last message that were not logged, if
    /// there are any.
    pub fn admit(&self) -> Option<Option<NonZeroU64>> {
        self.admit_at(Instant::now())
    }

    fn admit_at(&self, now: Instant) -> Option<Option<NonZeroU64>> {
        let mut messages = self.0.lock();
        if messages.last.is_some_and(|last| now.saturating_duration_since(last) < INTERVAL) {
            messages.unlogged += 1;
            return None;
        }
        messages.last = Some(now);
        Some(NonZeroU64::new(std::mem::take(&mut messages.unlogged)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_events_is_logged_each_second() {
        let limit = LogLimit::default();
        let start = Instant::now();
        let logged: Vec<_> =
            (0..3000).filter_map(|ms| limit.admit_at(start + Duration::from_millis(ms))).collect();
        let some = NonZeroU64::new(999);
        assert_eq!(logged, [None, some, some]);
        assert_eq!(limit.admit_at(start + Duration::from_secs(60)), Some(some));
        assert_eq!(limit.admit_at(start + Duration::from_secs(61)), Some(None));
    }
}
