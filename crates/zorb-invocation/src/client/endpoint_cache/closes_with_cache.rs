//! What closes with a cache.

use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum time that the shutdown of an ORB waits for its queues of one-way calls.
const LAST_CALLS: Duration = Duration::from_secs(1);

/// An observer of a cache that closes with it: a queue of one-way calls. A queue takes its connection from the cache, which
/// therefore knows no queues; the shutdown of an ORB calls it once.
pub(in crate::client) trait ClosesWithCache:
    std::fmt::Debug + Send + Sync
{
    /// Refuses new calls, without waiting.
    fn end(&self);

    /// Leaves the queued calls until `deadline`, and stops.
    fn close(&self, deadline: Instant);
}

/// What closes with caches, and accepts nothing any more.
#[derive(Debug, Default)]
#[must_use]
pub(in crate::client) struct Closing(pub(super) Vec<Arc<dyn ClosesWithCache>>);

impl Closing {
    /// Adds more that ends at the same time.
    pub(in crate::client) fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Leaves all queued calls together a limited time.
    pub(in crate::client) fn finish(self) {
        let deadline = Instant::now() + LAST_CALLS;
        self.0.iter().for_each(|closing| closing.close(deadline));
    }
}
