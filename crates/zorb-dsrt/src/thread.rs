//! Distributable threads.

use std::sync::Arc;

use super::cancellation::cancel;
use super::node::Node;
use super::thread_entry::ThreadEntry;
use super::thread_id::ThreadId;

/// Whether a distributable thread has been cancelled (`DT_STATE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadState {
    /// It has not.
    Active,
    /// It has: on every node, `THREAD_CANCELLED` is raised at its next scheduling point.
    Cancelled,
}

/// A distributable thread that this node knows (`RTScheduling::DistributableThread`).
#[derive(Clone, Debug)]
pub struct DistributableThread {
    pub(crate) node: Arc<Node>,
    pub(crate) entry: Arc<ThreadEntry>,
}

impl DistributableThread {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> ThreadId {
        self.entry.id
    }

    /// Whether it has been cancelled.
    #[must_use]
    pub fn state(&self) -> ThreadState {
        if self.entry.is_cancelled() { ThreadState::Cancelled } else { ThreadState::Active }
    }

    /// Cancels it, on this node and on the nodes that it has called from here: at its next scheduling
    /// point, which is a call, the end of one, or the start or end of a segment, `THREAD_CANCELLED` is
    /// raised. Servants with long computations call [`Current::check`](super::Current::check).
    ///
    /// Other nodes are notified by one-way calls to the objects that it has called: a lane whose threads
    /// are all busy receives them when one is free.
    pub fn cancel(&self) {
        cancel(&self.node, &self.entry.id);
    }
}
