//! Requests that were held and have been released, waiting for the threads of their lane's reactor.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_os::lock::Lock;

/// A queue of resumed requests, started in order.
#[derive(Debug)]
pub(crate) struct Resumed<R> {
    waiting: Lock<Waiting<R>>,
    /// The number of waiting requests, readable without the lock.
    count: AtomicUsize,
}

#[derive(Debug)]
struct Waiting<R> {
    requests: VecDeque<R>,
    /// Whether the lane has ended: no thread serves them.
    ended: bool,
}

impl<R> Default for Resumed<R> {
    fn default() -> Self {
        let waiting = Waiting { requests: VecDeque::new(), ended: false };
        Self { waiting: Lock::new(waiting), count: AtomicUsize::new(0) }
    }
}

impl<R> Resumed<R> {
    /// Adds a request.
    ///
    /// # Errors
    /// The lane has ended: the request comes back.
    pub(crate) fn put(&self, request: R) -> Result<(), R> {
        let mut waiting = self.waiting.lock();
        if waiting.ended {
            return Err(request);
        }
        waiting.requests.push_back(request);
        self.count.store(waiting.requests.len(), Ordering::Release);
        Ok(())
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
}
