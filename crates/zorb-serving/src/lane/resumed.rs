//! Requests that were held and have been released, waiting for threads of their lane.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_os::lock::Lock;

/// The maximum number of threads that serve resumed requests, in lanes without a reactor.
const MAX_THREADS: usize = 64;

/// A queue of resumed requests, or of connections that have some, started in order.
#[derive(Debug)]
pub(crate) struct Resumed<R> {
    waiting: Lock<Waiting<R>>,
    /// The number of waiting requests, readable without the lock.
    count: AtomicUsize,
}

#[derive(Debug)]
struct Waiting<R> {
    requests: VecDeque<R>,
    /// Threads that serve only them.
    threads: usize,
    /// Whether the lane has ended: no thread serves them.
    ended: bool,
}

/// What happens to a resumed request.
#[derive(Debug)]
pub(crate) enum Put<R> {
    /// A thread that serves resumed requests takes it.
    Queued,
    /// Queued; a lane without a reactor starts a thread for it.
    WantsThread,
    /// The lane has ended.
    Ended(R),
}

impl<R> Default for Resumed<R> {
    fn default() -> Self {
        let waiting = Waiting { requests: VecDeque::new(), threads: 0, ended: false };
        Self { waiting: Lock::new(waiting), count: AtomicUsize::new(0) }
    }
}

impl<R> Resumed<R> {
    /// Adds a request, unless the lane has ended.
    pub(crate) fn put(&self, request: R) -> Put<R> {
        let mut waiting = self.waiting.lock();
        if waiting.ended {
            return Put::Ended(request);
        }
        waiting.requests.push_back(request);
        self.count.store(waiting.requests.len(), Ordering::Release);
        let wants_thread = waiting.threads < MAX_THREADS;
        waiting.threads += usize::from(wants_thread);
        if wants_thread { Put::WantsThread } else { Put::Queued }
    }

    /// Adds again what the calling dedicated thread has taken, which takes the next one now.
    pub(crate) fn put_back(&self, request: R) {
        let mut waiting = self.waiting.lock();
        waiting.requests.push_back(request);
        self.count.store(waiting.requests.len(), Ordering::Release);
    }

    /// Accepts no further requests, and returns those that wait.
    pub(crate) fn end(&self) -> VecDeque<R> {
        let mut waiting = self.waiting.lock();
        waiting.ended = true;
        self.count.store(0, Ordering::Release);
        std::mem::take(&mut waiting.requests)
    }

    /// The number of waiting requests.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn take(&self) -> Option<R> {
        if self.is_empty() {
            return None;
        }
        let mut waiting = self.waiting.lock();
        let next = waiting.requests.pop_front();
        self.count.store(waiting.requests.len(), Ordering::Release);
        next
    }

    /// Takes the next request for a dedicated thread, which ends when the queue is empty.
    pub(crate) fn take_or_end(&self) -> Option<R> {
        let mut waiting = self.waiting.lock();
        let next = waiting.requests.pop_front();
        waiting.threads -= usize::from(next.is_none());
        self.count.store(waiting.requests.len(), Ordering::Release);
        next
    }

    /// A thread could not be started. Returns the requests that no other thread serves.
    pub(crate) fn give_up(&self) -> VecDeque<R> {
        let mut waiting = self.waiting.lock();
        waiting.threads -= 1;
        match waiting.threads {
            0 => std::mem::take(&mut waiting.requests),
            _ => VecDeque::new(),
        }
    }
}
