//! Locks with priority inheritance, and condition variables.
//!
//! The locks of `std::sync` ignore priorities: a thread that waits for one waits for every thread
//! that preempts the holder. Here the holder inherits the priority of the waiting thread.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::thread::futex::{self, Flags, Timespec};

pub use crate::sys::lock::{Lock, Locked};

/// A condition variable for values in a [`Lock`]. Notifies the waiting thread of the highest
/// priority first.
///
/// A notification costs a system call if a thread waits, otherwise none.
#[derive(Debug, Default)]
pub struct Condition {
    /// Changes with every notification.
    sequence: AtomicU32,
    /// The number of waiting threads. Changed by threads that hold the lock.
    waiting: AtomicU32,
}

impl Condition {
    /// A condition variable without waiting threads.
    #[must_use]
    pub const fn new() -> Self {
        Self { sequence: AtomicU32::new(0), waiting: AtomicU32::new(0) }
    }

    /// Whether a thread waits. Exact if the calling thread holds the lock.
    #[inline]
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Releases the lock and waits for a notification; may wake up spuriously.
    pub fn wait<'l, T>(&self, value: Locked<'l, T>) -> Locked<'l, T> {
        self.wait_at_most(value, None)
    }

    /// Waits like [`wait`](Self::wait), up to `limit`.
    pub fn wait_for<'l, T>(&self, value: Locked<'l, T>, limit: Duration) -> Locked<'l, T> {
        self.wait_at_most(value, Some(limit))
    }

    /// Waits up to `limit` while `condition` is true for the value.
    pub fn wait_while<'l, T>(
        &self,
        mut value: Locked<'l, T>,
        limit: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> Locked<'l, T> {
        let begun = Instant::now();
        while condition(&mut value) {
            let left = limit.saturating_sub(begun.elapsed());
            if left.is_zero() {
                break;
            }
            value = self.wait_for(value, left);
        }
        value
    }

    fn wait_at_most<'l, T>(&self, value: Locked<'l, T>, limit: Option<Duration>) -> Locked<'l, T> {
        let lock = value.origin();
        let limit = limit.map(|limit| Timespec {
            tv_sec: i64::try_from(limit.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(limit.subsec_nanos()),
        });
        // Both while holding the lock: a thread that changes the value later sees the waiting
        // thread, and its notification changes the word loaded here.
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let seen = self.sequence.load(Ordering::Relaxed);
        drop(value);
        // The caller checks the value again in any case.
        let _ = futex::wait(&self.sequence, Flags::PRIVATE, seen, limit.as_ref());
        let value = lock.lock();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        value
    }

    /// Wakes the waiting thread of the highest priority.
    pub fn notify_one(&self) {
        self.notify(1);
    }

    /// Wakes all waiting threads.
    pub fn notify_all(&self) {
        self.notify(i32::MAX.cast_unsigned());
    }

    fn notify(&self, most: u32) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.sequence.fetch_add(1, Ordering::Relaxed);
            let woken = futex::wake(&self.sequence, Flags::PRIVATE, most);
            debug_assert!(woken.is_ok(), "{woken:?}");
        }
    }
}

#[cfg(test)]
mod tests;
