//! What a served connection sends: one message at a time.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use zorb_base::counters::{CallLock, Count};
use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    AddressingDisposition, CancelledRequests, Form, GiopVersion, Messaging, ProfileTag,
    ProtocolError, ReplyStatus,
};
use zorb_os::lock::Locked;
use zorb_os::probe;
use zorb_poa::{ConnectionSetup, RequestSource};

use crate::connection::ServerConnection;

/// The sending side of a connection.
#[derive(Debug)]
pub(super) struct Output {
    /// Held while a message is sent, so that messages of several threads do not mix. Who holds it has
    /// the priority of the most urgent one that waits.
    cancelled: CallLock<CancelledRequests>,
    /// Whether a request was ever cancelled.
    any_cancelled: AtomicBool,
    /// The minor number of the highest version that the client has used.
    version: AtomicU8,
}

/// The lock of the sending side.
type SendLock<'s> = Locked<'s, CancelledRequests>;

impl Output {
    pub(super) fn new() -> Self {
        Self {
            cancelled: CallLock::new(Count::ServerLocks, CancelledRequests::new()),
            any_cancelled: AtomicBool::new(false),
            version: AtomicU8::new(0),
        }
    }

    #[inline]
    fn lock(&self) -> SendLock<'_> {
        self.cancelled.lock()
    }

    /// Takes note of a CancelRequest.
    pub(super) fn cancel(&self, request_id: u32) {
        let mut lock = self.lock();
        lock.cancel(request_id);
        self.any_cancelled.store(true, Ordering::Release);
    }

    /// Whether nobody waits for the reply to a request any more.
    #[inline]
    fn is_cancelled(&self, lock: &SendLock<'_>, request_id: u32) -> bool {
        self.any_cancelled.load(Ordering::Acquire) && lock.contains(request_id)
    }

    /// Takes note of a request, and of the highest version so far.
    #[inline]
    pub(super) fn begin_request(&self, request_id: u32, highest: GiopVersion) {
        if self.any_cancelled.load(Ordering::Acquire) {
            self.forget_cancellation(request_id);
        }
        if self.version.load(Ordering::Relaxed) != highest.minor() {
            self.version.store(highest.minor(), Ordering::Relaxed);
        }
    }

    /// Request ids are used again: a cancellation was of an earlier request.
    #[cold]
    fn forget_cancellation(&self, request_id: u32) {
        self.lock().begin_request(request_id);
    }

    fn highest_version(&self) -> GiopVersion {
        let minor = self.version.load(Ordering::Relaxed);
        GiopVersion::of_message(1, minor).unwrap_or(GiopVersion::V1_0)
    }
}

impl RequestSource for ServerConnection {
    fn send_parts(&self, request_id: u32, parts: &mut [IoSlice<'_>]) {
        let lock = self.output.lock();
        if !self.output.is_cancelled(&lock, request_id) {
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
    /// Sends a whole message, or ends the connection.
    pub(super) fn send(&self, message: &[u8]) {
        self.send_locked(&self.output.lock(), message);
    }

    /// Sends the reply to a request, unless the client has cancelled it meanwhile.
    pub(super) fn send_reply(&self, request_id: u32, reply: &[u8]) {
        let lock = self.output.lock();
        if !self.output.is_cancelled(&lock, request_id) {
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

    /// Answers a broken message as the standard says; the connection ends after it.
    pub(super) fn refuse(&self, error: &ProtocolError) {
        tracing::warn!(peer = self.stream.peer(), %error, "protocol error");
        if error.answer_message_error {
            let mut octets = Vec::new();
            let form = Form::new(self.messaging, GiopVersion::HIGHEST);
            form.message_error(&mut octets, ByteOrder::NATIVE);
            self.send(&octets);
        }
    }

    /// Asks for a request once more with nothing left out.
    #[cold]
    pub(super) fn ask_for_all(&self, messaging: &'static dyn Messaging, request_id: u32) {
        let mut octets = Vec::new();
        let (order, status) = (ByteOrder::NATIVE, ReplyStatus::NeedsAddressingMode);
        let reply = Form::Other(messaging).reply(&mut octets, order, request_id, status, &[]);
        let written = reply.and_then(|mut message| {
            message.body(TextCoding::default()).write_i16(AddressingDisposition::KeyAddr as i16);
            message.finish()
        });
        // It has a few octets, so there is no error.
        if written.is_ok() {
            self.send(&octets);
        }
    }

    pub(super) fn send_close_connection(&self) {
        let mut octets = Vec::new();
        let form = Form::new(self.messaging, self.output.highest_version());
        form.close_connection(&mut octets, ByteOrder::NATIVE);
        self.send(&octets);
    }
}
