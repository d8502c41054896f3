//! One connection that a client has opened to this ORB.
//!
//! Whichever threads serve it, at most one of them reads: the one that has taken the
//! [input](super::input::Input) out of its slot. For the length of an upcall it leaves the input there, so
//! that another thread may read the next request meanwhile. A connection [without
//! readiness](zorb_transport::Stream::readiness_fd), and each connection of a lane with the strategy thread
//! per connection, has [threads of its own](super::own_threads); all others are served by the threads that
//! wait at their lane's [reactor](super::reactor).

use std::io;
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU8, AtomicU32, AtomicUsize, Ordering};

use zorb_base::orb_core::OrbCore;
use zorb_base::policy::BufferStrategy;
use zorb_base::upcall_thread::{ServedConnection, end_upcall, serve};
use zorb_giop::{Detached, Inbound, Limits, Messaging, ProfileTag};
use zorb_os::slot::Slot;
use zorb_poa::AdapterCache;
use zorb_transport::{Protocol, Stream, Waits};

use crate::input::Input;
use crate::lane::Lane;
use crate::output::Output;
use crate::own_threads::OwnThreads;
use crate::queued::RequestMessage;
use crate::reactor::Events;
use crate::server_core::ServerCore;
use zorb_cdr::ReadContext;

/// A connection that a client opened to this ORB.
///
/// Its threads write to it all the time and those of other connections never do, so it has its cache
/// lines to itself.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct ServerConnection {
    pub(super) stream: Arc<dyn Stream>,
    pub(super) core: Arc<ServerCore>,
    pub(super) lane: Arc<Lane>,
    /// Its number in the lane's table.
    slot: u32,
    /// The profiles that lead to its endpoint.
    pub(super) profile: ProfileTag,
    /// What frames its messages; `None` for GIOP.
    pub(super) messaging: Option<&'static dyn Messaging>,
    /// Whether it has one client, to which replies can be sent.
    connected: bool,
    pub(super) wait: Waits,
    /// Runs of octets at the end of a reply that are at least this long are sent from where they lie.
    #[cfg(feature = "buffers")]
    gather_threshold: usize,
    /// What is needed to read from it, while no thread reads.
    pub(super) input: Slot<Input>,
    pub(super) output: Output,
    /// Whether it has threads of its own.
    has_own_threads: AtomicBool,
    pub(super) own_threads: OwnThreads,
    pub(super) events: Events,
    /// Threads that serve it, and requests that are queued.
    users: AtomicU32,
    /// Requests that a POA manager holds.
    pub(super) held: AtomicU32,
    /// No further request is to be read.
    pub(super) closing: AtomicBool,
    /// The peer has ended the connection itself and is not sent a CloseConnection.
    pub(super) closed_by_peer: AtomicBool,
    /// Nothing is read any more; the last user finishes the connection.
    ended: AtomicBool,
    /// Whether a CloseConnection is sent then.
    sends_close: AtomicBool,
    finished: AtomicBool,
    /// The adapter whose policies it was last set up by; 0 for none.
    pub(super) set_up_by: AtomicUsize,
    /// The highest priority of the band that its client declares; -1 for none.
    pub(super) band: AtomicI16,
    /// Which of [`BufferStrategy::ALL`] a servant has chosen for it, counted from
    /// 1; 0 for none.
    pub(super) buffer_strategy: AtomicU8,
}

/// What a thread reuses from request to request.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The last request, whose buffer the next one takes over.
    pub(super) request: Detached,
    pub(super) reply: Vec<u8>,
    pub(super) adapters: AdapterCache,
    /// What reads the last request that left something out.
    pub(super) recalled: Option<Arc<dyn Messaging>>,
    /// For the next request that is queued for another thread.
    pub(super) spare: Option<Box<RequestMessage>>,
}

/// What a connection is made of.
pub(crate) struct NewConnection<'a> {
    pub(crate) protocol: &'a dyn Protocol,
    pub(crate) stream: Arc<dyn Stream>,
    pub(crate) lane: &'a Arc<Lane>,
    /// Its number in the lane's table.
    pub(crate) slot: u32,
}

impl ServerConnection {
    pub(crate) fn new(core: &Arc<ServerCore>, new: NewConnection<'_>) -> Arc<Self> {
        let NewConnection { protocol, stream, lane, slot } = new;
        let options = core.options();
        // It fails only when the peer is gone by now, which the first read finds as well.
        let _ = stream.set_send_timeout(Some(options.send_timeout));
        let _ = stream.set_recv_timeout(options.idle_timeout);
        #[cfg(feature = "buffers")]
        let gather_threshold = stream.gather_threshold().unwrap_or(usize::MAX);
        let connection = Arc::new(Self {
            stream,
            core: Arc::clone(core),
            lane: Arc::clone(lane),
            slot,
            profile: protocol.profile_tag(),
            messaging: protocol.messaging(),
            connected: protocol.carries_replies(),
            wait: options.wait_policy().waits(),
            #[cfg(feature = "buffers")]
            gather_threshold,
            input: Slot::empty(),
            output: Output::new(),
            has_own_threads: AtomicBool::new(false),
            own_threads: OwnThreads::default(),
            events: Events::default(),
            users: AtomicU32::new(0),
            held: AtomicU32::new(0),
            closing: AtomicBool::new(false),
            closed_by_peer: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            sends_close: AtomicBool::new(false),
            finished: AtomicBool::new(false),
            set_up_by: AtomicUsize::new(0),
            band: AtomicI16::new(-1),
            buffer_strategy: AtomicU8::new(0),
        });
        drop(connection.input.put(connection.new_input()));
        connection.set_up_as_accepted();
        connection
    }

    /// The input of a connection of which nothing has been read.
    fn new_input(&self) -> Box<Input> {
        let max_message_size = self.core.options().max_message_size;
        let limits =
            Limits { max_message_size, max_partial_octets: max_message_size, ..Limits::default() };
        let agreed = match self.connected {
            true => zorb_giop::ServerConnection::speaking(self.messaging),
            false => zorb_giop::ServerConnection::connectionless(),
        };
        Input::new(Inbound::new(limits).of(self.messaging), agreed)
    }

    /// Runs of octets at the end of a reply that are at least this long are sent from where they lie.
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

    pub(crate) fn establish(&self) -> io::Result<()> {
        self.stream.establish()
    }

    pub(crate) fn peer(&self) -> &str {
        self.stream.peer()
    }

    /// What a reactor waits on for it, if its stream has something.
    pub(crate) fn readiness(&self) -> Option<BorrowedFd<'_>> {
        self.stream.readiness_fd()
    }

    /// Whether it has threads of its own, rather than those of its lane's reactor.
    #[inline]
    pub(super) fn has_own_threads(&self) -> bool {
        self.has_own_threads.load(Ordering::Relaxed)
    }

    pub(super) fn takes_own_threads(&self) {
        self.has_own_threads.store(true, Ordering::Release);
    }

    /// Begins the calling thread's, or a queued request's, part in the connection.
    #[inline]
    pub(super) fn enter(&self) {
        self.users.fetch_add(1, Ordering::AcqRel);
    }

    /// Ends it; the last one out finishes a connection that has ended.
    #[inline]
    pub(super) fn leave(self: &Arc<Self>) {
        if self.users.fetch_sub(1, Ordering::AcqRel) == 1 && self.ended.load(Ordering::Acquire) {
            self.finish();
        }
    }

    /// Takes an [entry](Self::enter) back: its thread was not started.
    pub(super) fn cancel_entry(&self) {
        self.users.fetch_sub(1, Ordering::AcqRel);
    }

    /// Threads that serve it, and requests that are queued.
    pub(super) fn users(&self) -> u32 {
        self.users.load(Ordering::Acquire)
    }

    #[cold]
    fn finish(self: &Arc<Self>) {
        if self.finished.swap(true, Ordering::AcqRel) {
            return;
        }
        if self.sends_close.load(Ordering::Acquire) && !self.closed_by_peer.load(Ordering::Acquire)
        {
            self.send_close_connection();
        }
        self.core.watchdog().forget(self);
        self.lane.forget(self, self.slot);
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Has nothing be read any more; `sends_close` says whether the peer is sent a CloseConnection. Called by
    /// the thread that has the input, or in its place.
    #[cold]
    pub(super) fn end(&self, sends_close: bool) {
        self.closing.store(true, Ordering::Release);
        if sends_close {
            self.sends_close.store(true, Ordering::Release);
        }
        self.ended.store(true, Ordering::Release);
        self.own_threads.wake_all();
    }

    /// Whether nothing is read any more.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Whether it is closed, and known to no lane any more.
    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    /// Ends a connection that is not going to be served.
    pub(crate) fn give_up(self: &Arc<Self>) {
        self.enter();
        self.end(false);
        self.leave();
    }

    /// Ends a connection that no lane has taken in; its client may try elsewhere.
    pub(crate) fn reject(&self) {
        self.send_close_connection();
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Ends the connection in an orderly way: running requests finish, the peer is told.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        let _ = self.stream.shutdown(Shutdown::Read);
    }

    /// Serves it on the calling thread; a panic outside a servant's method ends the connection alone.
    pub(super) fn guarded(self: &Arc<Self>, work: impl FnOnce()) {
        serve(self);
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            // A servant's drop panicked, say. The connection must not stay behind unserved.
            tracing::error!(peer = self.stream.peer(), "a serving thread panicked");
            end_upcall();
            self.closed_by_peer.store(true, Ordering::Release);
            self.end(false);
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }
}

impl ServedConnection for ServerConnection {
    fn orb(&self) -> &Arc<OrbCore> {
        self.core.orb()
    }

    fn context(&self) -> &dyn ReadContext {
        self.core.context()
    }

    fn stream(&self) -> &Arc<dyn Stream> {
        &self.stream
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

    /// Once an upcall: if this thread's input has been taken already, what could be handed over belongs to a
    /// thread that does not wait.
    fn hand_over(self: Arc<Self>) -> bool {
        !self.has_own_threads() || self.hand_over_to_block()
    }
}
