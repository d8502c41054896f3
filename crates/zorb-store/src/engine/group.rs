//! Group commit: one transaction, and one synchronization, for all writers that wait.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::{Batch, StoreError, limits};

/// The writers that wait for the next transaction.
///
/// The first of them commits for all; those that come meanwhile form the next group, and one of them commits
/// it. No other thread takes part. Writers wait for a disk here, so none of their locks inherits priorities.
#[derive(Debug, Default)]
pub(super) struct Group {
    queue: Mutex<Queue>,
    /// A transaction has ended.
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    batches: Vec<Batch>,
    octets: usize,
    /// The outcome of the transaction that `batches` will be part of.
    outcome: Arc<OnceLock<Result<(), StoreError>>>,
    /// Whether a writer commits the previous group.
    busy: bool,
}

impl Group {
    /// Commits a batch, by this thread or another; `apply` commits all batches of a group.
    ///
    /// # Errors
    /// Those of `apply`, for each of the group's writers.
    pub(super) fn commit(
        &self,
        batch: Batch,
        apply: impl FnOnce(&[Batch]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut queue = self.lock();
        // The queue is limited, too.
        while !queue.batches.is_empty() && queue.octets + batch.octets() > limits::MAX_BATCH {
            queue = self.wait(queue);
        }
        queue.octets += batch.octets();
        queue.batches.push(batch);
        let outcome = Arc::clone(&queue.outcome);
        while queue.busy {
            queue = self.wait(queue);
            if let Some(outcome) = outcome.get() {
                return outcome.clone();
            }
        }
        queue.busy = true;
        queue.octets = 0;
        queue.outcome = Arc::default();
        let batches = mem::take(&mut queue.batches);
        drop(queue);
        let result = apply(&batches);
        let result = outcome.get_or_init(|| result).clone();
        self.lock().busy = false;
        self.ended.notify_all();
        result
    }

    // `apply` does not panic, and is called without the lock.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        self.ended.wait(queue).unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
