//! Waiting for the requests in progress of an adapter.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_os::lock::{Condition, Lock};

/// What happens at the end of an object or of what is in progress, when it is dropped.
pub(crate) type AtEnd = Box<dyn Any + Send + Sync>;

/// Counts what is in progress in an adapter and will not begin again: requests for objects that are not active, and
/// objects that are no longer active, until their last request has completed and they have been etherealized; and the
/// adapter's destruction.
#[derive(Default)]
pub(crate) struct Completion(Arc<Count>);

#[derive(Default)]
struct Count {
    /// How much is in progress, and [`AWAITED`].
    running: AtomicUsize,
    /// Held to notify, so that no waiting thread misses it.
    ending: Lock<Ending>,
    ended: Condition,
}

/// The bit that says that something may wait until nothing is in progress. Without it, what ends takes no lock, which all
/// requests for objects that are not active would share.
const AWAITED: usize = 1 << (usize::BITS - 1);

#[derive(Default)]
struct Ending {
    /// Dropped when nothing is in progress any more.
    then: Vec<AtEnd>,
    /// How many threads are dropping these.
    dropping: usize,
}

impl Completion {
    /// Counts something until the result is dropped.
    pub(crate) fn begin(&self) -> InProgress {
        self.0.running.fetch_add(1, Ordering::Relaxed);
        InProgress(Arc::clone(&self.0))
    }

    /// Drops something when nothing is in progress any more, which those who wait for that wait for, too.
    pub(crate) fn then(&self, then: AtEnd) {
        let mut ending = self.0.ending.lock();
        if self.0.await_end() > 0 {
            ending.then.push(then);
        }
    }

    /// Blocks the calling thread until nothing is in progress, or the wait is no longer `is_wanted`, which is asked again
    /// after each [`wake`](Self::wake).
    pub(crate) fn wait_while(&self, is_wanted: impl Fn() -> bool) {
        let mut ending = self.0.ending.lock();
        while (self.0.await_end() > 0 || ending.dropping > 0 || !ending.then.is_empty())
            && is_wanted()
        {
            ending = self.0.ended.wait(ending);
        }
    }

    /// Makes the waiting threads ask again.
    pub(crate) fn wake(&self) {
        let _ending = self.0.ending.lock();
        self.0.ended.notify_all();
    }
}

/// Something that is in progress until this is dropped.
pub(crate) struct InProgress(Arc<Count>);

impl Drop for InProgress {
    fn drop(&mut self) {
        if self.0.running.fetch_sub(1, Ordering::Release) == AWAITED + 1 {
            self.0.end();
        }
    }
}

impl Count {
    /// Returns how many [`InProgress`] exist. Dropping the last one calls [`end`](Self::end). Callers hold `ending`.
    fn await_end(&self) -> usize {
        self.running.fetch_or(AWAITED, Ordering::AcqRel) & !AWAITED
    }

    /// Nothing was in progress any more when the calling thread last looked.
    #[cold]
    fn end(&self) {
        let mut ending = self.ending.lock();
        if self.running.load(Ordering::Acquire) & !AWAITED > 0 {
            // Something has begun since. The thread that ends it does the rest.
            return;
        }
        if !ending.then.is_empty() {
            let then = std::mem::take(&mut ending.then);
            ending.dropping += 1;
            drop(ending);
            // Without the lock: this calls the program.
            drop(then);
            ending = self.ending.lock();
            ending.dropping -= 1;
        }
        if ending.then.is_empty() {
            // Threads that go on waiting set it again.
            self.running.fetch_and(!AWAITED, Ordering::Relaxed);
        }
        self.ended.notify_all();
    }
}
