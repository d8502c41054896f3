//! Requests that a POA manager has held, on their way to threads of their lane.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_os::lock::Lock;

/// How many threads at most serve resumed requests at a time, in lanes without an event loop.
const MAX_THREADS: usize = 64;

/// Requests that begin in their order.
#[derive(Debug)]
pub(crate) struct Resumed<R> {
    waiting: Lock<Waiting<R>>,
    /// How many wait, to be read without the lock.
    count: AtomicUsize,
}

#[derive(Debug)]
struct Waiting<R> {
    requests: VecDeque<R>,
    /// Threads that serve them, and nothing else.
    threads: usize,
}

impl<R> Default for Resumed<R> {
    fn default() -> Self {
        let waiting = Waiting { requests: VecDeque::new(), threads: 0 };
        Self { waiting: Lock::new(waiting), count: AtomicUsize::new(0) }
    }
}

impl<R> Resumed<R> {
    /// Adds a request. Whether a thread is to be started for it, where threads are there for nothing else.
    pub(crate) fn put(&self, request: R) -> bool {
        let mut waiting = self.waiting.lock();
        waiting.requests.push_back(request);
        self.count.store(waiting.requests.len(), Ordering::Release);
        let wants_thread = waiting.threads < MAX_THREADS;
        waiting.threads += usize::from(wants_thread);
        wants_thread
    }

    /// How many wait.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Whether none waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The next one.
    pub(crate) fn take(&self) -> Option<R> {
        if self.is_empty() {
            return None;
        }
        let mut waiting = self.waiting.lock();
        let next = waiting.requests.pop_front();
        self.count.store(waiting.requests.len(), Ordering::Release);
        next
    }

    /// The next one for a thread that is there for nothing else; without any it ends.
    pub(crate) fn take_or_end(&self) -> Option<R> {
        let mut waiting = self.waiting.lock();
        let next = waiting.requests.pop_front();
        waiting.threads -= usize::from(next.is_none());
        self.count.store(waiting.requests.len(), Ordering::Release);
        next
    }

    /// A thread could not be started; the requests come back that no other thread serves.
    pub(crate) fn give_up(&self) -> VecDeque<R> {
        let mut waiting = self.waiting.lock();
        waiting.threads -= 1;
        match waiting.threads {
            0 => std::mem::take(&mut waiting.requests),
            _ => VecDeque::new(),
        }
    }
}
