//! When a server may be started: after a failure later and later, and not too often.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::options::ImrOptions;

/// The period of [`ImrOptions::imr_starts_per_minute`].
const MINUTE: Duration = Duration::from_secs(60);

/// The starts of one server. It reads no clock.
#[derive(Debug, Default)]
pub(crate) struct StartLimits {
    /// The starts of the last minute, the oldest first.
    recent: VecDeque<Instant>,
    /// The failures since the last start that has succeeded.
    failures: u32,
    /// No start before that.
    not_before: Option<Instant>,
    /// No request starts the server before that.
    refused_until: Option<Instant>,
}

impl StartLimits {
    /// How long the next start has to wait from `now` on.
    pub(crate) fn delay(&mut self, options: &ImrOptions, now: Instant) -> Duration {
        while self.recent.front().is_some_and(|start| now.duration_since(*start) >= MINUTE) {
            self.recent.pop_front();
        }
        let most = options.imr_starts_per_minute.max(1);
        let after_others = self.recent.len().checked_sub(most).and_then(|first| {
            let start = self.recent.get(first)?;
            Some(*start + MINUTE)
        });
        let until = after_others.into_iter().chain(self.not_before).max();
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    /// A process is started.
    pub(crate) fn started(&mut self, now: Instant) {
        self.recent.push_back(now);
    }

    /// Forgets failures: a start has succeeded, or an administrator starts the server.
    pub(crate) fn clear_failures(&mut self) {
        (self.failures, self.not_before, self.refused_until) = (0, None, None);
    }

    /// The start has failed.
    pub(crate) fn failed(&mut self, options: &ImrOptions, now: Instant) {
        let factor = 1u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        let wait = options.imr_back_off.saturating_mul(factor).min(options.imr_max_back_off);
        self.failures = self.failures.saturating_add(1);
        self.not_before = now.checked_add(wait);
    }

    /// As many starts have failed as the server's limit permits.
    pub(crate) fn give_up(&mut self, options: &ImrOptions, now: Instant) {
        self.refused_until = now.checked_add(options.imr_max_back_off);
    }

    /// Whether requests are refused.
    pub(crate) fn refuses(&self, now: Instant) -> bool {
        self.refused_until.is_some_and(|until| now < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn failures_delay_starts_longer_and_longer() {
        let (options, now) = (ImrOptions::default(), Instant::now());
        let mut limits = StartLimits::default();
        let mut delays = Vec::new();
        for _ in 0..9 {
            delays.push(limits.delay(&options, now).as_millis());
            limits.failed(&options, now);
        }
        assert_eq!(delays, [0, 100, 200, 400, 800, 1600, 3200, 6400, 10_000]);
        assert_eq!(limits.delay(&options, now + 9_999 * MS), MS);
        limits.clear_failures();
        assert_eq!(limits.delay(&options, now), Duration::ZERO);
    }

    #[test]
    fn a_minute_has_room_for_some_starts() {
        let (mut options, now) = (ImrOptions::default(), Instant::now());
        options.imr_starts_per_minute = 3;
        let mut limits = StartLimits::default();
        for start in 0..3 {
            assert_eq!(limits.delay(&options, now + start * MS), Duration::ZERO);
            limits.started(now + start * MS);
        }
        assert_eq!(limits.delay(&options, now + 10 * MS), MINUTE - 10 * MS);
        assert_eq!(limits.delay(&options, now + MINUTE), Duration::ZERO);
        limits.started(now + MINUTE);
        assert_eq!(limits.delay(&options, now + MINUTE), MS);
    }

    #[test]
    fn requests_are_refused_for_a_while_after_all_starts_have_failed() {
        let (options, now) = (ImrOptions::default(), Instant::now());
        let mut limits = StartLimits::default();
        assert!(!limits.refuses(now));
        limits.give_up(&options, now);
        assert!(limits.refuses(now + options.imr_max_back_off - MS));
        assert!(!limits.refuses(now + options.imr_max_back_off));
        limits.give_up(&options, now);
        limits.clear_failures();
        assert!(!limits.refuses(now));
    }
}
