//! The monotonic clock in nanoseconds.

use std::ops::{Add, Sub};
use std::time::Duration;

use crate::sys;

/// A time on the machine's monotonic clock, in nanoseconds since a moment before the process
/// started.
///
/// Unlike [`std::time::Instant`] it is a number, which can be stored in an atomic, sent through
/// shared memory to another process of the same boot, or simulated by a test. It covers 584 years.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MonotonicTime(u64);

impl MonotonicTime {
    /// The current time. Reads memory shared by the kernel, without a system call.
    #[must_use]
    pub fn now() -> Self {
        Self(sys::clock::monotonic_nanos())
    }

    /// The time of the system's last tick, up to some milliseconds ago. It costs a fraction of
    /// [`now`](Self::now), which reads the processor's counter. Use it for frequent checks of long
    /// intervals, and do not compare it with `now`.
    #[must_use]
    pub fn coarse() -> Self {
        Self(sys::clock::coarse_monotonic_nanos())
    }

    /// The time `nanos` nanoseconds after the start of the clock.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start of the clock.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Nanoseconds from `earlier` to this time; 0 if `earlier` is later.
    #[must_use]
    pub const fn nanos_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The duration from `earlier` to this time; zero if `earlier` is later.
    #[must_use]
    pub const fn duration_since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.nanos_since(earlier))
    }

    /// The duration from this time to now.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Self::now().duration_since(self)
    }

    /// The duration from now to this time; zero if it has passed.
    #[must_use]
    pub fn time_left(self) -> Duration {
        self.duration_since(Self::now())
    }
}

/// The processor time that the calling thread has used. One system call.
#[must_use]
pub fn thread_time() -> Duration {
    Duration::from_nanos(sys::clock::thread_nanos())
}

/// The processor's cycle counter. It is cheaper to read than [`MonotonicTime`], but its frequency
/// is unknown and has to be calibrated. On processors without a known counter: nanoseconds.
#[inline]
#[must_use]
pub fn ticks() -> u64 {
    sys::clock::ticks()
}

impl Add<Duration> for MonotonicTime {
    type Output = Self;

    /// The time `duration` later, or the maximum on overflow.
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub for MonotonicTime {
    type Output = Duration;

    /// See [`duration_since`](Self::duration_since).
    fn sub(self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_monotonic() {
        let mut last = MonotonicTime::now();
        for _ in 0..10_000 {
            let now = MonotonicTime::now();
            assert!(now >= last);
            last = now;
        }
        assert!(last.as_nanos() > 0);
    }

    #[test]
    fn the_coarse_clock_is_at_most_some_ticks_behind() {
        let before = MonotonicTime::coarse();
        let now = MonotonicTime::now();
        assert!(before <= now);
        let long = Duration::from_secs(3600);
        assert!(now - before < long, "both clocks have the same origin");
    }

    #[test]
    fn a_threads_time_passes_with_its_work() {
        let before = thread_time();
        let mut after = before;
        while after == before {
            after = thread_time();
        }
        assert!(after > before);
        let other = std::thread::spawn(thread_time).join().unwrap();
        assert!(other > Duration::ZERO, "each thread has its own clock");
    }

    #[test]
    fn arithmetic_stops_at_the_ends() {
        let start = MonotonicTime::from_nanos(5);
        assert_eq!((start + Duration::from_nanos(7)).as_nanos(), 12);
        assert_eq!((start + Duration::MAX).as_nanos(), u64::MAX);
        assert_eq!(start - MonotonicTime::from_nanos(9), Duration::ZERO);
        assert_eq!(MonotonicTime::from_nanos(9) - start, Duration::from_nanos(4));
        assert_eq!(MonotonicTime::from_nanos(0).time_left(), Duration::ZERO);
    }
}
