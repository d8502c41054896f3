//! What connections wait for, and how recently they were used. Serving threads read no clock: they record which message
//! they wait for, and a thread that checks all connections gives that to their timers.

mod timed;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use zorb_giop::{Inbound, Incomplete};

pub use timed::{Timed, message_limits};

/// What one connection has received and waits for.
#[derive(Debug)]
pub struct Progress {
    /// Whole messages received. Written only by the reading thread.
    messages: AtomicU64,
    incomplete: AtomicU64,
    /// The number of messages at the last search for a connection to close.
    seen: AtomicU32,
    /// The number of the search that last found new messages, or of the connection's beginning.
    last_used: AtomicU64,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            messages: AtomicU64::new(0),
            incomplete: AtomicU64::new(Incomplete::FIRST.to_word()),
            seen: AtomicU32::new(0),
            last_used: AtomicU64::new(0),
        }
    }
}

impl Progress {
    /// Counts a whole message. Called by the reading thread.
    #[inline]
    pub fn count_message(&self) {
        let messages = self.messages.load(Ordering::Relaxed);
        self.messages.store(messages + 1, Ordering::Relaxed);
    }

    /// Records and returns what the reading thread waits for.
    #[cold]
    pub fn wait_for_rest(&self, inbound: &Inbound) -> Incomplete {
        self.note(Incomplete::of(inbound, self.messages()))
    }

    /// Records that a message is whole. Returns what the connection still waits for.
    #[cold]
    pub fn message_complete(&self, inbound: &Inbound) -> Incomplete {
        self.note(Incomplete::beside_message(inbound))
    }

    /// Records what the reading thread waits for.
    pub fn note(&self, incomplete: Incomplete) -> Incomplete {
        self.incomplete.store(incomplete.to_word(), Ordering::SeqCst);
        incomplete
    }

    /// Whether part of a message has arrived.
    pub fn has_part(&self) -> bool {
        ![Incomplete::NONE, Incomplete::FIRST].contains(&self.incomplete())
    }

    /// The whole messages received, modulo 2³².
    pub fn messages(&self) -> u32 {
        self.all_messages() as u32
    }

    /// The whole messages received.
    pub fn all_messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    fn incomplete(&self) -> Incomplete {
        Incomplete::from_word(self.incomplete.load(Ordering::SeqCst))
    }

    /// Records that the connection begins at `now`, a number that grows with each beginning and each search.
    pub(crate) fn begin(&self, now: u64) {
        self.last_used.store(now, Ordering::Relaxed);
    }

    /// When it was used last: when it began, or at the search, the current one at `now` included, that found new messages
    /// last. Exact only if every search asks all connections.
    pub(crate) fn last_used(&self, now: u64) -> u64 {
        let messages = self.messages();
        if self.seen.swap(messages, Ordering::Relaxed) != messages {
            self.last_used.store(now, Ordering::Relaxed);
        }
        self.last_used.load(Ordering::Relaxed)
    }
}
