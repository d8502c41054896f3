//! What has gone over a bridge.

use std::sync::atomic::{AtomicU64, Ordering};

/// What has gone over a bridge, from its beginning on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Connections that clients have made.
    pub connections: u64,
    /// Requests and LocateRequests that were passed on.
    pub requests: u64,
    /// Those among them that ask for an answer.
    pub awaited: u64,
    /// Replies and LocateReplies that were passed on.
    pub replies: u64,
    /// Requests that the bridge did not pass on.
    pub refused: u64,
    /// Octets that went from clients to the server.
    pub request_octets: u64,
    /// Octets that went from the server to clients.
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

/// A number that one thread counts up and any thread reads.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        // One thread writes, so nothing is lost between these two.
        self.0.store(self.value().wrapping_add(count), Ordering::Relaxed);
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What one direction has counted. Its thread writes it all the time, and has it to itself.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counts {
    pub(crate) messages: Counter,
    /// Of requests, those that ask for an answer.
    pub(crate) awaited: Counter,
    pub(crate) refused: Counter,
    pub(crate) octets: Counter,
}
