//! Counts the ORB's threads, so that a shutdown can wait for the last one.

use std::cell::Cell;
use std::io;
use std::sync::Arc;

use zorb_os::lock::{Condition, Lock};
use zorb_os::thread_count::CountedThread;

use crate::steady_events::{Event, record};

/// The number of running threads of an ORB, or of a pool.
#[derive(Debug)]
pub struct ThreadCount {
    running: Lock<usize>,
    ended: Condition,
    /// How many threads the ORBs of the process may have when another one is to start.
    limit: usize,
}

/// Counts one thread until dropped.
#[derive(Debug)]
pub struct Running(Arc<ThreadCount>);

thread_local! {
    /// The address of the count that the thread belongs to; 0 for none.
    static COUNTED_BY: Cell<usize> = const { Cell::new(0) };
}

impl Running {
    /// The calling thread is the one that is counted, until it ends.
    pub fn is_this_thread(&self) {
        COUNTED_BY.set(Arc::as_ptr(&self.0).addr());
    }
}

impl ThreadCount {
    /// Of no threads, which are only started while all ORBs of the process together have fewer than `limit`.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { running: Lock::default(), ended: Condition::new(), limit })
    }

    /// A counter of zero threads with the same limit.
    pub fn beside(&self) -> Arc<Self> {
        Self::new(self.limit)
    }

    /// Starts a counted thread, and records the event [`Event::ThreadStarted`].
    ///
    /// # Errors
    /// The system cannot start a thread, or the process has as many as it [may](Self::new). `body` is dropped.
    pub fn spawn(
        self: &Arc<Self>,
        name: &str,
        body: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        self.spawn_with(name, None, body)
    }

    /// Like [`spawn`](Self::spawn), with a stack of `stack_size` octets; `None` for the default of
    /// [`std::thread`].
    ///
    /// # Errors
    /// As those of [`spawn`](Self::spawn).
    pub fn spawn_with(
        self: &Arc<Self>,
        name: &str,
        stack_size: Option<usize>,
        body: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        record(Event::ThreadStarted);
        let started = CountedThread::one_of(self.limit)?;
        let running = self.enter();
        let builder = std::thread::Builder::new().name(name.replace('\0', " "));
        // If the thread cannot be started, the closure is dropped, which decrements the count.
        stack_size
            .into_iter()
            .fold(builder, std::thread::Builder::stack_size)
            .spawn(move || {
                let (running, _started) = (running, started);
                running.is_this_thread();
                body();
            })
            .map(drop)
    }

    /// Counts work on another thread that [`join`](Self::join) must wait for, until the result is dropped.
    pub fn enter(self: &Arc<Self>) -> Running {
        *self.running.lock() += 1;
        Running(Arc::clone(self))
    }

    /// Whether the calling thread is one of those that are counted, so that it cannot wait for all of them.
    pub fn counts_this_thread(&self) -> bool {
        COUNTED_BY.get() == std::ptr::from_ref(self).addr()
    }

    /// Whether no counted thread runs.
    pub fn is_empty(&self) -> bool {
        *self.running.lock() == 0
    }

    /// Waits until no counted thread runs.
    pub fn join(&self) {
        let mut running = self.running.lock();
        while *running > 0 {
            running = self.ended.wait(running);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        *self.0.running.lock() -= 1;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_knows_who_counts_it() {
        let (own, other) = (ThreadCount::new(usize::MAX), ThreadCount::new(usize::MAX));
        let (tell, told) = std::sync::mpsc::channel();
        let counts = [Arc::clone(&own), Arc::clone(&other)];
        let body = move || {
            tell.send(counts.each_ref().map(|count| count.counts_this_thread())).unwrap();
            let moved = counts[1].enter();
            moved.is_this_thread();
            tell.send(counts.each_ref().map(|count| count.counts_this_thread())).unwrap();
        };
        own.spawn("counted", body).unwrap();
        assert_eq!(told.recv().unwrap(), [true, false]);
        assert_eq!(told.recv().unwrap(), [false, true]);
        assert!(!own.counts_this_thread());
        own.join();
    }
}
