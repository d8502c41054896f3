//! Counts what limits the scaling of calls to many processors: locks, switches between threads, and writes to
//! memory that connections share.
//!
//! Builds with debug assertions count, so that tests can check a call; in other builds [`CallCounts::now`] is
//! all zeros.
//!
//! ```
//! # use zorb_base as zorb;
//! use zorb::counters::CallCounts;
//!
//! let before = CallCounts::now();
//! // ... calls ...
//! let used = CallCounts::now().since(before);
//! assert_eq!(used.contended, 0);
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use zorb_os::lock::{Lock, Locked};

/// Whether this build counts.
pub const COUNTING: bool = cfg!(debug_assertions);

/// The counts of all ORBs of the process, on the paths that every call takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallCounts {
    /// Locks taken by clients.
    pub client_locks: u64,
    /// Locks taken by server threads.
    pub server_locks: u64,
    /// Locks of either side that another thread held.
    pub contended: u64,
    /// How often a thread passed work on to another one: a reply, a connection, or the leader's role.
    pub thread_switches: u64,
    /// Writes to memory that does not belong to one connection or thread.
    pub shared_writes: u64,
}

/// The counters of [`CallCounts`].
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// [`CallCounts::client_locks`].
    ClientLocks,
    /// [`CallCounts::server_locks`].
    ServerLocks,
    /// [`CallCounts::contended`].
    Contended,
    /// [`CallCounts::thread_switches`].
    ThreadSwitches,
    /// [`CallCounts::shared_writes`].
    SharedWrites,
}

static COUNTS: [AtomicU64; 5] = [const { AtomicU64::new(0) }; 5];

/// Increments a counter, if this build counts.
#[inline]
pub fn count(counter: Count) {
    if COUNTING && let Some(number) = COUNTS.get(counter as usize) {
        number.fetch_add(1, Ordering::Relaxed);
    }
}

impl CallCounts {
    /// The counts since the process started; zeros if this build does not count.
    #[must_use]
    pub fn now() -> Self {
        let read = |counter: Count| {
            COUNTS.get(counter as usize).map_or(0, |number| number.load(Ordering::Relaxed))
        };
        Self {
            client_locks: read(Count::ClientLocks),
            server_locks: read(Count::ServerLocks),
            contended: read(Count::Contended),
            thread_switches: read(Count::ThreadSwitches),
            shared_writes: read(Count::SharedWrites),
        }
    }

    /// The difference to the `earlier` counts.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            client_locks: self.client_locks - earlier.client_locks,
            server_locks: self.server_locks - earlier.server_locks,
            contended: self.contended - earlier.contended,
            thread_switches: self.thread_switches - earlier.thread_switches,
            shared_writes: self.shared_writes - earlier.shared_writes,
        }
    }
}

/// A lock on the path of calls, whose use is counted.
#[derive(Debug)]
pub struct CallLock<T> {
    lock: Lock<T>,
    counted: Count,
}

impl<T> CallLock<T> {
    /// Creates a lock that increments `counted` when it is taken.
    pub const fn new(counted: Count, value: T) -> Self {
        Self { lock: Lock::new(value), counted }
    }

    /// Locks the value. Panics of other holders do not poison it.
    #[inline]
    pub fn lock(&self) -> Locked<'_, T> {
        if COUNTING {
            count(self.counted);
            match self.lock.try_lock() {
                Some(value) => return value,
                None => count(Count::Contended),
            }
        }
        self.lock.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Other tests of this process increment the counters, too: only lower bounds are certain.
    #[test]
    fn locks_are_counted_if_the_build_counts() {
        let before = CallCounts::now();
        let lock = CallLock::new(Count::ClientLocks, 5);
        *lock.lock() += 1;
        assert_eq!(*lock.lock(), 6);
        std::thread::scope(|scope| {
            let held = lock.lock();
            let waiting = scope.spawn(|| *lock.lock());
            while COUNTING && CallCounts::now().since(before).contended == 0 {
                std::thread::yield_now();
            }
            drop(held);
            assert_eq!(waiting.join().unwrap(), 6);
        });
        let used = CallCounts::now().since(before);
        assert_eq!(used.client_locks >= 4, COUNTING);
        assert_eq!(used.contended >= 1, COUNTING);
    }
}
