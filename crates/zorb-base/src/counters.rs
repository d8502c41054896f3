//! What calls do that costs more on many processors: locks, threads that wait for each other, memory
//! that threads of different connections write.
//!
//! Counted in builds with debug assertions, so that tests can say what a call may do; other builds do
//! not count, and [`CallCounts::now`] is all zeros there.
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

/// How often the process's ORBs did these things, on the paths that every call takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallCounts {
    /// Locks that callers took.
    pub client_locks: u64,
    /// Locks that serving threads took.
    pub server_locks: u64,
    /// Locks of either side that another thread held at the moment.
    pub contended: u64,
    /// How often a thread had another one go on: a reply handed over, the reading role passed on.
    pub hand_overs: u64,
    /// How often something was written that does not belong to one connection or thread.
    pub shared_writes: u64,
}

/// One of the counts.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// Locks taken by callers.
    ClientLocks,
    /// Locks taken by threads that serve.
    ServerLocks,
    /// Locks that another thread held.
    Contended,
    /// Requests and replies passed from one thread to another.
    HandOvers,
    /// Writes to memory that threads share.
    SharedWrites,
}

static COUNTS: [AtomicU64; 5] = [const { AtomicU64::new(0) }; 5];

/// Counts one, in builds that do.
#[inline]
pub fn count(what: Count) {
    if COUNTING && let Some(number) = COUNTS.get(what as usize) {
        number.fetch_add(1, Ordering::Relaxed);
    }
}

impl CallCounts {
    /// What has been counted since the process began; zeros in a build that does not count.
    #[must_use]
    pub fn now() -> Self {
        let read = |what: Count| {
            COUNTS.get(what as usize).map_or(0, |number| number.load(Ordering::Relaxed))
        };
        Self {
            client_locks: read(Count::ClientLocks),
            server_locks: read(Count::ServerLocks),
            contended: read(Count::Contended),
            hand_overs: read(Count::HandOvers),
            shared_writes: read(Count::SharedWrites),
        }
    }

    /// What came after `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            client_locks: self.client_locks - earlier.client_locks,
            server_locks: self.server_locks - earlier.server_locks,
            contended: self.contended - earlier.contended,
            hand_overs: self.hand_overs - earlier.hand_overs,
            shared_writes: self.shared_writes - earlier.shared_writes,
        }
    }
}

/// A lock on the path of calls: counted as what it is given.
#[derive(Debug)]
pub struct CallLock<T> {
    lock: Lock<T>,
    counted: Count,
}

impl<T> CallLock<T> {
    /// A lock whose use is counted as `counted`.
    pub const fn new(counted: Count, value: T) -> Self {
        Self { lock: Lock::new(value), counted }
    }

    /// Locks; what a thread that panicked left behind is taken as it is.
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

    // Other tests of this process count as well: no more than a least number is sure.
    #[test]
    fn locks_are_counted_where_counting_is_built_in() {
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
