//! Counts upcalls for checks whether a server is alive.

use std::sync::atomic::{AtomicU32, Ordering};

/// Counts upcalls that have begun and ended: those of probes, which ask whether the server is ready or live and are no
/// sign of that, or those of requests that were held.
#[derive(Debug, Default)]
pub(crate) struct UpcallCount {
    begun: AtomicU32,
    ended: AtomicU32,
}

/// One of them that is running, until dropped.
#[derive(Debug)]
pub(crate) struct CountedUpcall<'c>(&'c UpcallCount);

impl UpcallCount {
    pub(crate) fn begin(&self) {
        self.begun.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn end(&self) {
        self.ended.fetch_add(1, Ordering::Release);
    }

    /// Counts one from its beginning to its end.
    pub(crate) fn enter(&self) -> CountedUpcall<'_> {
        self.begin();
        CountedUpcall(self)
    }

    /// The number of those that have begun.
    pub(crate) fn begun(&self) -> u32 {
        self.begun.load(Ordering::Acquire)
    }

    /// The number of those that have ended.
    pub(crate) fn ended(&self) -> u32 {
        self.ended.load(Ordering::Acquire)
    }

    /// The number of those that are running: of those that begin or end meanwhile, some may count.
    pub(crate) fn running(&self) -> u32 {
        // First, so that no more have ended than have begun.
        let ended = self.ended();
        self.begun().wrapping_sub(ended)
    }
}

impl Drop for CountedUpcall<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
