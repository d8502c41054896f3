//! A client's connection and the corresponding connection to the server.

use std::io;
use std::net::{IpAddr, Shutdown};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use zorb_base::progress::Progress;
use zorb_giop::{GiopVersion, MessageBudget, MessageFormat, ProtocolError};
use zorb_os::lock::{Condition, Lock, Locked};
use zorb_transport::{Stream, ip_address};

use crate::context::Context;
use crate::framing::Framing;
use crate::statistics::{Counts, Statistics};

/// How long replies are still forwarded to a client that sends no more requests, or when the server
/// accepts none.
const LINGER: Duration = Duration::from_secs(5);

/// The send timeout of a final message to a peer that may not be reading.
const FINAL_SEND_TIMEOUT: Duration = Duration::from_millis(100);

/// A bridged connection: two streams, and the two threads that forward messages between them.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) context: Arc<Context>,
    pub(crate) framing: Framing,
    pub(crate) client: Arc<dyn Stream>,
    /// The IP address of the client, if it has one.
    pub(crate) address: Option<IpAddr>,
    /// What the octets of the client are charged to while they are buffered.
    pub(crate) budget: Arc<MessageBudget>,
    /// Held while sending to the client.
    sending: Lock<()>,
    /// Set by the first request.
    pub(crate) target: OnceLock<Arc<dyn Stream>>,
    pub(crate) from_client: Counts,
    pub(crate) from_server: Counts,
    /// The minor number of the highest GIOP version that the client has used.
    version: AtomicU8,
    /// What the client has sent so far.
    pub(crate) progress: Arc<Progress>,
    /// Whether the bridge connects to the server for a request.
    pub(crate) is_connecting: AtomicBool,
    /// When the client last left octets unread, as a number that grows with time; 0 if it reads.
    unread_since: AtomicU64,
    /// Whether it is closed to make room for another client.
    is_evicted: AtomicBool,
    /// Whether the thread of the replies is running.
    replies_running: Lock<bool>,
    pub(crate) replied: Condition,
}

impl Link {
    /// The link of a client.
    pub(crate) fn new(context: &Arc<Context>, framing: Framing, client: Arc<dyn Stream>) -> Self {
        Self {
            budget: context.shares.share(&*client),
            address: ip_address(&*client),
            context: Arc::clone(context),
            framing,
            client,
            sending: Lock::default(),
            target: OnceLock::new(),
            from_client: Counts::default(),
            from_server: Counts::default(),
            version: AtomicU8::new(0),
            progress: Arc::default(),
            is_connecting: AtomicBool::new(false),
            unread_since: AtomicU64::new(0),
            is_evicted: AtomicBool::new(false),
            replies_running: Lock::new(false),
            replied: Condition::new(),
        }
    }

    /// Sends a MessageError to the peer where the protocol requires it.
    pub(crate) fn send_message_error(
        &self,
        to: &dyn Stream,
        framing: Framing,
        error: &ProtocolError,
    ) {
        if error.answer_message_error {
            // Not in the middle of another message, and without waiting for a peer that is not
            // reading.
            let unused = self.sending.try_lock();
            if unused.is_some() && to.set_send_timeout(Some(FINAL_SEND_TIMEOUT)).is_ok() {
                let _ = to.send_all(&framing.message_error());
            }
        }
    }

    /// Whether the two sides have different framing.
    pub(crate) fn converts(&self) -> bool {
        self.framing != self.context.target.framing
    }

    /// The message form of the client's connection.
    pub(crate) fn client_form(&self) -> MessageFormat<'static> {
        self.framing.form(self.version())
    }

    /// Sends a message of the bridge itself.
    pub(crate) fn send_to_client(&self, octets: &[u8]) -> io::Result<()> {
        let _sending = self.sending();
        self.send(octets)
    }

    /// Sends octets to the client, with the [lock](Self::sending) for that. Records whether it leaves them unread.
    pub(crate) fn send(&self, octets: &[u8]) -> io::Result<()> {
        let sent = self.client.try_send(octets)?;
        match octets.get(sent..) {
            Some(rest) if !rest.is_empty() => self.while_unread(|| self.client.send_all(rest)),
            _ => Ok(()),
        }
    }

    /// Calls `wait` to send what the client has not read yet.
    #[cold]
    pub(crate) fn while_unread(&self, wait: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let since = self.context.stalls.fetch_add(1, Ordering::Relaxed) + 1;
        self.unread_since.store(since, Ordering::SeqCst);
        let sent = wait();
        self.unread_since.store(0, Ordering::SeqCst);
        sent
    }

    /// A number that grows with the time at which the client began to leave octets unread, if it does.
    pub(crate) fn unread_since(&self) -> Option<u64> {
        Some(self.unread_since.load(Ordering::SeqCst)).filter(|since| *since > 0)
    }

    /// Whether no request is in progress.
    pub(crate) fn is_idle(&self) -> bool {
        !self.has_pending_replies()
            && !self.is_connecting.load(Ordering::SeqCst)
            && self.unread_since().is_none()
    }

    /// Makes its thread close it in order. Returns whether this is news: its thread makes room for one client.
    pub(crate) fn evict(&self) -> bool {
        if self.is_evicted.swap(true, Ordering::SeqCst) {
            return false;
        }
        let _ = self.client.shutdown(Shutdown::Read);
        true
    }

    pub(crate) fn is_evicted(&self) -> bool {
        self.is_evicted.load(Ordering::SeqCst)
    }

    pub(crate) fn sending(&self) -> Locked<'_, ()> {
        self.sending.lock()
    }

    /// Whether replies to the client are outstanding.
    pub(crate) fn has_pending_replies(&self) -> bool {
        self.from_client.awaited.value() > self.from_server.messages.value()
    }

    pub(crate) fn record_version(&self, version: GiopVersion) {
        if version.minor() > self.version.load(Ordering::Relaxed) {
            self.version.store(version.minor(), Ordering::Relaxed);
        }
    }

    pub(crate) fn version(&self) -> GiopVersion {
        let minor = self.version.load(Ordering::Relaxed);
        GiopVersion::of_message(1, minor).unwrap_or(GiopVersion::V1_0)
    }

    pub(crate) fn replies_running(&self) -> Locked<'_, bool> {
        self.replies_running.lock()
    }

    pub(crate) fn wait_for_replies(&self) {
        let running = self.replies_running();
        drop(self.replied.wait_while(running, LINGER, |running| *running));
    }

    /// Closes the connection of a client without reading its requests.
    pub(crate) fn reject(&self) {
        // A client in a handshake has sent no request.
        if self.client.is_established() {
            let _ = self.client.try_send(&self.framing.close_connection(self.version()));
        }
        self.close();
    }

    /// Tells the client that unanswered requests were not processed.
    pub(crate) fn send_close_connection(&self) {
        // If it does not arrive, the client still notices the end of the stream.
        if self.client.set_send_timeout(Some(FINAL_SEND_TIMEOUT)).is_ok() {
            let _ = self.send_to_client(&self.framing.close_connection(self.version()));
        }
    }

    /// Closes both connections, which ends their threads.
    pub(crate) fn close(&self) {
        // An error means that the peer is already gone.
        let _ = self.client.shutdown(Shutdown::Both);
        if let Some(target) = self.target.get() {
            let _ = target.shutdown(Shutdown::Both);
        }
    }

    /// The statistics of this link.
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            connections: 1,
            requests: self.from_client.messages.value(),
            awaited: self.from_client.awaited.value(),
            replies: self.from_server.messages.value(),
            refused: self.from_client.refused.value(),
            request_octets: self.from_client.octets.value(),
            reply_octets: self.from_server.octets.value(),
        }
    }
}
