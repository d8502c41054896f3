//! A client's connection and its counterpart to the server.

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

/// For how long replies are still passed on to a client that sends no more requests, or when the
/// server takes none.
const LINGER: Duration = Duration::from_secs(5);

/// How long to try to send a few last words to a peer that may have stopped to read.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// A bridged connection: two streams and the two threads that move messages between them.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) shared: Arc<Shared>,
    pub(crate) framing: Framing,
    pub(crate) client: Arc<dyn Stream>,
    /// Held by whoever sends to the client.
    sending: Lock<()>,
    /// From the first request on.
    target: OnceLock<Arc<dyn Stream>>,
    pub(crate) from_client: Counts,
    pub(crate) from_server: Counts,
    /// The minor number of the highest version of GIOP that the client has used.
    version: AtomicU8,
    /// Whether the thread of the replies runs.
    replying: Lock<bool>,
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
            replying: Lock::new(false),
            replied: Condition::new(),
        }
    }

    /// The body of the thread that moves requests.
    pub(crate) fn run(self: &Arc<Self>) {
        if let Err(error) = self.client.establish() {
            tracing::warn!(peer = self.client.peer(), %error, "connection refused");
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
        tracing::debug!(peer = self.client.peer(), %ending, "the client's side has ended");
        match ending {
            Ending::End | Ending::Last => {
                if let Some(target) = self.target.get() {
                    // The server reads all requests before it reads that there are no more.
                    let _ = target.shutdown(Shutdown::Write);
                    self.wait_for_replies();
                }
            }
            // What it said last may be on its way to the client.
            Ending::NotTaken(_) => self.wait_for_replies(),
            Ending::Broken(error) => self.complain(&*self.client, self.framing, error),
            Ending::Idle => self.say_goodbye(),
            Ending::Lost(_) => {}
        }
    }

    /// The body of the thread that moves replies.
    fn run_replies(&self, target: &dyn Stream) {
        let settings = &self.shared.settings;
        let (wait, size) = ((settings.wait, None), settings.max_message_size);
        let framing = self.shared.target.framing;
        let ending = if self.converts() {
            Converter::new(target, framing, size, wait).run(&mut ConvertedReplies::new(self))
        } else {
            Relay::new(target, framing, size, wait).run(&mut Replies::new(self))
        };
        tracing::debug!(peer = target.peer(), %ending, "the server's side has ended");
        if let Ending::Broken(error) = &ending {
            tracing::warn!(peer = target.peer(), %error, "the target's connection is of no use");
            self.complain(target, self.shared.target.framing, error);
        }
        self.close();
    }

    /// Says what the peer did wrong, where it is owed that.
    fn complain(&self, to: &dyn Stream, framing: Framing, error: &ProtocolError) {
        if error.answer_message_error {
            // Not in the midst of a message; and who does not take it is not waited for.
            let free = self.sending.try_lock();
            if free.is_some() && to.set_send_timeout(Some(LAST_WORDS)).is_ok() {
                let _ = to.send_all(&framing.message_error());
            }
        }
    }

    /// Whether messages of the two sides are framed otherwise.
    fn converts(&self) -> bool {
        self.framing != self.shared.target.framing
    }

    /// What the client is written to in.
    pub(crate) fn client_form(&self) -> Form<'static> {
        self.framing.form(self.version())
    }

    /// Connects to the target, and has its replies passed on from now on.
    pub(crate) fn reach_target(self: &Arc<Self>) -> Result<Arc<dyn Stream>, SystemException> {
        let settings = &self.shared.settings;
        let transient = |minor| SystemException::transient(minor, CompletionStatus::No);
        let target = self.shared.target.connect(settings).map_err(|error| {
            let timed_out = error.as_ref().is_none_or(|error| error.is_timed_out());
            if let Some(error) = error {
                tracing::warn!(%error, "the target cannot be reached");
            }
            transient(match timed_out {
                true => minor::transient::CONNECT_TIMED_OUT,
                false => minor::transient::CONNECT_FAILED,
            })
        })?;
        let no_use = |_| transient(minor::transient::CONNECT_FAILED);
        target.set_send_timeout(Some(settings.send_timeout)).map_err(no_use)?;
        // Whoever closes the connection from now on finds the stream.
        let _ = self.target.set(Arc::clone(&target));
        *self.replying() = true;
        let (link, stream) = (Arc::clone(self), Arc::clone(&target));
        let started = thread::Builder::new().name("zorb-bridge-out".to_owned()).spawn(move || {
            // Also when the thread panics.
            let _done = Done(&link);
            link.run_replies(&*stream);
        });
        started.map_err(|error| {
            tracing::error!(%error, "no thread for a connection");
            *self.replying() = false;
            let minor = minor::no_resources::THREADS;
            SystemException::no_resources(minor, CompletionStatus::No)
        })?;
        if self.shared.is_closed() {
            self.close();
        }
        Ok(target)
    }

    /// Sends a message of the bridge's own.
    pub(crate) fn tell_client(&self, octets: &[u8]) -> io::Result<()> {
        let _sending = self.sending();
        self.client.send_all(octets)
    }

    pub(crate) fn sending(&self) -> Locked<'_, ()> {
        self.sending.lock()
    }

    /// Whether the client waits for replies.
    pub(crate) fn owes_replies(&self) -> bool {
        self.from_client.awaited.value() > self.from_server.messages.value()
    }

    pub(crate) fn note_version(&self, version: GiopVersion) {
        if version.minor() > self.version.load(Ordering::Relaxed) {
            self.version.store(version.minor(), Ordering::Relaxed);
        }
    }

    fn version(&self) -> GiopVersion {
        let minor = self.version.load(Ordering::Relaxed);
        GiopVersion::of_message(1, minor).unwrap_or(GiopVersion::V1_0)
    }

    fn replying(&self) -> Locked<'_, bool> {
        self.replying.lock()
    }

    fn wait_for_replies(&self) {
        let running = self.replying();
        drop(self.replied.wait_while(running, LINGER, |running| *running));
    }

    /// Ends the connection of a client whose requests are not read.
    pub(crate) fn turn_away(&self) {
        self.say_goodbye();
        self.close();
    }

    /// Tells the client that requests without a reply were not processed.
    fn say_goodbye(&self) {
        // When it does not arrive the client notices the end of the stream all the same.
        if self.client.set_send_timeout(Some(LAST_WORDS)).is_ok() {
            let _ = self.tell_client(&self.framing.close_connection(self.version()));
        }
    }

    /// Ends both connections; their threads find out.
    pub(crate) fn close(&self) {
        // Who has gone already is not an error.
        let _ = self.client.shutdown(Shutdown::Both);
        if let Some(target) = self.target.get() {
            let _ = target.shutdown(Shutdown::Both);
        }
    }

    /// What has gone over it.
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

/// Says that the replies' thread has ended.
struct Done<'l>(&'l Link);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        *self.0.replying() = false;
        self.0.replied.tell_all();
    }
}
