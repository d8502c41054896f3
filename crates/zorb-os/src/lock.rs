//! Values that threads of different priorities share, and waiting for them to change.
//!
//! What `std::sync` has for it knows nothing of priorities: a thread that waits for its mutex waits for
//! every thread that keeps the holder from running. Here the holder inherits.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::thread::futex::{self, Flags, Timespec};

pub use crate::sys::lock::{Lock, Locked};

/// Something that threads wait to be told of, the value of a [`Lock`] given back meanwhile. Of those
/// that wait the most urgent is told first.
///
/// Telling costs a system call if a thread waits, else none.
#[derive(Debug, Default)]
pub struct Condition {
    /// Changes when somebody is told.
    told: AtomicU32,
    /// How many wait. Changed by threads that have the value.
    waiting: AtomicU32,
}

impl Condition {
    /// One that nobody waits for.
    #[must_use]
    pub const fn new() -> Self {
        Self { told: AtomicU32::new(0), waiting: AtomicU32::new(0) }
    }

    /// Waits to be told; may wake for no reason.
    pub fn wait<'l, T>(&self, value: Locked<'l, T>) -> Locked<'l, T> {
        self.wait_at_most(value, None)
    }

    /// The same for no longer than `limit`.
    pub fn wait_for<'l, T>(&self, value: Locked<'l, T>, limit: Duration) -> Locked<'l, T> {
        self.wait_at_most(value, Some(limit))
    }

    /// The same for no longer than `limit`, and for as long as `goes_on` says so of the value.
    pub fn wait_while<'l, T>(
        &self,
        mut value: Locked<'l, T>,
        limit: Duration,
        mut goes_on: impl FnMut(&mut T) -> bool,
    ) -> Locked<'l, T> {
        let begun = Instant::now();
        while goes_on(&mut value) {
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
        // Both while it has the value: who changes it later sees that somebody waits, and what is told
        // then is not what has been seen here.
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let seen = self.told.load(Ordering::Relaxed);
        drop(value);
        // Whatever ends it, the caller looks again.
        let _ = futex::wait(&self.told, Flags::PRIVATE, seen, limit.as_ref());
        let value = lock.lock();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        value
    }

    /// Wakes the most urgent of those that wait for a change that has been made to the value.
    pub fn tell_one(&self) {
        self.tell(1);
    }

    /// Wakes all of them.
    pub fn tell_all(&self) {
        self.tell(i32::MAX.cast_unsigned());
    }

    fn tell(&self, most: u32) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.told.fetch_add(1, Ordering::Relaxed);
            let woken = futex::wake(&self.told, Flags::PRIVATE, most);
            debug_assert!(woken.is_ok(), "{woken:?}");
        }
    }
}

#[cfg(test)]
mod tests;
