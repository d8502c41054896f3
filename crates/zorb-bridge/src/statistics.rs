//! Statistics of a bridge.

use std::sync::atomic::{AtomicU64, Ordering};

/// Statistics of a bridge since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Connections accepted.
    pub connections: u64,
    /// Requests and LocateRequests forwarded.
    pub requests: u64,
    /// Those of them that expect a reply.
    pub awaited: u64,
    /// Replies and LocateReplies forwarded.
    pub replies: u64,
    /// Requests rejected.
    pub refused: u64,
    /// Octets forwarded from clients to the server.
    pub request_octets: u64,
    /// Octets forwarded from the server to clients.
    pub reply_octets: u64,
}

impl Statistics {
    pub(crate) fn add(&mut self, other: &Self) {
        self.connections += other.connections;
        self.requests += other.requests;
        self.awaited += other.awaited;
        self.replies += other.replies;
        self.refused += other.refused;
        self.request_octets += other.request_octets;
        self.reply_octets += other.reply_octets;
    }
}

/// A counter with one writing thread and any number of reading threads.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        // There is only one writer, so no increment is lost between the two operations.
        self.0.store(self.value().wrapping_add(count), Ordering::Relaxed);
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters of one direction, in a cache line of their own because its thread writes them
/// continuously.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counts {
    pub(crate) messages: Counter,
    /// The requests that expect a reply.
    pub(crate) awaited: Counter,
    pub(crate) refused: Counter,
    pub(crate) octets: Counter,
}
