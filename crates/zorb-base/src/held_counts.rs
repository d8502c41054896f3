//! Counts the requests of an ORB that are held.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The requests and collocated calls that wait in the queues of an ORB's POA managers, adapters and main thread.
#[derive(Debug, Default)]
pub struct HeldCounts {
    waiting: AtomicUsize,
    refused: AtomicU64,
    expired: AtomicU64,
}

impl HeldCounts {
    /// One more waits.
    pub fn add(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// `count` wait no longer.
    pub fn remove(&self, count: usize) {
        self.waiting.fetch_sub(count, Ordering::Relaxed);
    }

    /// One may not wait, as too many do.
    pub fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// `count` have waited for too long. They have been [removed](Self::remove).
    pub fn expire(&self, count: usize) {
        self.expired.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// The number of those that wait now.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// The number of those that were refused.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// The number of those that have waited for too long.
    pub fn expired(&self) -> u64 {
        self.expired.load(Ordering::Relaxed)
    }
}
