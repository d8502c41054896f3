//! The requests of a connection that are being served, and how the connection ends.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use zorb_cdr::ByteOrder;

use crate::{ConnectionEnd, GiopVersion, MessageFormat, Messaging, ProtocolError};

/// No more requests are read.
const CLOSING: u32 = 1;
/// Reading has ended.
const ENDED: u32 = 1 << 1;
/// The connection is over, even if requests are being served.
const ABANDONED: u32 = 1 << 2;
/// One request that is being served.
const REQUEST: u32 = 1 << 3;
/// Reading has ended, and one request is being served.
const LAST_REQUEST: u32 = CLOSING | ENDED | REQUEST;

/// The last message to the client has not been chosen.
const UNDECIDED: u8 = 0;
/// There is no last message, or it has been written.
const NOTHING: u8 = 1;
const MESSAGE_ERROR: u8 = 2;
const CLOSE_CONNECTION: u8 = 3;

/// The requests of a connection that are being served, and how the connection ends. All threads that serve
/// the connection share this without a lock: each step is one atomic operation.
///
/// [`ServerReceiver`](super::ServerReceiver) begins a request. The thread that has sent its reply
/// [finishes](Self::finish) it. The reading thread [ends](Self::end) the connection if it is
/// [closing](Self::is_closing), if the stream ends, or if the client violates the protocol. The connection is over
/// when the last request is finished. A driver sends what [`poll_transmit`](Self::poll_transmit) writes when it
/// ends the connection, and again when the connection is over.
///
/// A request that a POA manager holds does not keep the connection open: it is counted as [held](Self::hold) and
/// finished, and [resumed](Self::resume) if the connection is not over.
#[derive(Debug)]
pub struct ServerRequests {
    /// The flags and the number of requests that are being served.
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
    /// The requests of a new connection: none.
    pub const fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
            held: AtomicU32::new(0),
            last_message: AtomicU8::new(UNDECIDED),
            highest: AtomicU8::new(0),
        }
    }

    /// Counts a new request of `version`. Called by the reading thread.
    #[inline]
    pub(super) fn begin(&self, version: GiopVersion) {
        if self.highest.load(Ordering::Relaxed) < version.minor() {
            self.highest.store(version.minor(), Ordering::Relaxed);
        }
        self.state.fetch_add(REQUEST, Ordering::AcqRel);
    }

    /// Finishes a request. Returns `true` if the connection is over now; only one call does.
    #[inline]
    #[must_use]
    pub fn finish(&self) -> bool {
        self.state.fetch_sub(REQUEST, Ordering::AcqRel) == LAST_REQUEST
    }

    /// A request is held from now on. [Finish](Self::finish) it as well.
    pub fn hold(&self) {
        self.held.fetch_add(1, Ordering::AcqRel);
    }

    /// A request is no longer held: it is resumed or discarded.
    pub fn end_hold(&self) {
        self.held.fetch_sub(1, Ordering::AcqRel);
    }

    /// Resumes a held request, which must then be [finished](Self::finish). Returns `false` if the connection is
    /// over: nobody waits for the reply.
    #[must_use]
    pub fn resume(&self) -> bool {
        let next = |state| (!is_over(state)).then_some(state + REQUEST);
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).is_ok()
    }

    /// The number of requests that are being served.
    pub fn outstanding(&self) -> u32 {
        self.state.load(Ordering::Acquire) / REQUEST
    }

    /// Whether a request is being served or held.
    pub fn is_busy(&self) -> bool {
        self.outstanding() > 0 || self.held.load(Ordering::Acquire) > 0
    }

    /// Closes the connection. The reading thread then [ends](Self::end) it.
    pub fn close(&self) {
        self.state.fetch_or(CLOSING, Ordering::AcqRel);
    }

    /// Whether no more requests are read.
    #[inline]
    pub fn is_closing(&self) -> bool {
        self.state.load(Ordering::Acquire) & CLOSING != 0
    }

    /// Whether reading has ended.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.state.load(Ordering::Acquire) & ENDED != 0
    }

    /// Whether the connection has ended and its last request is finished.
    pub fn is_over(&self) -> bool {
        is_over(self.state.load(Ordering::Acquire))
    }

    /// Closes the connection because a request is malformed. Called by the thread that serves the request; the
    /// reading thread ends the connection.
    pub fn refuse(&self, error: ProtocolError) {
        self.decide(ConnectionEnd::ProtocolError(error));
        self.close();
    }

    /// Ends reading, for the cause `end`; the first cause counts. Returns `true` if the connection is over now; only
    /// one call does.
    #[must_use]
    pub fn end(&self, end: ConnectionEnd) -> bool {
        self.decide(end);
        let before = self.state.fetch_or(ENDED | CLOSING, Ordering::AcqRel);
        !is_over(before) && is_over(before | ENDED)
    }

    /// Ends the connection without a message to the client and without waiting for requests, because no thread can
    /// serve it. Returns `true` if the connection was not over before.
    #[must_use]
    pub fn abandon(&self) -> bool {
        // A CloseConnection would mean that unanswered requests have not been processed.
        self.last_message.store(NOTHING, Ordering::Release);
        !is_over(self.state.fetch_or(ABANDONED | ENDED | CLOSING, Ordering::AcqRel))
    }

    fn decide(&self, end: ConnectionEnd) {
        let message = match end {
            ConnectionEnd::ClosedLocally => CLOSE_CONNECTION,
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

    /// Clears `buffer` and writes the last message of the connection: a MessageError in reply to a malformed
    /// message, or a CloseConnection when the connection is over. Returns `false` if there is none. End the stream
    /// after a MessageError.
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
            return false; // another thread writes it
        }
        let minor = self.highest.load(Ordering::Acquire);
        let version = GiopVersion::of_message(1, minor).unwrap_or(GiopVersion::V1_0);
        let (form, order) = (MessageFormat::new(messaging, version), ByteOrder::NATIVE);
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
