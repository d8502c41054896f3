//! Distributable threads.

use std::sync::Arc;

use super::cancellation::cancel;
use super::node::Node;
use super::thread_entry::ThreadEntry;
use super::thread_id::ThreadId;

/// Whether a distributable thread has been cancelled (`DT_STATE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadState {
    /// It has not been cancelled.
    Active,
    /// It has been cancelled: on every node, `THREAD_CANCELLED` is raised at its next scheduling point.
    Cancelled,
}

/// A distributable thread that this node knows (`RTScheduling::DistributableThread`).
#[derive(Clone, Debug)]
pub struct DistributableThread {
    pub(crate) node: Arc<Node>,
    pub(crate) entry: Arc<ThreadEntry>,
}

impl DistributableThread {
    /// The thread's id.
    #[must_use]
    pub fn id(&self) -> ThreadId {
        self.entry.id
    }

    /// Whether the thread has been cancelled.
    #[must_use]
    pub fn state(&self) -> ThreadState {
        if self.entry.is_cancelled() { ThreadState::Cancelled } else { ThreadState::Active }
    }

    /// Cancels the thread on this node and on the nodes that it has called from here. `THREAD_CANCELLED` is raised at its
    /// next scheduling point: a call, the end of a call, or the start or end of a segment. Servants with long computations
    /// should call [`Current::check`](super::Current::check).
    ///
    /// Other nodes are notified by one-way calls to the objects that the thread has called. A lane whose threads are all
    /// busy receives them when a thread is free.
    pub fn cancel(&self) {
        cancel(&self.node, &self.entry.id);
    }
}
