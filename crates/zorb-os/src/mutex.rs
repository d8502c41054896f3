//! A mutex with priority inheritance.

use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use rustix::thread::futex::{self, Flags, Timespec};

use crate::clock::MonotonicTime;
use crate::priority::{self, Schedule};
use crate::sys::thread::id;

/// A mutex with priority inheritance (`FUTEX_LOCK_PI`): a thread that holds it runs at least at the
/// priority of the waiting threads. Threads of medium priority therefore cannot delay the most
/// urgent one.
///
/// It contains no data and is not poisoned by a panic. Locking and unlocking without contention are
/// one atomic operation each, without a system call.
#[derive(Debug, Default)]
pub struct PiMutex {
    /// The holder's thread id, and whether others wait. The kernel reads it.
    word: AtomicU32,
}

/// The calling thread holds a [`PiMutex`] until this is dropped.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct PiGuard<'m> {
    mutex: &'m PiMutex,
    /// The thread that locked it must unlock it.
    of_this_thread: PhantomData<*const ()>,
}

/// The polling interval for a lock that the system cannot wait for.
const POLL_INTERVAL: Duration = Duration::from_micros(50);

/// How often a time-sharing thread lets others run before it waits. The system gives a
/// mutex that is unlocked to a waiting thread, and until that runs, all others have to wait, too, and
/// are given it in turn. Of eight threads that share a connection on one processor, each waited 1.8
/// times per call, and switched 3.2 times; with this, they do not wait, and switch 1.3 times.
const YIELDS: u32 = 4;

/// The part of the word that contains the holder's id.
const HOLDER: u32 = 0x3fff_ffff;

/// The end of a wait that starts now, limited to a time that the clock can represent.
fn end_of(limit: Duration) -> MonotonicTime {
    MonotonicTime::now() + limit.min(Duration::from_secs(1 << 32))
}

impl PiMutex {
    /// An unlocked mutex.
    #[must_use]
    pub const fn new() -> Self {
        Self { word: AtomicU32::new(0) }
    }

    /// Locks the mutex; waits while another thread holds it.
    ///
    /// # Errors
    /// [`io::ErrorKind::Deadlock`] if this thread holds it, or the wait would complete a cycle.
    pub fn lock(&self) -> io::Result<PiGuard<'_>> {
        match self.try_take() {
            Some(guard) => Ok(guard),
            None => self.wait(None).map(|()| self.guard()),
        }
    }

    /// Locks the mutex if that takes no longer than `limit`, which may be zero; otherwise `None`.
    ///
    /// # Errors
    /// As [`lock`](Self::lock), unless the limit is zero.
    pub fn try_lock(&self, limit: Duration) -> io::Result<Option<PiGuard<'_>>> {
        if let Some(guard) = self.try_take() {
            return Ok(Some(guard));
        }
        if limit.is_zero() {
            return Ok(None);
        }
        match self.wait(Some(end_of(limit))) {
            Ok(()) => Ok(Some(self.guard())),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Locks the mutex if that takes no longer than `limit`, also on systems without such futexes,
    /// where it polls. `None` after `limit`. Deadlocks if the calling thread holds the mutex.
    ///
    /// A [time-sharing](Schedule::Shared) thread first lets others run a few times: most locks are held for
    /// so short a time that they are free then.
    #[cold]
    #[expect(clippy::disallowed_methods, reason = "the system could not queue this thread")]
    pub fn lock_or_poll(&self, limit: Option<Duration>) -> Option<PiGuard<'_>> {
        let end = limit.map(end_of);
        let is_over = || end.is_some_and(|end| MonotonicTime::now() >= end);
        if matches!(priority::current(), Ok(Schedule::Shared)) {
            for _ in 0..YIELDS {
                if is_over() {
                    break;
                }
                std::thread::yield_now();
                if let Some(guard) = self.try_take() {
                    return Some(guard);
                }
            }
        }
        loop {
            match self.wait(end) {
                Ok(()) => return Some(self.guard()),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return None,
                Err(_) => std::thread::sleep(POLL_INTERVAL),
            }
            if let Some(guard) = self.try_take() {
                return Some(guard);
            }
            if is_over() {
                return None;
            }
        }
    }

    /// Locks the mutex, and waits as long as necessary.
    #[inline]
    pub(crate) fn take(&self) -> PiGuard<'_> {
        loop {
            // Without a limit it always returns a guard.
            if let Some(guard) = self.try_take().or_else(|| self.lock_or_poll(None)) {
                return guard;
            }
        }
    }

    #[inline]
    pub(crate) fn try_take(&self) -> Option<PiGuard<'_>> {
        let taken = self.word.compare_exchange(0, id(), Ordering::Acquire, Ordering::Relaxed);
        taken.is_ok().then(|| self.guard())
    }

    fn guard(&self) -> PiGuard<'_> {
        PiGuard { mutex: self, of_this_thread: PhantomData }
    }

    /// Waits until this thread holds the mutex, or until `end` on the monotonic clock.
    #[cold]
    fn wait(&self, end: Option<MonotonicTime>) -> io::Result<()> {
        let end = end.map(|end| {
            let nanos = end.as_nanos();
            Timespec {
                tv_sec: i64::try_from(nanos / 1_000_000_000).unwrap_or(i64::MAX),
                tv_nsec: (nanos % 1_000_000_000).cast_signed(),
            }
        });
        loop {
            let taken = match &end {
                // Every system with such futexes has this one.
                None => futex::lock_pi(&self.word, Flags::PRIVATE, None),
                Some(end) => futex::lock_pi2(&self.word, Flags::PRIVATE, Some(end)),
            };
            match taken {
                Ok(()) => return Ok(()),
                // The holder was exiting, or a signal arrived.
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Unlocks the mutex if this thread holds it after [`PiGuard::leak`]; otherwise does nothing.
    pub fn unlock(&self) {
        if self.word.load(Ordering::Relaxed) & HOLDER == id() {
            self.release();
        }
    }

    #[inline]
    fn release(&self) {
        // This thread's id, which takes longer to look up.
        let holder = self.word.load(Ordering::Relaxed) & HOLDER;
        let freed = self.word.compare_exchange(holder, 0, Ordering::Release, Ordering::Relaxed);
        if freed.is_err() {
            self.release_contended();
        }
    }

    /// Unlocks a contended mutex: the system chooses the next holder.
    #[cold]
    fn release_contended(&self) {
        let freed = futex::unlock_pi(&self.word, Flags::PRIVATE);
        debug_assert!(freed.is_ok(), "{freed:?}");
    }
}

impl PiGuard<'_> {
    /// Keeps the mutex locked until this thread calls [`PiMutex::unlock`].
    pub fn leak(self) {
        std::mem::forget(self);
    }
}

impl Drop for PiGuard<'_> {
    #[inline] // 1 % of a request
    fn drop(&mut self) {
        self.mutex.release();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::thread;

    #[test]
    fn one_thread_at_a_time_holds_the_lock() {
        let (mutex, count) = (PiMutex::new(), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        let _held = mutex.lock().unwrap();
                        // Not an atomic increment: two threads inside the lock would lose
                        // increments.
                        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(count.into_inner(), 8_000);
        assert!(mutex.try_lock(Duration::ZERO).unwrap().is_some());
    }

    #[test]
    fn locking_waits_until_the_limit() {
        let mutex = PiMutex::new();
        let held = mutex.lock().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(mutex.try_lock(Duration::ZERO).unwrap().is_none());
                let (begun, limit) = (MonotonicTime::now(), Duration::from_millis(2));
                assert!(mutex.try_lock(limit).unwrap().is_none());
                assert!(begun.elapsed() >= limit);
            });
        });
        drop(held);
        assert!(mutex.try_lock(Duration::from_secs(1)).unwrap().is_some());
    }

    #[test]
    fn a_leaked_guard_is_unlocked_by_its_thread() {
        let mutex = PiMutex::new();
        mutex.lock().unwrap().leak();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                mutex.unlock();
                assert!(
                    mutex.try_lock(Duration::ZERO).unwrap().is_none(),
                    "another thread holds it"
                );
            });
        });
        mutex.unlock();
        assert!(mutex.try_lock(Duration::ZERO).unwrap().is_some());
    }

    #[test]
    fn locking_twice_is_a_deadlock_error() {
        let mutex = PiMutex::new();
        let _held = mutex.lock().unwrap();
        assert_eq!(mutex.lock().unwrap_err().kind(), io::ErrorKind::Deadlock);
        assert!(mutex.try_lock(Duration::ZERO).unwrap().is_none());
    }

    /// The priority at which the system runs a thread, including inheritance: the 18th field of its
    /// `stat`, -1 minus the priority for real-time threads.
    fn kernel_priority(thread: u32) -> i64 {
        let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap();
        let fields = stat.rsplit(')').next().unwrap();
        fields.split_ascii_whitespace().nth(15).unwrap().parse().unwrap()
    }

    #[test]
    fn the_holder_inherits_the_priority_of_a_waiting_thread() {
        let mutex = PiMutex::new();
        let held = mutex.lock().unwrap();
        let holder = thread::id();
        let before = kernel_priority(holder);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| match priority::set(Schedule::Fifo(5)) {
                Ok(()) => mutex.lock().map(drop).map(|()| true),
                Err(error) => {
                    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
                    Ok(false)
                }
            });
            // The inheritance is visible once the waiter is in the system call.
            while !waiter.is_finished() && kernel_priority(holder) != -1 - 5 {
                std::thread::yield_now();
            }
            drop(held);
            waiter.join().unwrap().unwrap();
        });
        assert_eq!(kernel_priority(holder), before, "the inherited priority ends with the lock");
    }
}
