//! Counts the pending calls of the process, and the octets of their arguments.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::watch::PendingWatch;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static OCTETS: AtomicUsize = AtomicUsize::new(0);

/// A counted call, until dropped.
#[derive(Debug)]
pub(super) struct CountedCall {
    octets: AtomicUsize,
    /// What tells the program of many calls, if it wants that.
    watch: Option<Arc<PendingWatch>>,
}

impl CountedCall {
    /// Counts a call, if there are fewer than `calls` whose arguments have less than `octets` octets.
    #[inline]
    pub(super) fn enter(
        calls: usize,
        octets: usize,
        watch: Option<&Arc<PendingWatch>>,
    ) -> Option<Self> {
        let entered = Self { octets: AtomicUsize::new(0), watch: watch.map(Arc::clone) };
        let others = CALLS.fetch_add(1, Ordering::Relaxed);
        if let Some(watch) = watch {
            watch.has_begun();
        }
        (others < calls && OCTETS.load(Ordering::Relaxed) < octets).then_some(entered)
    }

    /// Counts the octets of its arguments.
    pub(super) fn retain(&self, octets: usize) {
        if octets > 0 {
            OCTETS.fetch_add(octets, Ordering::Relaxed);
            self.octets.fetch_add(octets, Ordering::Relaxed);
            if let Some(watch) = &self.watch {
                watch.retain(octets);
            }
        }
    }

    /// Stops counting the arguments, which the call has dropped.
    pub(super) fn release(&self) {
        // Most calls have none: that saves an exchange.
        if self.octets.load(Ordering::Relaxed) > 0 {
            let octets = self.octets.swap(0, Ordering::Relaxed);
            OCTETS.fetch_sub(octets, Ordering::Relaxed);
            if let Some(watch) = &self.watch {
                watch.release(octets);
            }
        }
    }
}

impl Drop for CountedCall {
    fn drop(&mut self) {
        self.release();
        CALLS.fetch_sub(1, Ordering::Relaxed);
        if let Some(watch) = &self.watch {
            watch.has_ended();
        }
    }
}
