//! Held requests whose clients have gone or cancelled them leave their queues.

use std::sync::{Arc, Weak};

use zorb_giop::ServedRequest;

use super::{HoldQueue, Queue};

/// A queue of held requests, which this does not keep alive. The default one does not exist.
#[derive(Clone, Debug, Default)]
pub struct WeakHoldQueue(Weak<Queue>);

impl WeakHoldQueue {
    /// The queue, while it exists.
    pub fn upgrade(&self) -> Option<HoldQueue> {
        self.0.upgrade().map(HoldQueue)
    }

    /// Whether both are the same queue.
    pub fn is(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl HoldQueue {
    /// The same queue, which the result does not keep alive.
    pub fn downgrade(&self) -> WeakHoldQueue {
        WeakHoldQueue(Arc::downgrade(&self.0))
    }

    /// Drops the waiting requests for which `is_withdrawn`, given what [awaits](super::Holdable::awaited_by) each: its
    /// client has gone or has cancelled it. Others can be held in their stead. Those that are resuming, and those whose
    /// reply nobody awaits, stay.
    #[doc(hidden)]
    pub fn withdraw(&self, is_withdrawn: impl Fn(usize, ServedRequest) -> bool) {
        let mut held = self.0.held.lock();
        let withdrawn = held.requests.take_where(|request| {
            request
                .awaited_by()
                .is_some_and(|(connection, request)| is_withdrawn(connection, request))
        });
        if withdrawn.is_empty() {
            return;
        }
        self.0.limits.counts.remove(withdrawn.len());
        // A later request may be the next one. This releases the lock, without which the requests are dropped.
        self.resume(held);
    }
}
