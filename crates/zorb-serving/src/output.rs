//! The sending side of a served connection: one message at a time.
//!
//! A thread that serves several connections never waits for a client: what the stream does not accept is
//! queued, and no further request is read until the client has read. The threads of the lane's
//! [reactor](crate::reactor) send the rest when the stream is writable. If a connection has [threads of its
//! own](crate::own_threads), one of them waits instead, without holding the lock.

pub(crate) mod state;
mod unread;

use std::io::{self, IoSlice};
use std::sync::Arc;

use zorb_base::caller::Caller;
use zorb_base::gather;
use zorb_cdr::{ByteOrder, Gathered, TextCoding};
use zorb_giop::{
    AddressingDisposition, Cancellation, MessageFormat, Messaging, ProfileTag, ReplyStatus,
    ServedRequest,
};
use zorb_os::lock::Locked;
use zorb_os::probe;
use zorb_poa::{ConnectionSetup, RequestSource};
use zorb_types::SystemException;

use self::state::{Output, OutputState};
use crate::connection::ServerConnection;
use crate::deferred::DeferredRequest;

/// The lock of the sending side.
type SendLock<'s> = Locked<'s, Output>;

/// Which thread sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendingThread {
    /// One that other connections depend on. It never waits for a client.
    Shared,
    /// One of the connection's own. It may wait for the client.
    Own,
}

/// The connection of a request and the thread that serves it.
pub(super) struct ReplyPath<'c> {
    pub(super) connection: &'c Arc<ServerConnection>,
    pub(super) thread: SendingThread,
}

impl RequestSource for ReplyPath<'_> {
    fn send_parts(&self, request: ServedRequest, parts: &mut [IoSlice<'_>], last: Gathered) {
        self.connection.send_parts(request, parts, last, self.thread);
    }

    fn caller(&self) -> Option<Caller> {
        let connection: Arc<ServerConnection> = Arc::clone(self.connection);
        Some(Caller::of(connection))
    }

    fn lane_priority(&self) -> Option<i16> {
        self.connection.lane.priority()
    }

    fn declare_band(&self, data: &[u8]) {
        self.connection.apply_declared_band(data);
    }

    fn set_up(&self, setup: &ConnectionSetup) -> Option<ProfileTag> {
        self.connection.set_up_by(setup);
        Some(self.connection.profile)
    }

    #[cold]
    fn defer(&self) -> Result<Box<dyn RequestSource + Send + Sync>, SystemException> {
        Ok(Box::new(DeferredRequest::of(self.connection)?))
    }

    fn messaging(&self) -> Option<&'static dyn Messaging> {
        self.connection.messaging
    }
}

impl ServerConnection {
    /// Records a CancelRequest; a held request is not served.
    #[cold]
    pub(super) fn cancel(&self, cancellation: Cancellation) {
        self.sending.lock().cancelled.cancel(cancellation);
        self.awaited.withdraw_cancelled(cancellation, self.number());
    }

    /// Whether the client has cancelled a request, so that its reply need not be sent.
    #[cold]
    pub(super) fn is_cancelled(&self, request: ServedRequest) -> bool {
        self.sending.lock().cancelled.contains(request)
    }

    /// Sends a whole message, or ends the connection.
    pub(super) fn send(self: &Arc<Self>, message: &[u8]) {
        self.send_locked(self.sending.lock(), message, SendingThread::Shared);
    }

    /// Sends the reply to a request, unless the client has cancelled the request.
    #[inline(always)] // 2 % of a request
    pub(super) fn send_reply(
        self: &Arc<Self>,
        request: ServedRequest,
        reply: &[u8],
        thread: SendingThread,
    ) {
        let output = self.sending.lock();
        if !output.cancelled.contains(request) {
            self.send_locked(output, reply, thread);
        }
    }

    /// Sends the reply to a request from these parts, unless the client has cancelled the request.
    fn send_parts(
        self: &Arc<Self>,
        request: ServedRequest,
        mut parts: &mut [IoSlice<'_>],
        last: Gathered,
        thread: SendingThread,
    ) {
        let mut output = self.sending.lock();
        if output.cancelled.contains(request) {
            return;
        }
        probe!(MessagingSend);
        if output.state == OutputState::Free {
            let sent = gather::try_send(&*self.stream, &mut parts, last);
            probe!(TransportSend);
            match sent {
                Ok(()) if parts.is_empty() => return,
                Ok(()) => {}
                Err(error) => self.sending_failed(&mut output, &error),
            }
        }
        self.send_rest(output, parts, thread);
    }

    /// Sends a deferred reply, on any thread, which does not wait for the client.
    #[cold]
    pub(super) fn send_later(
        self: &Arc<Self>,
        request: ServedRequest,
        parts: &mut [IoSlice<'_>],
        last: Gathered,
    ) {
        self.send_parts(request, parts, last, SendingThread::Shared);
    }

    #[inline]
    fn send_locked(self: &Arc<Self>, output: SendLock<'_>, message: &[u8], thread: SendingThread) {
        probe!(MessagingSend);
        let sent = match output.state {
            OutputState::Free => self.stream.try_send(message),
            _ => Ok(0),
        };
        probe!(TransportSend);
        match sent {
            Ok(count) if count == message.len() => {}
            incomplete => self.send_incomplete(output, message, incomplete, thread),
        }
    }

    /// Sends or queues the rest of a message that the stream has not accepted.
    #[cold]
    #[inline(never)]
    fn send_incomplete(
        self: &Arc<Self>,
        mut output: SendLock<'_>,
        message: &[u8],
        sent: io::Result<usize>,
        thread: SendingThread,
    ) {
        let count = sent.unwrap_or_else(|error| {
            self.sending_failed(&mut output, &error);
            0
        });
        let rest = message.get(count..).unwrap_or_default();
        self.send_rest(output, &mut [IoSlice::new(rest)], thread);
    }

    /// Asks the client to repeat an abbreviated request in full.
    #[cold]
    pub(super) fn ask_for_all(
        self: &Arc<Self>,
        messaging: &'static dyn Messaging,
        request_id: u32,
    ) {
        let mut octets = Vec::new();
        let (order, status) = (ByteOrder::NATIVE, ReplyStatus::NeedsAddressingMode);
        let reply =
            MessageFormat::Other(messaging).reply(&mut octets, order, request_id, status, &[]);
        let written = reply.and_then(|mut message| {
            AddressingDisposition::KeyAddr.write(&mut message.body(TextCoding::default()));
            message.finish()
        });
        // Such a short message cannot fail.
        if written.is_ok() {
            self.send(&octets);
        }
    }

    /// Sends the final message of the connection, if one is due and the client reads. The caller then shuts
    /// the stream down.
    #[cold]
    pub(super) fn transmit(&self) {
        let mut octets = Vec::new();
        while self.requests.poll_transmit(self.messaging, &mut octets) {
            let output = self.sending.lock();
            if output.state == OutputState::Free {
                // Best effort: the peer may have gone.
                let _ = self.stream.try_send(&octets);
            }
        }
    }
}
