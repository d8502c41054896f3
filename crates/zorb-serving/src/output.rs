//! What a served connection sends: one message at a time.

use std::io::{self, IoSlice};
use std::net::Shutdown;

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    AddressingDisposition, Cancellation, CancelledRequests, Form, Messaging, ProfileTag,
    ReplyStatus, ServedRequest,
};
use zorb_os::lock::Locked;
use zorb_os::probe;
use zorb_poa::{ConnectionSetup, RequestSource};

use crate::connection::ServerConnection;

/// The lock of the sending side.
type SendLock<'s> = Locked<'s, CancelledRequests>;

impl RequestSource for ServerConnection {
    fn send_parts(&self, request: ServedRequest, parts: &mut [IoSlice<'_>]) {
        let lock = self.sending.lock();
        if !lock.contains(request) {
            probe!(MessagingSend);
            let sent = self.stream.send_vectored_all(parts);
            self.after_sending(&lock, sent);
        }
    }

    fn lane_priority(&self) -> Option<i16> {
        self.lane.priority()
    }

    fn declare_band(&self, data: &[u8]) {
        self.apply_declared_band(data);
    }

    fn set_up(&self, setup: &ConnectionSetup) -> Option<ProfileTag> {
        self.set_up_by(setup);
        Some(self.profile)
    }
}

impl ServerConnection {
    /// Records a CancelRequest.
    #[cold]
    pub(super) fn cancel(&self, cancellation: Cancellation) {
        self.sending.lock().cancel(cancellation);
    }

    /// Sends a whole message, or ends the connection.
    pub(super) fn send(&self, message: &[u8]) {
        self.send_locked(&self.sending.lock(), message);
    }

    /// Sends the reply to a request, unless the client has cancelled it meanwhile.
    pub(super) fn send_reply(&self, request: ServedRequest, reply: &[u8]) {
        let lock = self.sending.lock();
        if !lock.contains(request) {
            self.send_locked(&lock, reply);
        }
    }

    fn send_locked(&self, lock: &SendLock<'_>, message: &[u8]) {
        probe!(MessagingSend);
        self.after_sending(lock, self.stream.send_all(message));
    }

    #[inline]
    fn after_sending(&self, _: &SendLock<'_>, sent: io::Result<()>) {
        probe!(TransportSend);
        if let Err(error) = sent {
            self.sending_failed(&error);
        }
    }

    #[cold]
    fn sending_failed(&self, error: &io::Error) {
        tracing::debug!(peer = self.stream.peer(), %error, "a reply could not be sent");
        // Part of it may be on its way, so nothing that follows would be understood. This also
        // frees the threads that wait to send after this one.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Asks for a request once more with nothing left out.
    #[cold]
    pub(super) fn ask_for_all(&self, messaging: &'static dyn Messaging, request_id: u32) {
        let mut octets = Vec::new();
        let (order, status) = (ByteOrder::NATIVE, ReplyStatus::NeedsAddressingMode);
        let reply = Form::Other(messaging).reply(&mut octets, order, request_id, status, &[]);
        let written = reply.and_then(|mut message| {
            AddressingDisposition::KeyAddr.write(&mut message.body(TextCoding::default()));
            message.finish()
        });
        // It has a few octets, so there is no error.
        if written.is_ok() {
            self.send(&octets);
        }
    }

    /// Sends the message that ends the connection, if it is time for one.
    #[cold]
    pub(super) fn transmit(&self) {
        let mut octets = Vec::new();
        while self.requests.poll_transmit(self.messaging, &mut octets) {
            self.send(&octets);
        }
    }
}
