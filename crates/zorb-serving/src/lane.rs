//! One lane: the threads, endpoints and connections for requests of one priority, shared with no other lane.
//!
//! An ORB's default lane serves the endpoints outside pools; each [pool](super::pool) has one or more lanes.

pub(super) mod adapters;
pub(super) mod admission;
pub(super) mod core;
mod counts;
mod ending;
mod eviction;
pub(super) mod permits;
mod reactor_threads;
pub(super) mod resumed;
mod serving;
mod slot_queue;
mod slot_wait;
pub(super) mod spawner;
pub(super) mod steady_state;
mod thread_wait;
mod threads;
pub(super) mod unread;
pub(super) mod workers;

use std::fmt::Debug;
use std::io;
use std::ops::Deref;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use zorb_base::calling_lane::CallingLane;
use zorb_base::connections::{ConnectionLimits, Connections, SlotKey};
use zorb_base::threads::ThreadCount;
use zorb_giop::{ConnectionEnd, MessageHeader, ProtocolError};
use zorb_os::lock::Lock;
use zorb_transport::LogLimit;

use self::adapters::ServedAdapters;
use self::core::LaneCore;
use self::permits::Permits;
use self::resumed::Resumed;
use self::slot_queue::SlotQueue;
use self::spawner::ThreadRequests;
use self::steady_state::SteadyState;
use crate::connection::{ConnectionRequests, ReleasedRequest, ServerConnection};
use crate::context::ServerContext;
use crate::input::Input;
use crate::listener::Listener;
use crate::queued::QueuedRequest;
use crate::reactor::Reactor;
use crate::scratch::Scratch;
use crate::settings::LaneSettings;
use crate::strategy::queue::RequestQueue;
use crate::upcall_count::UpcallCount;

/// The number of checks within the idle timeout of a connection.
pub(super) const IDLE_CHECKS: u32 = 10;

/// The state that the threads of one lane share.
#[derive(Debug)]
#[repr(align(128))]
pub struct Lane {
    pub(super) core: Arc<LaneCore>,
    pub(super) strategy: Box<dyn ServingStrategy>,
    pub listeners: Vec<Listener>,
    pub(super) connections: Connections<ServerConnection>,
    /// Accepted connections.
    pub(super) accepted: AtomicU64,
    /// Connections closed to make room for others.
    pub(super) evicted: AtomicU64,
    awaiting_slots: SlotQueue,
    /// What connections that have ended have done.
    ended: Lock<Ended>,
    /// `None` if every connection has threads of its own.
    pub(super) reactor: Option<Reactor<ServerConnection>>,
    pub(super) resumed: Resumed<QueuedRequest>,
    /// Threads that make upcalls.
    pub(super) threads: AtomicUsize,
    stopping: AtomicBool,
    pub(super) thread_requests: ThreadRequests,
    pub(super) other_lanes: OnceLock<OtherLanes>,
    pub(super) started: AtomicU64,
    pub(super) borrowed: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) rejected: AtomicU64,
    /// Limits messages about them.
    rejections: LogLimit,
}

/// What connections that have ended have done.
#[derive(Debug, Default)]
struct Ended {
    messages: u64,
    /// See [`ServerConnection::upcalls_ended`].
    upcalls: u64,
}

impl Deref for Lane {
    type Target = LaneCore;

    #[inline]
    fn deref(&self) -> &LaneCore {
        &self.core
    }
}

/// How the threads of a lane share its work.
pub(super) trait ServingStrategy: Debug + Send + Sync {
    /// Whether threads of the lane wait at a reactor for its connections.
    fn uses_reactor(&self) -> bool {
        true
    }

    /// Whether it serves connections without readiness, such as those that may compress messages.
    fn gives_threads(&self) -> bool {
        true
    }

    /// Begins to serve the connection in `slot` of the lane's table.
    ///
    /// # Errors
    /// The reason why it cannot be served.
    fn begin(
        &self,
        lane: &Arc<Lane>,
        connection: &Arc<ServerConnection>,
        slot: SlotKey,
    ) -> io::Result<()> {
        if lane.begin_at_reactor(connection, slot)? {
            return Ok(());
        }
        // It has no readiness, or a handshake, in which a client may stall.
        lane.is_mixed.store(true, Ordering::Relaxed);
        connection.start_own_thread()
    }

    /// Queues the Request that is the current message of `connection` for another thread, if the strategy has
    /// a [queue](Self::queue); otherwise the receiving thread serves it.
    ///
    /// # Errors
    /// The message is broken.
    fn enqueue(
        &self,
        lane: &Lane,
        connection: &Arc<ServerConnection>,
        input: &mut Input,
        header: &MessageHeader,
        scratch: &mut Scratch,
    ) -> Result<(), ProtocolError> {
        let _ = (lane, connection, input, header, scratch);
        Ok(())
    }

    /// Serves a request that was held.
    fn resume(&self, lane: &Arc<Lane>, request: ReleasedRequest) {
        match lane.resumed.put(lane.queued(request)) {
            // Its client has gone, or the lane would not have ended.
            Err(request) => drop(request),
            Ok(()) => {
                if let Some(reactor) = &lane.reactor {
                    reactor.wake();
                }
            }
        }
    }

    /// Serves the next resumed request of a connection, if those of one connection are served one after the other.
    fn resume_next(&self, lane: &Arc<Lane>, requests: Arc<ConnectionRequests>) {
        let _ = (lane, requests);
    }

    /// The body of a thread of the lane.
    fn run(&self, lane: &Arc<Lane>, kind: ThreadKind) {
        if let Some(reactor) = &lane.reactor {
            lane.handle_events(reactor, kind);
        }
    }

    /// The queue of requests, if the strategy has one: then an additional thread reads for the others.
    fn queue(&self) -> Option<&RequestQueue<QueuedRequest>> {
        None
    }
}

/// The other lanes of a pool whose lanes borrow threads.
#[derive(Debug, Default)]
pub(super) struct OtherLanes {
    /// Lanes that may borrow from this one, the highest first.
    pub(super) higher: Vec<Weak<Lane>>,
    /// Lanes that this one may borrow from, the highest first.
    pub(super) lower: Vec<Weak<Lane>>,
}

/// The parameters of a lane.
pub(super) struct LaneParts {
    pub(super) settings: LaneSettings,
    pub(super) strategy: Box<dyn ServingStrategy>,
    pub(super) pool: usize,
    pub(super) name: String,
    pub(super) stack_size: Option<usize>,
    pub(super) max_connections: usize,
    pub(super) listeners: Vec<Listener>,
    pub(super) steady_state: Arc<SteadyState>,
    pub(super) threads: Arc<ThreadCount>,
    pub(super) adapters: Arc<ServedAdapters>,
}

/// The kind of a lane's thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreadKind {
    /// Runs from the start.
    Static,
    /// Started on demand, at this time.
    Dynamic(Instant),
    /// Reads for the others.
    Reader,
}

/// The lanes of all ORBs of the process, which make room for one another when it has too many connections.
static LANES: Lock<Vec<Weak<Lane>>> = Lock::new(Vec::new());

impl Lane {
    pub(super) fn new(context: &Arc<ServerContext>, parts: LaneParts) -> io::Result<Arc<Self>> {
        let uses_reactor = parts.strategy.uses_reactor();
        // Connections with threads of their own enforce it themselves.
        let idle_limit = context.options().idle_timeout;
        let new_reactor = || Reactor::new(idle_limit.map(|limit| limit / IDLE_CHECKS));
        let reactor = uses_reactor.then(new_reactor).transpose()?;
        let is_default = parts.pool == 0;
        let core = LaneCore {
            queues_requests: parts.strategy.queue().is_some(),
            resumes_in_order: !uses_reactor,
            pool: parts.pool,
            name: parts.name,
            started: AtomicU32::new(0),
            stack_size: parts.stack_size,
            context: Arc::downgrade(context),
            pool_threads: parts.threads,
            adapters: parts.adapters,
            calling: if is_default { None } else { CallingLane::new() },
            without_client: UpcallCount::default(),
            permits: (!is_default).then(|| Permits::new(parts.settings.max_threads())),
            // Known before the first upcall, so that permits count it.
            is_mixed: AtomicBool::new(!uses_reactor || parts.listeners.len() > 1),
            steady_state: parts.steady_state,
            settings: parts.settings,
        };
        let lane = Arc::new(Self {
            thread_requests: ThreadRequests::new(core.settings.dynamic_threads),
            core: Arc::new(core),
            strategy: parts.strategy,
            listeners: parts.listeners,
            connections: Connections::new(ConnectionLimits::new(
                parts.max_connections,
                context.options().max_connections_per_peer,
            )),
            accepted: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
            awaiting_slots: SlotQueue::default(),
            ended: Lock::default(),
            reactor,
            resumed: Resumed::default(),
            threads: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            other_lanes: OnceLock::new(),
            started: AtomicU64::new(0),
            borrowed: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
            rejections: LogLimit::default(),
        });
        let mut lanes = LANES.lock();
        lanes.retain(|lane| lane.strong_count() > 0);
        lanes.push(Arc::downgrade(&lane));
        drop(lanes);
        Ok(lane)
    }

    /// A request that was held, for a thread of the lane.
    pub(super) fn queued(self: &Arc<Self>, request: ReleasedRequest) -> QueuedRequest {
        let serving_lane: Arc<Self> = Arc::clone(self);
        QueuedRequest::released(request, &self.core, serving_lane)
    }

    /// The queue of requests, if the strategy has one: then an additional thread reads for the others.
    #[inline]
    pub(super) fn queue(&self) -> Option<&RequestQueue<QueuedRequest>> {
        self.strategy.queue()
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    fn log_rejection(&self, reason: &dyn std::fmt::Display) {
        if let Some(unlogged) = self.rejections.admit() {
            tracing::warn!(lane = self.name, %reason, unlogged, "connection rejected");
        }
    }

    fn give_up(&self, connection: &Arc<ServerConnection>, error: &io::Error) {
        self.log_rejection(error);
        self.rejected.fetch_add(1, Ordering::Relaxed);
        self.end_unserved(connection);
    }

    /// Ends a connection that no thread serves.
    fn end_unserved(&self, connection: &Arc<ServerConnection>) {
        connection.discard_received();
        connection.end(ConnectionEnd::ClosedLocally);
    }

    /// Registers a connection with the reactor. Returns `false` for one without readiness, or with a handshake.
    pub(super) fn begin_at_reactor(
        &self,
        connection: &ServerConnection,
        slot: SlotKey,
    ) -> io::Result<bool> {
        let Some((reactor, fd)) = self.reactor_for(connection) else { return Ok(false) };
        connection.start_idle_checks();
        reactor.add(fd, slot).map(|()| true)
    }

    /// The reactor that can wait for a connection, with what it waits for; `None` if the connection needs a thread.
    fn reactor_for<'c>(
        &self,
        connection: &'c ServerConnection,
    ) -> Option<(&Reactor<ServerConnection>, BorrowedFd<'c>)> {
        let reactor = self.reactor.as_ref().filter(|_| connection.is_established())?;
        connection.readiness().map(|fd| (reactor, fd))
    }

    /// Lets new connections that wait begin or give up.
    #[cold]
    fn let_newcomers_try(&self) {
        if let Some(context) = self.context.upgrade() {
            context.watchdog().try_again();
        }
    }

    /// Ends the connections that have been idle for too long, at most one tick late. Called at each tick.
    pub(super) fn check_idle_connections(&self, scratch: &mut Scratch) {
        self.connections.each(|connection| connection.check_idle(IDLE_CHECKS, scratch));
    }
}
