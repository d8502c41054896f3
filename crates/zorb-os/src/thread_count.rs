//! Counts the threads that the ORBs of the process have started, and those of their transports.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

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
        match started.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) {
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
        self.started.fetch_sub(1, Ordering::Relaxed);
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
}
