//! The reading role of a connection, and how it is left for others during an upcall.
//!
//! Why there is one, and who takes it: [`connection`](super::connection).

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use zorb_giop::Inbound;

use super::ServerConnection;
use super::crew::Upcall;

/// How many requests after the last sign of a second caller a connection counts as shared.
const SHARED_FOR: u8 = 64;

/// The reading role: what only the thread that reads has to do with.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) inbound: Inbound,
    /// What was agreed with the client.
    pub(super) agreed: zorb_giop::ServerConnection,
    /// For how many more requests the connection counts as one that several callers share.
    shared: u8,
    /// Whether all that was there had been received when last something was.
    pub(super) drained: bool,
    /// The end of the current message, where it was lent by the stream.
    #[cfg(feature = "buffers")]
    pub(super) lent: Option<zorb_transport::ReceivedBuffer>,
}

impl Reading {
    pub(super) fn new(inbound: Inbound, agreed: zorb_giop::ServerConnection) -> Box<Self> {
        Box::new(Self {
            inbound,
            agreed,
            shared: 0,
            drained: false,
            #[cfg(feature = "buffers")]
            lent: None,
        })
    }
}

impl ServerConnection {
    /// Whether several callers seem to share this connection: one has sent a request while that of
    /// another was waiting or running.
    #[inline(always)] // on the path of every call, and a second time only where that does not matter
    pub(super) fn is_shared(&self, reading: &mut Reading) -> bool {
        if reading.inbound.has_buffered() || self.overlapping.load(Ordering::Relaxed) > 0 {
            reading.shared = SHARED_FOR;
        } else if reading.shared > 0 {
            reading.shared -= 1;
        }
        reading.shared > 0
    }

    /// Leaves the reading role where others can take it, for the length of an upcall; `pass_on` has
    /// another thread take it at once.
    #[inline(always)] // as above
    pub(super) fn park(self: &Arc<Self>, reading: Box<Reading>, pass_on: bool) {
        // Counted first, so that the sentinel does not take this upcall for the one before. Only the
        // role's holder counts.
        let upcalls = self.upcalls.load(Ordering::Relaxed).wrapping_add(1);
        self.upcalls.store(upcalls, Ordering::Relaxed);
        Upcall::begin();
        // There is one role, so nothing comes back.
        drop(self.parked.put(reading));
        // In one order with the role's place: see `let_go`.
        if !self.looked_after.load(Ordering::SeqCst) {
            self.core.sentinel().look_after(self, upcalls.wrapping_sub(1));
        }
        if pass_on {
            self.overlapping.fetch_add(1, Ordering::Relaxed);
            Upcall::pass_on(self);
        }
    }

    /// Passes the reading role on when the same upcall has been running since `seen` was taken;
    /// returns what to compare with next time.
    pub(super) fn relieve(self: &Arc<Self>, seen: u32) -> u32 {
        let upcalls = self.upcalls.load(Ordering::Relaxed);
        if upcalls == seen && !self.parked.is_empty() {
            self.hand_over();
        }
        upcalls
    }

    /// Says that the sentinel no longer looks after it, unless an upcall has begun since `seen` was
    /// taken: one that begins later says so itself.
    pub(super) fn let_go(&self, seen: u32) -> bool {
        self.looked_after.store(false, Ordering::SeqCst);
        // Between this and the look at what an upcall leaves behind first; the upcall then looks at
        // the flag. So one of the two sees the other.
        fence(Ordering::SeqCst);
        let quiet = self.parked.is_empty() && self.upcalls.load(Ordering::Relaxed) == seen;
        if !quiet {
            self.looked_after.store(true, Ordering::SeqCst);
        }
        quiet
    }
}
