//! Requests that a POA manager has held, on their way to threads of their lane.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_os::lock::Lock;

/// How many threads at most serve resumed requests at a time, in lanes without an reactor.
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
    /// Whether the lane has ended: nobody serves them any more.
    ended: bool,
}

/// What becomes of a resumed request.
#[derive(Debug)]
pub(crate) enum Put<R> {
    /// A thread that serves such requests takes it.
    Queued,
    /// The same, and one more thread may be started, where threads serve nothing else.
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

    /// Accepts no further requests, and returns those that nobody has served.
    pub(crate) fn end(&self) -> VecDeque<R> {
        let mut waiting = self.waiting.lock();
        waiting.ended = true;
        self.count.store(0, Ordering::Release);
        std::mem::take(&mut waiting.requests)
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
