//! Counts the threads that the ORBs of the process have started, and those of their transports.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::lock::Lock;
use crate::process::has_room_for_thread;

/// The threads of the process.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// One of the threads that the process may have, until dropped.
#[derive(Debug)]
pub struct CountedThread {
    started: &'static AtomicUsize,
}

impl CountedThread {
    /// Counts a thread that is about to start with a stack of `stack` octets, `None` for the default size, if there are
    /// fewer than `most`.
    ///
    /// # Errors
    /// [`io::ErrorKind::QuotaExceeded`]: there are as many. [`io::ErrorKind::OutOfMemory`]: the process has no address
    /// space for [another](has_room_for_thread).
    pub fn one_of(most: usize, stack: Option<usize>) -> io::Result<Self> {
        let one = Self::among(&STARTED, most)?;
        if has_room_for_thread(stack) { Ok(one) } else { Err(io::ErrorKind::OutOfMemory.into()) }
    }

    fn among(started: &'static AtomicUsize, most: usize) -> io::Result<Self> {
        let next = |count| (count < most).then_some(count + 1);
        // In one order with those who wait: a thread that ends sees them, or they see that it has ended.
        match started.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next) {
            Ok(_) => Ok(Self { started }),
            Err(_) => Err(io::ErrorKind::QuotaExceeded.into()),
        }
    }

    /// The number of threads that are counted.
    #[must_use]
    pub fn count() -> usize {
        STARTED.load(Ordering::Relaxed)
    }
}

impl Drop for CountedThread {
    fn drop(&mut self) {
        self.started.fetch_sub(1, Ordering::SeqCst);
        if AWAITING.load(Ordering::SeqCst) > 0 {
            tell_awaiting();
        }
    }
}

/// What is called when a thread ends.
type Ended = Arc<dyn Fn() + Send + Sync>;

/// Those who wait for the ends of threads, and their number.
static AWAITING_ENDS: Lock<Vec<Ended>> = Lock::new(Vec::new());
static AWAITING: AtomicUsize = AtomicUsize::new(0);

#[cold]
fn tell_awaiting() {
    // Called without the lock.
    let all = AWAITING_ENDS.lock().clone();
    all.iter().for_each(|ended| ended());
}

/// Calls a function whenever a [counted](CountedThread) thread of the process ends, until dropped.
pub struct ThreadEnds(Ended);

impl fmt::Debug for ThreadEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadEnds").finish_non_exhaustive()
    }
}

impl ThreadEnds {
    /// Calls `ended` on a thread that ends, which is no longer counted then. Who tries to start a thread
    /// afterwards, in vain, hears of the next one that ends.
    pub fn new(ended: impl Fn() + Send + Sync + 'static) -> Self {
        let ended: Ended = Arc::new(ended);
        AWAITING_ENDS.lock().push(Arc::clone(&ended));
        AWAITING.fetch_add(1, Ordering::SeqCst);
        Self(ended)
    }
}

impl Drop for ThreadEnds {
    fn drop(&mut self) {
        AWAITING_ENDS.lock().retain(|ended| !Arc::ptr_eq(ended, &self.0));
        AWAITING.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_no_more_threads_than_it_may() {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let one = || CountedThread::among(&COUNT, 2);
        let (first, second) = (one().unwrap(), one().unwrap());
        for _ in 0..3 {
            assert_eq!(one().unwrap_err().kind(), io::ErrorKind::QuotaExceeded);
        }
        drop(first);
        let third = one().unwrap();
        assert!(one().is_err());
        drop((second, third));
        assert_eq!(COUNT.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_end_of_a_thread_is_told_to_those_who_wait_for_it() {
        let own = Arc::new(AtomicUsize::new(0));
        let told = Arc::clone(&own);
        let ends = ThreadEnds::new(move || {
            told.fetch_add(1, Ordering::SeqCst);
        });
        let thread = CountedThread::one_of(usize::MAX, None).unwrap();
        // Other tests have threads, too.
        let before = own.load(Ordering::SeqCst);
        drop(thread);
        assert!(own.load(Ordering::SeqCst) > before);
        drop(ends);
        // Another thread may be telling it.
        while Arc::strong_count(&own) > 1 {
            std::thread::yield_now();
        }
    }
}
