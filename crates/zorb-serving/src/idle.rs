//! Connections that are idle for too long.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::connection::{Scratch, ServerConnection};

/// The number of checks of a connection that is not at a reactor, and is not checked.
pub(super) const UNCOUNTED: u32 = u32::MAX;

impl ServerConnection {
    /// Whether a request of its client runs, is queued or is held.
    pub(super) fn is_busy(&self) -> bool {
        let others = usize::try_from(self.users().saturating_sub(1)).unwrap_or(usize::MAX);
        let idle = if self.has_own_threads() { self.own_threads.idle() } else { 0 };
        others > idle || self.held.load(Ordering::Acquire) > 0
    }

    /// The connection is at a reactor from now on, and its lane checks whether it is idle.
    pub(crate) fn start_idle_checks(&self) {
        self.events.idle_checks.store(0, Ordering::Relaxed);
    }

    /// Ends the connection if more than `max_checks` successive checks have found that nothing was received
    /// and no request is in progress.
    pub(crate) fn check_idle(self: &Arc<Self>, max_checks: u32, scratch: &mut Scratch) {
        let idle_checks = &self.events.idle_checks;
        if idle_checks.load(Ordering::Relaxed) == UNCOUNTED {
            return;
        }
        self.enter();
        if self.is_busy() {
            idle_checks.store(0, Ordering::Relaxed);
        } else if idle_checks.fetch_add(1, Ordering::Relaxed) >= max_checks {
            self.end_idle(scratch);
        }
        self.leave();
    }

    #[cold]
    fn end_idle(self: &Arc<Self>, scratch: &mut Scratch) {
        let Some(input) = self.input.take() else { return };
        if self.events.is_ready() {
            // The thread that handles the event has not found the input.
            drop(self.input.put(input));
            self.serve_ready(scratch);
        } else {
            // A client that has sent part of a message is sent no CloseConnection.
            self.end(input.inbound.is_idle());
        }
    }

    /// The number of checks that found it idle, and the number of its users.
    #[cfg(test)]
    pub(crate) fn idle_checks(&self) -> (u32, u32) {
        (self.events.idle_checks.load(Ordering::SeqCst), self.users())
    }
}
