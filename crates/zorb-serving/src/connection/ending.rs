//! How a connection ends: in order, by a broken message, or as no thread can serve it.

use std::net::Shutdown;
use std::sync::Arc;

use zorb_giop::{ConnectionEnd, ProtocolError};
use zorb_transport::log_limited;

use super::ServerConnection;

impl ServerConnection {
    /// Notes that a request has been served and its reply sent.
    #[inline]
    pub(crate) fn finish_request(self: &Arc<Self>) {
        if self.requests.finish() {
            self.finish();
        }
    }

    /// Closes the connection, which has ended.
    #[cold]
    fn finish(self: &Arc<Self>) {
        self.transmit();
        self.awaited.withdraw_all(self.number());
        self.core.watchdog().forget(self);
        self.core.watchdog().stop_timing(&self.progress);
        self.serving_lane.forget(self, self.slot);
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Stops reading; the connection closes after its last request. Called by the thread that has the input.
    #[cold]
    pub(crate) fn end(self: &Arc<Self>, end: ConnectionEnd) {
        if let ConnectionEnd::ProtocolError(error) = end {
            self.log_protocol_error(error);
        }
        let is_over = self.requests.end(end);
        self.own_threads.wake_all();
        if is_over {
            return self.finish();
        }
        if !matches!(end, ConnectionEnd::ClosedLocally) {
            self.awaited.withdraw_all(self.number());
        }
        if let ConnectionEnd::ProtocolError(_) = end {
            self.break_off();
        }
    }

    /// Ends the connection after a broken request, on a thread that does not read.
    #[cold]
    pub(crate) fn refuse(&self, error: ProtocolError) {
        self.log_protocol_error(error);
        self.requests.refuse(error);
        self.break_off();
    }

    fn log_protocol_error(&self, error: ProtocolError) {
        log_limited!(warn, peer = self.stream.peer(), %error, "protocol error");
    }

    /// Sends the last message, and shuts the stream down, which wakes the reading thread.
    fn break_off(&self) {
        self.transmit();
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Ends the connection at once: no thread can serve it.
    #[cold]
    pub(crate) fn abandon(self: &Arc<Self>) {
        if self.requests.abandon() {
            self.own_threads.wake_all();
            self.finish();
        }
    }

    /// Ends a connection that no lane has admitted.
    pub(crate) fn reject(&self) {
        let _ = self.requests.end(ConnectionEnd::ClosedLocally);
        self.discard_received();
        self.break_off();
    }

    /// Discards what has been received, at most 64 KiB: otherwise closing the stream would reset it, and its client might
    /// not see the last message.
    pub(crate) fn discard_received(&self) {
        let mut discarded = [0; 4096];
        let mut received = || self.stream.try_recv(&mut discarded);
        let has_more = |received| matches!(received, Ok(Some(1..)));
        if self.stream.is_established() {
            let _ = (0..16).all(|_| has_more(received()));
        }
    }

    /// Closes the connection in order: running requests finish, the peer is notified.
    pub(crate) fn close(&self) {
        self.requests.close();
        let _ = self.stream.shutdown(Shutdown::Read);
    }
}
