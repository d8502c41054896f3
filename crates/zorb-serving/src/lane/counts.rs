//! What a lane has done so far, and whether its threads make progress.

use std::sync::atomic::Ordering;

use super::Lane;
use super::permits::Permits;
use crate::settings::LaneCounts;
use crate::strategy::queue::RequestQueue;

impl Lane {
    /// The messages of all its connections, so far. A connection that ends meanwhile is counted once.
    fn messages(&self) -> u64 {
        let ended = self.ended.lock();
        let mut messages = ended.messages;
        self.connections.each(|connection| messages += connection.progress.all_messages());
        messages
    }

    /// Whether no connection with threads of its own makes an upcall, nor a thread for a client that has gone, and how many
    /// of these upcalls have ended; without those of probes.
    pub(crate) fn progress_of_own_threads(&self) -> (bool, u64) {
        let ended = self.ended.lock();
        let without_client = &self.core.without_client;
        let mut is_free = without_client.running() == 0;
        let mut completed = ended.upcalls.wrapping_add(without_client.ended().into());
        self.connections.each(|connection| {
            is_free &= !connection.has_upcall();
            completed = completed.wrapping_add(connection.upcalls_ended().into());
        });
        (is_free, completed)
    }

    pub(crate) fn counts(&self) -> LaneCounts {
        LaneCounts {
            threads: self.threads.load(Ordering::Acquire),
            connections: self.connections.count(),
            accepted: self.accepted.load(Ordering::Relaxed),
            evicted: self.evicted.load(Ordering::Relaxed),
            messages: self.messages(),
            queued: self.queue().map_or_else(|| self.resumed.len(), RequestQueue::len),
            started: self.started.load(Ordering::Relaxed),
            borrowed: self.borrowed.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            rejected: self.rejected.load(Ordering::Relaxed),
            waiting: self.permits.as_ref().map_or(0, Permits::waiting),
        }
    }
}
