//! A client's connection and the corresponding connection to the server.

use std::io;
use std::net::Shutdown;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use zorb_giop::{Form, GiopVersion, ProtocolError};
use zorb_os::lock::{Condition, Lock, Locked};
use zorb_transport::Stream;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::bridge::Shared;
use crate::conversion::{ConvertedReplies, ConvertedRequests, Converter};
use crate::framing::Framing;
use crate::relay::{Ending, Relay};
use crate::replies::Replies;
use crate::requests::Requests;
use crate::statistics::{Counts, Statistics};

/// How long replies are still forwarded to a client that sends no more requests, or when the server
/// accepts none.
const LINGER: Duration = Duration::from_secs(5);

/// The send timeout of a final message to a peer that may not be reading.
const FINAL_SEND_TIMEOUT: Duration = Duration::from_millis(100);

/// A bridged connection: two streams, and the two threads that forward messages between them.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) shared: Arc<Shared>,
    pub(crate) framing: Framing,
    pub(crate) client: Arc<dyn Stream>,
    /// PendingRequest while sending to the client.
    sending: Lock<()>,
    /// Set by the first request.
    target: OnceLock<Arc<dyn Stream>>,
    pub(crate) from_client: Counts,
    pub(crate) from_server: Counts,
    /// The minor number of the highest GIOP version that the client has used.
    version: AtomicU8,
    /// Whether the thread of the replies is running.
    replies_running: Lock<bool>,
    replied: Condition,
}

impl Link {
    pub(crate) fn new(shared: &Arc<Shared>, framing: Framing, client: Arc<dyn Stream>) -> Self {
        Self {
            shared: Arc::clone(shared),
            framing,
            client,
            sending: Lock::default(),
            target: OnceLock::new(),
            from_client: Counts::default(),
            from_server: Counts::default(),
            version: AtomicU8::new(0),
            replies_running: Lock::new(false),
            replied: Condition::new(),
        }
    }

    /// The body of the thread that forwards requests.
    pub(crate) fn run(self: &Arc<Self>) {
        if let Err(error) = self.client.establish() {
            tracing::warn!(peer = self.client.peer(), %error, "connection rejected");
            return self.close();
        }
        let settings = &self.shared.settings;
        if let Err(error) = self.client.set_send_timeout(Some(settings.send_timeout)) {
            tracing::debug!(peer = self.client.peer(), %error, "connection lost");
            return self.close();
        }
        let wait = (settings.wait, settings.idle_timeout);
        let size = settings.max_message_size;
        let requests = Requests::new(self);
        let ending = if self.converts() {
            let mut requests = ConvertedRequests::new(requests);
            Converter::new(&*self.client, self.framing, size, wait).run(&mut requests)
        } else {
            let mut requests = requests;
            Relay::new(&*self.client, self.framing, size, wait).run(&mut requests)
        };
        self.end_of_requests(&ending);
        self.close();
    }

    fn end_of_requests(&self, ending: &Ending) {
        tracing::debug!(peer = self.client.peer(), %ending, "the client's connection has ended");
        match ending {
            Ending::End | Ending::Last => {
                if let Some(target) = self.target.get() {
                    // The server reads all requests before the end of the stream.
                    let _ = target.shutdown(Shutdown::Write);
                    self.wait_for_replies();
                }
            }
            // A final message of the server may still be on its way to the client.
            Ending::SendFailed(_) => self.wait_for_replies(),
            Ending::Broken(error) => self.send_message_error(&*self.client, self.framing, error),
            Ending::Idle => self.send_close_connection(),
            Ending::Lost(_) => {}
        }
    }

    /// The body of the thread that forwards replies.
    fn run_replies(&self, target: &dyn Stream) {
        let settings = &self.shared.settings;
        let (wait, size) = ((settings.wait, None), settings.max_message_size);
        let framing = self.shared.target.framing;
        let ending = if self.converts() {
            Converter::new(target, framing, size, wait).run(&mut ConvertedReplies::new(self))
        } else {
            Relay::new(target, framing, size, wait).run(&mut Replies::new(self))
        };
        tracing::debug!(peer = target.peer(), %ending, "the server's connection has ended");
        if let Ending::Broken(error) = &ending {
            tracing::warn!(peer = target.peer(), %error, "the target violated the protocol");
            self.send_message_error(target, self.shared.target.framing, error);
        }
        self.close();
    }

    /// Sends a MessageError to the peer where the protocol requires it.
    fn send_message_error(&self, to: &dyn Stream, framing: Framing, error: &ProtocolError) {
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
    fn converts(&self) -> bool {
        self.framing != self.shared.target.framing
    }

    /// The message form of the client's connection.
    pub(crate) fn client_form(&self) -> Form<'static> {
        self.framing.form(self.version())
    }

    /// Connects to the target and starts forwarding its replies.
    pub(crate) fn connect_target(self: &Arc<Self>) -> Result<Arc<dyn Stream>, SystemException> {
        let settings = &self.shared.settings;
        let transient = |minor| SystemException::transient(minor, CompletionStatus::No);
        let target = self.shared.target.connect(settings).map_err(|error| {
            let timed_out = error.as_ref().is_none_or(|error| error.is_timed_out());
            if let Some(error) = error {
                tracing::warn!(%error, "cannot connect to the target");
            }
            transient(match timed_out {
                true => minor::transient::CONNECT_TIMED_OUT,
                false => minor::transient::CONNECT_FAILED,
            })
        })?;
        let failed = |_| transient(minor::transient::CONNECT_FAILED);
        target.set_send_timeout(Some(settings.send_timeout)).map_err(failed)?;
        // From now on, closing the link also closes this stream.
        let _ = self.target.set(Arc::clone(&target));
        *self.replies_running() = true;
        let (link, stream) = (Arc::clone(self), Arc::clone(&target));
        let started = thread::Builder::new().name("zorb-bridge-out".to_owned()).spawn(move || {
            // Also when the thread panics.
            let _done = RepliesGuard(&link);
            link.run_replies(&*stream);
        });
        started.map_err(|error| {
            tracing::error!(%error, "cannot start a thread for a connection");
            *self.replies_running() = false;
            let minor = minor::no_resources::THREADS;
            SystemException::no_resources(minor, CompletionStatus::No)
        })?;
        if self.shared.is_closed() {
            self.close();
        }
        Ok(target)
    }

    /// Sends a message of the bridge itself.
    pub(crate) fn send_to_client(&self, octets: &[u8]) -> io::Result<()> {
        let _sending = self.sending();
        self.client.send_all(octets)
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

    fn version(&self) -> GiopVersion {
        let minor = self.version.load(Ordering::Relaxed);
        GiopVersion::of_message(1, minor).unwrap_or(GiopVersion::V1_0)
    }

    fn replies_running(&self) -> Locked<'_, bool> {
        self.replies_running.lock()
    }

    fn wait_for_replies(&self) {
        let running = self.replies_running();
        drop(self.replied.wait_while(running, LINGER, |running| *running));
    }

    /// Closes the connection of a client without reading its requests.
    pub(crate) fn reject(&self) {
        self.send_close_connection();
        self.close();
    }

    /// Tells the client that unanswered requests were not processed.
    fn send_close_connection(&self) {
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

/// Signals the end of the replies' thread when dropped.
struct RepliesGuard<'l>(&'l Link);

impl Drop for RepliesGuard<'_> {
    fn drop(&mut self) {
        *self.0.replies_running() = false;
        self.0.replied.tell_all();
    }
}
