//! The requests of a connection that are being served, and how the connection ends.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use zorb_cdr::ByteOrder;

use crate::{ConnectionEnd, Form, GiopVersion, Messaging, ProtocolError};

/// No further request is to be read.
const CLOSING: u32 = 1;
/// Nothing is read any more.
const ENDED: u32 = 1 << 1;
/// It is over, whatever is still being served.
const ABANDONED: u32 = 1 << 2;
/// One request that is being served.
const REQUEST: u32 = 1 << 3;
/// Nothing is read any more, and one request is still being served.
const LAST_REQUEST: u32 = CLOSING | ENDED | REQUEST;

/// The last message to the client: none has been chosen yet.
const UNDECIDED: u8 = 0;
/// There is none, or it has been written.
const NOTHING: u8 = 1;
const MESSAGE_ERROR: u8 = 2;
const CLOSE_CONNECTION: u8 = 3;

/// The requests of a connection that are being served, and how the connection ends. All threads that serve
/// it share this without a lock: each step is one atomic operation.
///
/// [`ServerReceiver`](super::ServerReceiver) begins a request. Who has served it [finishes](Self::finish)
/// it, after the reply was sent. The thread that reads [ends](Self::end) the connection: it finds that it
/// [is to be closed](Self::is_closing), the stream ends, or the client breaks the protocol. The connection
/// is over when the last request is finished then. A driver sends what
/// [`poll_transmit`](Self::poll_transmit) writes, both when it ends the connection and when that is over.
///
/// A request that is put aside, as a POA manager holds it, does not keep the connection: it is
/// [held](Self::hold) and finished, and [resumed](Self::resume) if the connection is still there.
#[derive(Debug)]
pub struct ServerRequests {
    /// The flags, and the number of requests that are being served.
    state: AtomicU32,
    held: AtomicU32,
    last_message: AtomicU8,
    /// The minor number of the highest version that the client has used.
    highest: AtomicU8,
}

/// Whether the connection is over.
const fn is_over(state: u32) -> bool {
    state & ABANDONED != 0 || (state & ENDED != 0 && state < REQUEST)
}

impl ServerRequests {
    /// Those of a new connection.
    pub const fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
            held: AtomicU32::new(0),
            last_message: AtomicU8::new(UNDECIDED),
            highest: AtomicU8::new(0),
        }
    }

    /// Counts a request of `version` that begins. To be called by the thread that reads.
    #[inline]
    pub(super) fn begin(&self, version: GiopVersion) {
        if self.highest.load(Ordering::Relaxed) < version.minor() {
            self.highest.store(version.minor(), Ordering::Relaxed);
        }
        self.state.fetch_add(REQUEST, Ordering::AcqRel);
    }

    /// Ends the serving of a request. Returns whether the connection is over with it, which it tells once.
    #[inline]
    #[must_use]
    pub fn finish(&self) -> bool {
        self.state.fetch_sub(REQUEST, Ordering::AcqRel) == LAST_REQUEST
    }

    /// Counts a request that is put aside; [finish](Self::finish) it as well.
    pub fn hold(&self) {
        self.held.fetch_add(1, Ordering::AcqRel);
    }

    /// A request is no longer put aside: it goes on or has been dropped.
    pub fn unhold(&self) {
        self.held.fetch_sub(1, Ordering::AcqRel);
    }

    /// Goes on with a request that was put aside. `false` if the connection is over, so that nobody waits for
    /// its reply; otherwise [finish](Self::finish) it.
    #[must_use]
    pub fn resume(&self) -> bool {
        let next = |state| (!is_over(state)).then_some(state + REQUEST);
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).is_ok()
    }

    /// How many requests are being served.
    pub fn outstanding(&self) -> u32 {
        self.state.load(Ordering::Acquire) / REQUEST
    }

    /// Whether a request is being served or put aside: the connection is not idle.
    pub fn is_busy(&self) -> bool {
        self.outstanding() > 0 || self.held.load(Ordering::Acquire) > 0
    }

    /// Closes the connection. The thread that reads [ends](Self::end) it when it finds out.
    pub fn close(&self) {
        self.state.fetch_or(CLOSING, Ordering::AcqRel);
    }

    /// Whether no further request is to be read.
    #[inline]
    pub fn is_closing(&self) -> bool {
        self.state.load(Ordering::Acquire) & CLOSING != 0
    }

    /// Whether nothing is read any more.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.state.load(Ordering::Acquire) & ENDED != 0
    }

    /// Whether the connection has ended and its last request is finished.
    pub fn is_over(&self) -> bool {
        is_over(self.state.load(Ordering::Acquire))
    }

    /// Closes the connection because a request that has been read is broken. To be called by a thread that
    /// serves it; the one that reads ends the connection.
    pub fn refuse(&self, error: ProtocolError) {
        self.decide(ConnectionEnd::ProtocolError(error));
        self.close();
    }

    /// Says that nothing is read any more, and why; the first cause counts. Returns whether the connection is
    /// over, which it tells once.
    #[must_use]
    pub fn end(&self, end: ConnectionEnd) -> bool {
        self.decide(end);
        let before = self.state.fetch_or(ENDED | CLOSING, Ordering::AcqRel);
        !is_over(before) && is_over(before | ENDED)
    }

    /// Ends the connection without a message to the client and without waiting for requests: who serves it
    /// cannot go on. Returns whether it is over now, which it tells once.
    #[must_use]
    pub fn abandon(&self) -> bool {
        // A CloseConnection would say that requests under way were not processed.
        self.last_message.store(NOTHING, Ordering::Release);
        !is_over(self.state.fetch_or(ABANDONED | ENDED | CLOSING, Ordering::AcqRel))
    }

    fn decide(&self, end: ConnectionEnd) {
        let message = match end {
            ConnectionEnd::ClosedHere => CLOSE_CONNECTION,
            ConnectionEnd::ProtocolError(error) if error.answer_message_error => MESSAGE_ERROR,
            _ => NOTHING,
        };
        let _ = self.last_message.compare_exchange(
            UNDECIDED,
            message,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
    }

    /// Writes the next message that the connection itself has to send into `buffer`, which is cleared: the
    /// MessageError that answers what could not be read, or the CloseConnection when the connection is over.
    /// `false` when there is none. End the stream after a MessageError.
    pub fn poll_transmit(
        &self,
        messaging: Option<&'static dyn Messaging>,
        buffer: &mut Vec<u8>,
    ) -> bool {
        let message = self.last_message.load(Ordering::Acquire);
        let is_due = match message {
            MESSAGE_ERROR => true,
            CLOSE_CONNECTION => self.is_over(),
            _ => false,
        };
        if !is_due {
            return false;
        }
        if self.last_message.swap(NOTHING, Ordering::AcqRel) == NOTHING {
            return false; // another thread has it
        }
        let minor = self.highest.load(Ordering::Acquire);
        let version = GiopVersion::of_message(1, minor).unwrap_or(GiopVersion::V1_0);
        let (form, order) = (Form::new(messaging, version), ByteOrder::NATIVE);
        match message {
            MESSAGE_ERROR => form.message_error(buffer, order),
            _ => form.close_connection(buffer, order),
        }
        true
    }
}

impl Default for ServerRequests {
    fn default() -> Self {
        Self::new()
    }
}
