//! Connections of which nothing has come for long.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::connection::{Scratch, ServerConnection};

/// The looks at a connection that no reactor waits for: nobody looks.
pub(super) const UNCOUNTED: u32 = u32::MAX;

impl ServerConnection {
    /// Whether a request of its client runs, is queued or is held.
    pub(super) fn is_busy(&self) -> bool {
        let others = usize::try_from(self.users().saturating_sub(1)).unwrap_or(usize::MAX);
        let idle = if self.has_own_threads() { self.own_threads.idle() } else { 0 };
        others > idle || self.held.load(Ordering::Acquire) > 0
    }

    /// From now on a reactor waits for what comes, and its lane looks how long nothing does.
    pub(crate) fn count_quiet_looks(&self) {
        self.events.quiet_looks.store(0, Ordering::Relaxed);
    }

    /// One look: ends the connection when more than `looks` in a row have found that nothing has come and
    /// no request is under way.
    pub(crate) fn look(self: &Arc<Self>, looks: u32, scratch: &mut Scratch) {
        let quiet_looks = &self.events.quiet_looks;
        if quiet_looks.load(Ordering::Relaxed) == UNCOUNTED {
            return;
        }
        self.enter();
        if self.is_busy() {
            quiet_looks.store(0, Ordering::Relaxed);
        } else if quiet_looks.fetch_add(1, Ordering::Relaxed) >= looks {
            self.end_quiet(scratch);
        }
        self.leave();
    }

    #[cold]
    fn end_quiet(self: &Arc<Self>, scratch: &mut Scratch) {
        let Some(input) = self.input.take() else { return };
        if self.events.has_news() {
            // Just now, and the thread that was told of it has not found the input.
            drop(self.input.put(input));
            self.serve_news(scratch);
        } else {
            // A client that has sent part of a message is sent no CloseConnection.
            self.end(input.inbound.is_idle());
        }
    }

    /// How many looks have found nothing, and how many users it has.
    #[cfg(test)]
    pub(crate) fn quiet_looks(&self) -> (u32, u32) {
        (self.events.quiet_looks.load(Ordering::SeqCst), self.users())
    }
}
