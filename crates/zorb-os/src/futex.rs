//! Sleeping until another thread or process changes a word.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use rustix::io::Errno;
use rustix::thread::futex::{self, Flags, Timespec};

use crate::clock::MonotonicTime;

/// Sleeps while `word` has the value `expected`, until [`wake`], a signal or `timeout` (`None`:
/// none). It may wake up spuriously, so the caller checks its condition again.
///
/// `word` may be in memory shared with other processes. One system call; none for a `timeout` of
/// zero.
#[inline]
pub fn wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) {
    if timeout.is_some_and(|timeout| timeout.is_zero()) {
        return;
    }
    let limit = timeout.map(|timeout| Timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(timeout.subsec_nanos()),
    });
    let outcome = futex::wait(word, Flags::empty(), expected, limit.as_ref());
    debug_assert!(
        matches!(outcome, Ok(()) | Err(Errno::AGAIN | Errno::INTR | Errno::TIMEDOUT)),
        "{outcome:?}"
    );
}

/// Sleeps like [`wait`] until an absolute time, so that the time between computing a timeout and
/// the system call does not matter.
#[inline]
pub fn wait_until(word: &AtomicU32, expected: u32, end: MonotonicTime) {
    const SECOND: u64 = 1_000_000_000;
    let end = Timespec {
        tv_sec: i64::try_from(end.as_nanos() / SECOND).unwrap_or(i64::MAX),
        tv_nsec: i64::try_from(end.as_nanos() % SECOND).unwrap_or_default(),
    };
    let outcome = futex::wait_bitset(word, Flags::empty(), expected, Some(&end), NonZeroU32::MAX);
    debug_assert!(
        matches!(outcome, Ok(()) | Err(Errno::AGAIN | Errno::INTR | Errno::TIMEDOUT)),
        "{outcome:?}"
    );
}

/// Wakes all threads that [`wait`] for `word`. One system call.
#[inline]
pub fn wake(word: &AtomicU32) {
    let woken = futex::wake(word, Flags::empty(), i32::MAX.cast_unsigned());
    debug_assert!(woken.is_ok(), "{woken:?}");
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::thread;

    use super::*;

    #[test]
    fn a_sleeper_is_woken() {
        let word = AtomicU32::new(1);
        thread::scope(|scope| {
            scope.spawn(|| {
                while word.load(Ordering::Acquire) == 1 {
                    wait(&word, 1, None);
                }
            });
            word.store(2, Ordering::Release);
            wake(&word);
        });
    }

    #[test]
    fn a_sleep_ends_at_the_given_time() {
        let word = AtomicU32::new(1);
        let moment = MonotonicTime::now() + Duration::from_millis(2);
        wait_until(&word, 2, moment + Duration::from_secs(3600));
        while MonotonicTime::now() < moment {
            wait_until(&word, 1, moment);
        }
        wait_until(&word, 1, MonotonicTime::from_nanos(0));
    }

    #[test]
    fn a_sleep_ends_on_a_change_or_a_timeout() {
        let word = AtomicU32::new(1);
        wait(&word, 2, None);
        wait(&word, 1, Some(Duration::ZERO));
        let start = MonotonicTime::now();
        let limit = Duration::from_millis(2);
        while start.elapsed() < limit {
            wait(&word, 1, Some(limit));
        }
    }
}
