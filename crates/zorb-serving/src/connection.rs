//! One connection that a client has opened to this ORB.
//!
//! At most one thread reads from it: the one that has taken the [input](super::input::Input) out of its slot.
//! During an upcall the input is in the slot, so that another thread can read the next request. A connection
//! [without readiness](zorb_transport::Stream::readiness_fd), and each connection of a lane with the strategy
//! thread per connection, has [threads of its own](super::own_threads); all others are served by the threads
//! of their lane's [reactor](super::reactor).

mod ending;
pub(crate) mod new_connection;

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::os::fd::BorrowedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use zorb_base::callback::discard;
use zorb_base::connections::SlotKey;
use zorb_base::counters::CallLock;
use zorb_base::orb_core::OrbCore;
use zorb_base::peer_threads::ThreadPeer;
use zorb_base::policy::BufferStrategy;
use zorb_base::progress::Progress;
use zorb_base::upcall_thread::{ServedConnection, end_upcall, serve};
use zorb_cdr::ReadContext;
use zorb_giop::{
    MessageBudget, MessageHeader, Messaging, ProfileTag, ProtocolError, ServerRequests,
};
use zorb_os::lock::Condition;
use zorb_os::slot::Slot;
use zorb_poa::ResumePass;
use zorb_transport::{BusyWait, PeerShares, Stream, log_limited};

use crate::awaited::AwaitedRequests;
use crate::context::ServerContext;
use crate::events::Events;
use crate::input::Input;
use crate::lane::core::LaneCore;
use crate::message::RequestMessage;
use crate::output::state::Output;
use crate::own_threads::before_upcall::BeforeUpcall;
use crate::own_threads::ordered::OrderedRequests;
use crate::own_threads::state::OwnThreads;
use crate::scratch::Scratch;

/// A connection that a client opened to this ORB. Aligned, because its threads write to it all the time and
/// those of other connections never do.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct ServerConnection {
    pub(super) stream: Arc<dyn Stream>,
    pub(super) core: Arc<ServerContext>,
    pub(super) lane: Arc<LaneCore>,
    pub(super) serving_lane: Arc<dyn ServingLane>,
    /// The account that its messages are charged to: its client's share.
    pub(super) budget: Arc<MessageBudget>,
    /// Whether all messages come from one peer; not in datagrams.
    has_peer: bool,
    /// The IP address of its client, if it has one. Kept, as it is asked of all connections when one has to close.
    ip_address: Option<IpAddr>,
    /// Where it is in the lane's table.
    pub(super) slot: SlotKey,
    /// The profiles that lead to its endpoint.
    pub(super) profile: ProfileTag,
    /// Its messaging protocol; `None` for GIOP.
    pub(super) messaging: Option<&'static dyn Messaging>,
    /// Whether it has a client, to which replies can be sent.
    connected: bool,
    pub(super) wait: BusyWait,
    /// Minimum length of octets at the end of a reply that are sent from the servant's memory without a copy.
    #[cfg(feature = "buffers")]
    gather_threshold: usize,
    /// Its reading side, while no thread reads.
    pub(super) input: Slot<Input>,
    /// Held while a message is sent, with priority inheritance.
    pub(super) sending: CallLock<Output>,
    /// Notified when nothing is left to send.
    pub(super) output_sent: Condition,
    /// Whether messages wait for the client to read.
    pub(super) output_waits: AtomicBool,
    /// The requests in progress, and how the connection ends.
    pub(super) requests: ServerRequests,
    /// Which message it waits for.
    pub(crate) progress: Arc<Progress>,
    /// Whether it has threads of its own.
    has_own_threads: AtomicBool,
    pub(super) own_threads: OwnThreads,
    /// Its resumed requests, if these [keep their order](Self::ordered) and one has been held.
    pub(super) resumed: OnceLock<Arc<ConnectionRequests>>,
    /// Its held requests whose replies its client awaits.
    pub(super) awaited: AwaitedRequests,
    pub(super) events: Events,
    /// The adapter whose policies were applied last; 0 for none.
    pub(super) set_up_by: AtomicUsize,
    pub(super) before_upcall: BeforeUpcall,
    /// Which of [`BufferStrategy::ALL`] a servant has chosen for it, counted from
    /// 1; 0 for none.
    pub(super) buffer_strategy: AtomicU8,
}

/// What connections need of the lane that serves them: [`Lane`](crate::lane::Lane) implements it.
///
/// A lane consists of its connections, a reactor and a strategy, and is built on them. The trait is the way up, for what
/// happens rarely: a connection ends, its output waits, or a request was held. With half-sync/half-async each request is queued
/// through it, which takes 16 of 2,384 instructions; with the other strategies, requests do not use it.
pub(crate) trait ServingLane: Send + Sync {
    /// Forgets a connection that is over.
    fn forget(&self, connection: &ServerConnection, slot: SlotKey);

    /// Closes another connection, as there were no descriptors for this one: a later client gets them.
    fn make_room_after(&self, connection: &ServerConnection);

    /// Starts or stops watching whether the stream is writable.
    ///
    /// # Errors
    /// The connection is not registered with the reactor.
    fn watch_output(
        &self,
        connection: &ServerConnection,
        slot: SlotKey,
        wanted: bool,
    ) -> io::Result<()>;

    /// Lets a thread of the reactor serve requests that have been received already.
    fn queue_buffered(&self, connection: &Arc<ServerConnection>);

    /// Queues the Request that is the current message of `connection` for another thread, where the lane
    /// [does so](LaneCore::queues_requests).
    ///
    /// # Errors
    /// When the message is broken.
    fn enqueue(
        &self,
        connection: &Arc<ServerConnection>,
        input: &mut Input,
        header: &MessageHeader,
        scratch: &mut Scratch,
    ) -> Result<(), ProtocolError>;

    /// Lets a thread serve a request that was held.
    fn resume(self: Arc<Self>, request: ReleasedRequest);

    /// Lets a thread serve the next resumed request of a connection whose requests [keep their
    /// order](ServerConnection::ordered).
    fn resume_next(self: Arc<Self>, requests: Arc<ConnectionRequests>);
}

/// The resumed requests of a connection, with the strategy thread per connection.
pub(crate) type ConnectionRequests = OrderedRequests<ReleasedRequest, Arc<dyn ServingLane>>;

// Formatting the lane would add 95 KB to programs.
impl fmt::Debug for dyn ServingLane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServingLane")
    }
}

/// A held request that has been released.
pub(crate) struct ReleasedRequest {
    pub(crate) message: Box<RequestMessage>,
    /// Its connection, which counts it again; `None` if that has ended.
    pub(crate) connection: Option<Arc<ServerConnection>>,
    pub(crate) context: Arc<ServerContext>,
    /// Those of the connection that it came over, with the strategy thread per connection.
    pub(crate) ordered: Option<Arc<ConnectionRequests>>,
    pub(crate) release: Release,
}

impl fmt::Debug for ReleasedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReleasedRequest").field("message", &self.message).finish_non_exhaustive()
    }
}

/// How a held request has been released.
pub(crate) enum Release {
    /// Serve it, if it is admitted now.
    Resumed(ResumePass),
    /// Refuse it: it has been held for too long.
    Expired,
}

impl ServerConnection {
    /// Minimum length of octets at the end of a reply that are sent from the servant's memory without a copy.
    #[inline]
    pub(super) fn copy_threshold(&self) -> usize {
        let own = self.core.options().copy_threshold;
        #[cfg(feature = "buffers")]
        let own = own.min(self.gather_threshold);
        own
    }

    pub(crate) fn is_established(&self) -> bool {
        self.stream.is_established()
    }

    pub(crate) fn peer(&self) -> &str {
        self.stream.peer()
    }

    /// The IP address of its client, if it has one.
    pub(crate) fn ip_address(&self) -> Option<IpAddr> {
        self.ip_address
    }

    /// Whether all messages come from one peer; not in datagrams.
    pub(super) fn has_peer(&self) -> bool {
        self.has_peer
    }

    /// Whose share of threads serves its requests.
    pub(super) fn thread_peer(&self) -> ThreadPeer {
        match self.has_peer {
            true => self.ip_address().into(),
            false => ThreadPeer::Datagrams,
        }
    }

    /// A number that no other connection has, as long as this one or a held request of it exists.
    pub(super) fn number(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Whether it has a client without a request in progress.
    pub(crate) fn is_idle(&self) -> bool {
        self.connected && !self.requests.is_busy() && !self.stream.is_used_otherwise()
    }

    /// Whether it has a client whose requests in progress are all held.
    pub(crate) fn is_held(&self) -> bool {
        let requests = &self.requests;
        let all_held = requests.outstanding() == 0 && requests.is_busy();
        self.connected && all_held && !self.stream.is_used_otherwise()
    }

    /// Whether it ends at once: nothing more is read, and no request runs, nor does a reply wait for its client. A thread
    /// that waited for that ends its request at once.
    pub(crate) fn is_ending(&self) -> bool {
        let requests = &self.requests;
        requests.is_closing()
            && !self.output_waits()
            && requests.outstanding() <= self.own_threads.sending()
    }

    /// Times the messages of its client, if it has one.
    pub(crate) fn start_timing(&self) {
        if self.connected {
            self.core.watchdog().start_timing(&self.progress, &self.stream);
        }
    }

    /// The descriptor for the reactor, if the stream has one.
    pub(crate) fn readiness(&self) -> Option<BorrowedFd<'_>> {
        self.stream.readiness_fd()
    }

    /// Whether it has threads of its own, rather than those of the reactor.
    #[inline]
    pub(super) fn has_own_threads(&self) -> bool {
        self.has_own_threads.load(Ordering::Relaxed)
    }

    pub(super) fn takes_own_threads(&self) {
        self.has_own_threads.store(true, Ordering::Release);
    }

    /// It has got none.
    pub(super) fn has_no_own_threads(&self) {
        self.has_own_threads.store(false, Ordering::Release);
    }

    /// Its resumed requests, which keep their order among themselves with the strategy thread per connection; `None`
    /// with others. Called when a request is held.
    pub(super) fn ordered(&self) -> Option<Arc<ConnectionRequests>> {
        if !self.lane.resumes_in_order() {
            return None;
        }
        let resumed =
            self.resumed.get_or_init(|| Arc::new(OrderedRequests::of(self.thread_peer())));
        self.before_upcall.note_held();
        Some(Arc::clone(resumed))
    }

    /// Serves it on the calling thread; a panic outside a servant's method ends only the connection.
    pub(super) fn guarded(self: &Arc<Self>, work: impl FnOnce()) {
        serve(self);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            discard(panic);
            // For example in a servant's drop. The connection must not stay open without a thread.
            log_limited!(error, peer = self.stream.peer(), "a serving thread panicked");
            end_upcall();
            self.abandon();
        }
    }
}

/// The share of the peer of a stream, or that of all senders of datagrams.
fn share(shares: &PeerShares, stream: &dyn Stream, has_peer: bool) -> Arc<MessageBudget> {
    match has_peer {
        true => shares.share(stream),
        false => shares.share_of_datagrams(),
    }
}

impl ServedConnection for ServerConnection {
    fn orb(&self) -> &Arc<OrbCore> {
        self.core.orb()
    }

    fn context(&self) -> &dyn ReadContext {
        self.core.read_context()
    }

    fn stream(&self) -> &Arc<dyn Stream> {
        &self.stream
    }

    fn share(&self, shares: &PeerShares) -> Arc<MessageBudget> {
        share(shares, &*self.stream, self.has_peer)
    }

    fn buffer_strategy(&self) -> Option<BufferStrategy> {
        let chosen = usize::from(self.buffer_strategy.load(Ordering::Relaxed));
        chosen.checked_sub(1).and_then(|at| BufferStrategy::ALL.get(at).copied())
    }

    fn set_buffer_strategy(&self, strategy: BufferStrategy) {
        let number = BufferStrategy::ALL.iter().position(|it| *it == strategy);
        let number = number.and_then(|at| u8::try_from(at + 1).ok()).unwrap_or(0);
        self.buffer_strategy.store(number, Ordering::Relaxed);
    }

    fn begin_probe(&self) {
        self.own_threads.probes.begin();
    }

    fn end_probe(&self) {
        self.own_threads.probes.end();
    }

    /// Called at most once per upcall: if this thread's input has been taken already, the one in the slot
    /// belongs to a thread that does not block.
    fn hand_over(self: Arc<Self>) -> bool {
        !self.has_own_threads() || self.hand_over_to_block()
    }
}
