//! When an endpoint that could not be reached is tried again: exponential back-off with jitter.

use std::time::{Duration, Instant};

use zorb_os::random;

/// The times between attempts to connect to an endpoint that cannot be reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReconnectDelays {
    /// After the first attempt; zero for none.
    pub(crate) first: Duration,
    /// At most, after several attempts.
    pub(crate) longest: Duration,
}

/// When an endpoint is tried again.
///
/// After each failure the time until the next attempt doubles, up to a maximum. It varies at random between half and
/// all of that, so that the clients of a server that restarts do not come all at once. After the first attempt in vain,
/// one caller at a time tries; a success ends that.
#[derive(Debug)]
pub(super) struct Reconnecting {
    /// The number of successive failures.
    failures: u32,
    /// When the last failure was recorded.
    failed: Option<Instant>,
    /// The earliest time of the next attempt.
    next: Option<Instant>,
    random: u64,
}

impl Default for Reconnecting {
    fn default() -> Self {
        Self::seeded(random::number())
    }
}

impl Reconnecting {
    fn seeded(seed: u64) -> Self {
        Self { failures: 0, failed: None, next: None, random: seed | 1 }
    }

    /// How long an attempt has to wait at the time `now`; `None` if it may begin.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        self.next.filter(|next| now < *next).map(|next| next - now)
    }

    /// Begins an attempt at the time `now`, which need not [wait](Self::wait) any more.
    pub(super) fn begin(&mut self, now: Instant, delays: ReconnectDelays) {
        if self.next.is_some() {
            // Others wait as if it had failed.
            self.next = self.after(now, self.failures + 1, delays);
        }
    }

    /// Ends an attempt that has begun, but not come to connecting: another may begin at the time `now`.
    pub(super) fn withdraw(&mut self, now: Instant) {
        if self.next.is_some() {
            self.next = Some(now);
        }
    }

    /// Records that the attempt that began at `begun` has failed at the time `now`. Of attempts at the same time, one
    /// counts.
    pub(super) fn failed(&mut self, begun: Instant, now: Instant, delays: ReconnectDelays) {
        if self.failed.is_some_and(|failed| begun < failed) {
            return;
        }
        self.failures = self.failures.saturating_add(1);
        self.failed = Some(now);
        self.next = self.after(now, self.failures, delays);
    }

    /// Records a success; returns whether the endpoint could not be reached before.
    pub(super) fn succeeded(&mut self) -> bool {
        self.failed = None;
        self.next = None;
        std::mem::take(&mut self.failures) > 0
    }

    /// The time of the attempt after `failures` failures, the last one at `now`.
    fn after(&mut self, now: Instant, failures: u32, delays: ReconnectDelays) -> Option<Instant> {
        let doubled = 1_u32.checked_shl(failures - 1).unwrap_or(u32::MAX);
        let delay = delays.first.saturating_mul(doubled).min(delays.longest);
        let nanos = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
        let least = nanos / 2;
        let jitter = self.next_random().checked_rem(nanos - least + 1).unwrap_or_default();
        (nanos > 0).then(|| now + Duration::from_nanos(least + jitter))
    }

    /// Xorshift, which is random enough to spread attempts.
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAYS: ReconnectDelays =
        ReconnectDelays { first: Duration::from_millis(10), longest: Duration::from_secs(1) };

    /// The times between the attempts of a client that has nothing else to do, all of which fail at once.
    fn waits(seed: u64, attempts: usize) -> Vec<Duration> {
        let mut reconnecting = Reconnecting::seeded(seed);
        let mut now = Instant::now();
        let attempt = |_| {
            let mut waited = Duration::ZERO;
            while let Some(wait) = reconnecting.wait(now) {
                waited += wait;
                now += wait;
            }
            reconnecting.begin(now, DELAYS);
            reconnecting.failed(now, now, DELAYS);
            waited
        };
        (0..attempts).map(attempt).collect()
    }

    #[test]
    fn times_between_attempts_double_up_to_the_longest_and_vary() {
        let waits = [1, 3, 5].map(|seed| waits(seed, 12));
        for waits in &waits {
            assert_eq!(waits[0], Duration::ZERO);
            for (number, wait) in waits.iter().enumerate().skip(1) {
                let most = (DELAYS.first * (1 << (number - 1))).min(DELAYS.longest);
                assert!(*wait >= most / 2 && *wait <= most, "{number}: {wait:?}");
            }
        }
        assert_ne!(waits[0], waits[1]);
        assert_ne!(waits[1], waits[2]);
        assert_eq!(self::waits(5, 12), waits[2], "a seed determines them");
    }

    #[test]
    fn one_caller_at_a_time_tries_until_one_succeeds() {
        let mut reconnecting = Reconnecting::seeded(7);
        let start = Instant::now();
        // Nobody waits before the first failure, and simultaneous failures count once.
        for _ in 0..3 {
            assert_eq!(reconnecting.wait(start), None);
            reconnecting.begin(start, DELAYS);
            reconnecting.withdraw(start);
        }
        let failed = start + Duration::from_millis(1);
        for _ in 0..3 {
            reconnecting.failed(start, failed, DELAYS);
        }
        assert_eq!(reconnecting.failures, 1);
        let later = failed + DELAYS.first;
        assert_eq!(reconnecting.wait(later), None);
        reconnecting.begin(later, DELAYS);
        let wait = reconnecting.wait(later).unwrap();
        assert!(wait >= DELAYS.first && wait <= DELAYS.first * 2, "{wait:?}");
        reconnecting.withdraw(later);
        assert_eq!(reconnecting.wait(later), None, "the attempt came to nothing");
        reconnecting.begin(later, DELAYS);
        assert!(reconnecting.wait(later).is_some());
        assert!(reconnecting.succeeded());
        assert!(!reconnecting.succeeded());
        for _ in 0..2 {
            assert_eq!(reconnecting.wait(later), None);
            reconnecting.begin(later, DELAYS);
        }
    }

    #[test]
    fn without_delays_nobody_waits() {
        let none = ReconnectDelays { first: Duration::ZERO, ..DELAYS };
        let mut reconnecting = Reconnecting::seeded(7);
        let now = Instant::now();
        for _ in 0..100 {
            assert_eq!(reconnecting.wait(now), None);
            reconnecting.begin(now, none);
            reconnecting.failed(now, now, none);
        }
    }
}
