//! The end of a lane.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Lane;

impl Lane {
    /// A slot has been freed; that of the last connection of a stopping lane ends its threads.
    pub(super) fn released(&self, is_last: bool) {
        if is_last && self.is_stopping() {
            self.end();
        }
        if !self.awaiting_slots.is_empty() {
            self.let_newcomers_try();
        }
    }

    /// Stops the lane: closes its listeners and connections; running requests finish.
    pub(crate) fn stop(self: &Arc<Self>) {
        self.close_all(&self.listeners);
        self.stopping.store(true, Ordering::SeqCst);
        for connection in self.connections.all() {
            connection.close();
        }
        if self.connections.count() == 0 {
            self.end();
        }
        self.let_newcomers_try();
    }

    /// Ends its threads, after the last connection.
    fn end(&self) {
        if let Some(queue) = self.queue() {
            queue.end();
        }
        if let Some(reactor) = &self.reactor {
            reactor.stop();
            // No thread serves them now, and a queue of held requests waits for each.
            drop(self.resumed.end());
        }
    }
}
