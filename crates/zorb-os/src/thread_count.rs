//! Counts the threads that the ORBs of the process have started, and those of their transports.

use std::io;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::futex;
use crate::process::has_room_for_thread;

/// The threads of the process.
static STARTED: AtomicUsize = AtomicUsize::new(0);
/// How many have ended, and how many threads wait for that.
static ENDED: Ended = Ended { count: AtomicU32::new(0), waiting: AtomicUsize::new(0) };

#[derive(Debug)]
struct Ended {
    count: AtomicU32,
    waiting: AtomicUsize,
}

impl Ended {
    fn note(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            futex::wake(&self.count);
        }
    }

    fn wait(&self, seen: u32, end: Instant) -> bool {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let has_ended = loop {
            if self.count.load(Ordering::SeqCst) != seen {
                break true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                break false;
            }
            futex::wait(&self.count, seen, Some(left));
        };
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        has_ended
    }
}

/// One of the threads that the process may have, until dropped.
#[derive(Debug)]
pub struct CountedThread {
    started: &'static AtomicUsize,
    /// Whether it has begun: one that could not be started does not end.
    runs: bool,
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
            Ok(_) => Ok(Self { started, runs: false }),
            Err(_) => Err(io::ErrorKind::QuotaExceeded.into()),
        }
    }

    /// Notes that the thread runs, so that whoever waits for one to end learns when this one does.
    pub fn begins(&mut self) {
        self.runs = true;
    }

    /// How many counted threads have ended, modulo 2³².
    #[must_use]
    pub fn ended() -> u32 {
        ENDED.count.load(Ordering::SeqCst)
    }

    /// Waits until `end` for a counted thread to end, if none has since [`ended`](Self::ended) returned `seen`. Returns
    /// whether one has.
    #[must_use]
    pub fn wait_for_end(seen: u32, end: Instant) -> bool {
        ENDED.wait(seen, end)
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
        if self.runs {
            ENDED.note();
        }
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
    fn a_thread_that_could_not_be_started_does_not_end() {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let one = || CountedThread::among(&COUNT, 1).unwrap();
        let before = CountedThread::ended();
        drop(one());
        assert_eq!(CountedThread::ended(), before);
        let mut runs = one();
        runs.begins();
        drop(runs);
        assert_eq!(CountedThread::ended(), before.wrapping_add(1));
    }

    #[test]
    fn whoever_waits_for_a_thread_sees_one_end() {
        static ENDED: Ended = Ended { count: AtomicU32::new(7), waiting: AtomicUsize::new(0) };
        let now = Instant::now();
        assert!(!ENDED.wait(7, now) && ENDED.wait(6, now));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| ENDED.wait(7, now + Duration::from_secs(3600)));
            while ENDED.waiting.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            ENDED.note();
            assert!(waits.join().unwrap());
        });
        assert_eq!(ENDED.waiting.load(Ordering::SeqCst), 0);
    }
}
