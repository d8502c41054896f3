//! A distributable thread on a node.

use std::sync::atomic::{AtomicBool, Ordering};

use zorb_giop::Ior;
use zorb_os::lock::Lock;

use super::thread_id::ThreadId;

/// A distributable thread that is on a node, or has continued on another node from there.
#[derive(Debug)]
pub(crate) struct ThreadEntry {
    pub(crate) id: ThreadId,
    cancelled: AtomicBool,
    /// The targets of its pending requests from this node, the latest last.
    targets: Lock<Vec<Ior>>,
}

impl ThreadEntry {
    pub(crate) fn new(id: ThreadId, cancelled: bool) -> Self {
        Self { id, cancelled: AtomicBool::new(cancelled), targets: Lock::default() }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Marks it as cancelled; returns `false` if it was cancelled before.
    pub(crate) fn cancel(&self) -> bool {
        !self.cancelled.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn push_target(&self, target: &Ior) {
        self.targets.lock().push(target.clone());
    }

    pub(crate) fn pop_target(&self) {
        self.targets.lock().pop();
    }

    pub(crate) fn targets(&self) -> Vec<Ior> {
        self.targets.lock().clone()
    }
}
