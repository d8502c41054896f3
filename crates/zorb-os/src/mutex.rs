//! A lock whose holder has the priority of the most urgent thread that waits for it.

use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use rustix::thread::futex::{self, Flags, Timespec};

use crate::clock::MonotonicTime;
use crate::thread::id;

/// A lock with priority inheritance (`FUTEX_LOCK_PI`): while a thread holds it, the thread has at
/// least the priority of those that wait for it. So no thread of a priority between keeps the most
/// urgent one waiting for longer than the lock is held.
///
/// It holds no data and is not poisoned by a panic. Taking and giving back a lock that nobody else
/// wants are an atomic operation each, without a system call.
#[derive(Debug, Default)]
pub struct PiMutex {
    /// The holder's thread id, and whether others wait; the system reads it.
    word: AtomicU32,
}

/// A [`PiMutex`] held by this thread, until dropped.
#[derive(Debug)]
#[must_use = "the lock is given back when this is dropped"]
pub struct PiGuard<'m> {
    mutex: &'m PiMutex,
    /// The thread that took it gives it back.
    of_this_thread: PhantomData<*const ()>,
}

/// How long a thread sleeps between two looks at a lock that the system cannot wait for.
const BETWEEN_LOOKS: Duration = Duration::from_micros(50);

/// The part of the word that is the holder's id.
const HOLDER: u32 = 0x3fff_ffff;

/// When a wait that begins now is over; one beyond the end of the clock has no end worth the name.
fn end_of(limit: Duration) -> MonotonicTime {
    MonotonicTime::now() + limit.min(Duration::from_secs(1 << 32))
}

impl PiMutex {
    /// A lock that nobody holds.
    #[must_use]
    pub const fn new() -> Self {
        Self { word: AtomicU32::new(0) }
    }

    /// Takes the lock; waits as long as somebody else has it.
    ///
    /// # Errors
    /// [`io::ErrorKind::Deadlock`] when this thread has it, or would wait for one that waits for it.
    pub fn lock(&self) -> io::Result<PiGuard<'_>> {
        match self.take_free() {
            Some(guard) => Ok(guard),
            None => self.wait(None).map(|()| self.guard()),
        }
    }

    /// Takes the lock unless that takes longer than `limit`, which may be zero; `None` then.
    ///
    /// # Errors
    /// As [`lock`](Self::lock), unless the limit is zero.
    pub fn try_lock(&self, limit: Duration) -> io::Result<Option<PiGuard<'_>>> {
        if let Some(guard) = self.take_free() {
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

    /// Takes the lock unless that takes longer than `limit`, whatever the system says: one that has no
    /// locks of this kind is asked again and again. `None` when it took longer. A thread that has the
    /// lock waits for itself.
    #[cold]
    #[expect(clippy::disallowed_methods, reason = "the system could not queue this thread")]
    pub fn insist(&self, limit: Option<Duration>) -> Option<PiGuard<'_>> {
        let end = limit.map(end_of);
        loop {
            match self.wait(end) {
                Ok(()) => return Some(self.guard()),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return None,
                Err(_) => std::thread::sleep(BETWEEN_LOOKS),
            }
            if let Some(guard) = self.take_free() {
                return Some(guard);
            }
            if end.is_some_and(|end| MonotonicTime::now() >= end) {
                return None;
            }
        }
    }

    /// Takes the lock, however long that takes.
    #[inline]
    pub(crate) fn take(&self) -> PiGuard<'_> {
        loop {
            // Without a limit it always comes back with the lock.
            if let Some(guard) = self.take_free().or_else(|| self.insist(None)) {
                return guard;
            }
        }
    }

    #[inline]
    pub(crate) fn take_free(&self) -> Option<PiGuard<'_>> {
        let taken = self.word.compare_exchange(0, id(), Ordering::Acquire, Ordering::Relaxed);
        taken.is_ok().then(|| self.guard())
    }

    fn guard(&self) -> PiGuard<'_> {
        PiGuard { mutex: self, of_this_thread: PhantomData }
    }

    /// Waits for the lock until it is this thread's, or `end` has come on the monotonic clock.
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
                // What every system has that has such locks.
                None => futex::lock_pi(&self.word, Flags::PRIVATE, None),
                Some(end) => futex::lock_pi2(&self.word, Flags::PRIVATE, Some(end)),
            };
            match taken {
                Ok(()) => return Ok(()),
                // The holder was about to end, or a signal came.
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Gives back a lock that this thread has [kept](PiGuard::keep); nothing happens where another one
    /// has it.
    pub fn give_back(&self) {
        if self.word.load(Ordering::Relaxed) & HOLDER == id() {
            self.unlock();
        }
    }

    #[inline]
    fn unlock(&self) {
        let freed = self.word.compare_exchange(id(), 0, Ordering::Release, Ordering::Relaxed);
        if freed.is_err() {
            self.unlock_for_others();
        }
    }

    /// Gives the lock back where somebody waits: the system chooses who is next.
    #[cold]
    fn unlock_for_others(&self) {
        let freed = futex::unlock_pi(&self.word, Flags::PRIVATE);
        debug_assert!(freed.is_ok(), "{freed:?}");
    }
}

impl PiGuard<'_> {
    /// Keeps the lock taken, until this thread [gives it back](PiMutex::give_back).
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for PiGuard<'_> {
    fn drop(&mut self) {
        self.mutex.unlock();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::priority::{self, Schedule};
    use crate::thread;

    #[test]
    fn one_thread_at_a_time_has_it() {
        let (mutex, count) = (PiMutex::new(), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        let _held = mutex.lock().unwrap();
                        // Not atomic as a whole: two threads inside would lose some.
                        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(count.into_inner(), 8_000);
        assert!(mutex.try_lock(Duration::ZERO).unwrap().is_some());
    }

    #[test]
    fn a_lock_that_is_held_is_waited_for_as_long_as_one_says() {
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
    fn a_lock_that_is_kept_is_given_back_by_who_has_it() {
        let mutex = PiMutex::new();
        mutex.lock().unwrap().keep();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                mutex.give_back();
                assert!(mutex.try_lock(Duration::ZERO).unwrap().is_none(), "it is another's");
            });
        });
        mutex.give_back();
        assert!(mutex.try_lock(Duration::ZERO).unwrap().is_some());
    }

    #[test]
    fn a_thread_that_has_it_does_not_wait_for_itself() {
        let mutex = PiMutex::new();
        let _held = mutex.lock().unwrap();
        assert_eq!(mutex.lock().unwrap_err().kind(), io::ErrorKind::Deadlock);
        assert!(mutex.try_lock(Duration::ZERO).unwrap().is_none());
    }

    /// The priority that the system runs a thread at, inheritance included: 18th field of its
    /// `stat`, -1 minus the priority for real-time threads.
    fn kernel_priority(thread: u32) -> i64 {
        let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap();
        let fields = stat.rsplit(')').next().unwrap();
        fields.split_ascii_whitespace().nth(15).unwrap().parse().unwrap()
    }

    #[test]
    fn the_holder_inherits_the_priority_of_who_waits() {
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
            // It shows as soon as the waiter is in the system call.
            while !waiter.is_finished() && kernel_priority(holder) != -1 - 5 {
                std::thread::yield_now();
            }
            drop(held);
            waiter.join().unwrap().unwrap();
        });
        assert_eq!(kernel_priority(holder), before, "what was inherited is given back");
    }
}
