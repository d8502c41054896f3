//! One lane: threads, endpoints and connections that serve requests of one priority, and share nothing
//! with those of another.
//!
//! An ORB has one lane of its own, the default lane, which serves the endpoints that are no pool's; each
//! [pool](super::pool) has one or more.

pub(super) mod adapters;
mod connections;
mod handshakes;
pub(super) mod permits;
mod resumed;
pub(super) mod spawner;
pub(super) mod steady_state;
pub(super) mod workers;

use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use zorb_base::calling_lane::{CallingLane, Entered};
use zorb_base::threads::ThreadCount;
use zorb_os::lock::Lock;
use zorb_poa::ConnectionSetup;
use zorb_transport::{Protocol, Stream};

use self::adapters::ServedAdapters;
use self::connections::Connections;
use self::handshakes::Handshakes;
use self::permits::{Permit, Permits};
use self::resumed::Resumed;
use self::spawner::ThreadRequests;
use self::steady_state::SteadyState;
use self::workers::assist;
use crate::connection::{NewConnection, ServerConnection};
use crate::context::ServerContext;
use crate::event_loop::EventLoop;
use crate::listener::Listener;
use crate::queued::QueuedRequest;
use crate::scratch::Scratch;
use crate::settings::{DynamicLifespan, LaneCounts, LaneSettings};
use crate::strategy::ServingStrategy;

/// The number of checks within the time for which a connection may be idle.
pub(super) const IDLE_CHECKS: u32 = 4;

/// One lane: what its threads share, and nobody else.
#[derive(Debug)]
#[repr(align(128))]
pub struct Lane {
    pub(super) settings: LaneSettings,
    pub(super) strategy: Box<dyn ServingStrategy>,
    /// Whether requests are queued for other threads than those that receive them.
    queues_requests: bool,
    /// The number of its pool, which no other has; 0 for the default lane.
    pool: usize,
    name: String,
    stack_size: Option<usize>,
    core: Weak<ServerContext>,
    /// The threads of its pool.
    pool_threads: Arc<ThreadCount>,
    pub listeners: Vec<Listener>,
    pub(super) connections: Connections<ServerConnection>,
    /// What its threads wait at together; `None` where every connection has threads of its own.
    pub(super) events: Option<EventLoop>,
    /// Clients with whom something has to be agreed on first, and their slots.
    handshakes: Lock<Handshakes<(Arc<ServerConnection>, u32)>>,
    pub(super) resumed: Resumed<QueuedRequest>,
    /// Threads that make upcalls.
    pub(super) threads: AtomicUsize,
    stopping: AtomicBool,
    pub(super) thread_requests: ThreadRequests,
    adapters: Arc<ServedAdapters>,
    /// The connections that its threads' own calls go over; `None` where too many lanes have some.
    calling: Option<CallingLane>,
    permits: Option<Permits>,
    /// Whether it has connections with threads of their own besides those at its event loop, or may have.
    is_mixed: AtomicBool,
    pub(super) other_lanes: OnceLock<OtherLanes>,
    pub(super) started: AtomicU64,
    pub(super) borrowed: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) steady_state: Arc<SteadyState>,
}

/// The other lanes of a pool whose lanes borrow threads.
#[derive(Debug, Default)]
pub(super) struct OtherLanes {
    /// Those that may borrow from this one, the highest first.
    pub(super) higher: Vec<Weak<Lane>>,
    /// Those that this one may borrow from, the highest first.
    pub(super) lower: Vec<Weak<Lane>>,
}

/// What a new lane is made of.
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

/// What a thread of a lane is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// To be there always.
    Static,
    /// To come and go; when it came.
    Dynamic(Instant),
    /// To read for the others.
    Reader,
}

thread_local! {
    /// The number of the pool that the thread belongs to; 0 for none.
    static POOL: Cell<usize> = const { Cell::new(0) };
}

/// The number of the pool whose thread this is; 0 for none.
pub(super) fn pool_of_thread() -> usize {
    POOL.get()
}

impl Lane {
    pub(super) fn new(core: &Arc<ServerContext>, parts: LaneParts) -> io::Result<Arc<Self>> {
        let uses_events = parts.strategy.uses_event_loop();
        // Connections that have threads of their own wait no longer than that by themselves.
        let idle_limit = core.options().idle_timeout;
        let event_loop = || EventLoop::new(idle_limit.map(|limit| limit / IDLE_CHECKS));
        let events = uses_events.then(event_loop).transpose()?;
        let is_default = parts.pool == 0;
        Ok(Arc::new(Self {
            permits: (!is_default).then(|| Permits::new(parts.settings.max_threads())),
            // Known before the first upcall, or the permits would miss it.
            is_mixed: AtomicBool::new(!uses_events || parts.listeners.len() > 1),
            thread_requests: ThreadRequests::new(parts.settings.dynamic_threads),
            steady_state: parts.steady_state,
            settings: parts.settings,
            queues_requests: parts.strategy.queue().is_some(),
            strategy: parts.strategy,
            pool: parts.pool,
            name: parts.name,
            stack_size: parts.stack_size,
            core: Arc::downgrade(core),
            pool_threads: parts.threads,
            listeners: parts.listeners,
            connections: Connections::new(parts.max_connections),
            events,
            handshakes: Lock::new(Handshakes::default()),
            resumed: Resumed::default(),
            threads: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            adapters: parts.adapters,
            calling: if is_default { None } else { CallingLane::new() },
            other_lanes: OnceLock::new(),
            started: AtomicU64::new(0),
            borrowed: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }))
    }

    /// How its threads share its work.
    #[inline]
    pub(super) fn strategy(&self) -> &dyn ServingStrategy {
        &*self.strategy
    }

    /// Whether requests are queued for other threads than those that receive them.
    #[inline]
    pub(super) fn queues_requests(&self) -> bool {
        self.queues_requests
    }

    /// The number of its pool; 0 for the default lane.
    #[inline]
    pub(crate) fn pool(&self) -> usize {
        self.pool
    }

    /// Whether it is the ORB's own lane, which is no pool's.
    #[inline]
    pub(crate) fn is_default(&self) -> bool {
        self.pool == 0
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Starts a thread of the lane. `report` is told whether it can be one.
    pub(super) fn start(
        self: &Arc<Self>,
        role: Role,
        report: Option<Sender<io::Result<()>>>,
    ) -> io::Result<()> {
        let lane = Arc::clone(self);
        let counted = role != Role::Reader;
        if counted {
            self.threads.fetch_add(1, Ordering::AcqRel);
        }
        let started = self.spawn(move |begun| {
            let fit = begun.is_ok();
            if matches!(role, Role::Dynamic(_)) {
                lane.started.fetch_add(1, Ordering::Relaxed);
            }
            if let Err(error) = &begun {
                tracing::error!(%error, lane = lane.name, "a thread is not fit for its lane");
            }
            // Nobody to report to: a dynamic thread, which then ends.
            let _ = report.map(|report| report.send(begun));
            if fit {
                lane.strategy.run(&lane, role);
            } else if matches!(role, Role::Dynamic(_)) {
                lane.strategy.thread_not_started();
            }
            if counted {
                lane.threads.fetch_sub(1, Ordering::AcqRel);
            }
        });
        if started.is_err() && counted {
            self.threads.fetch_sub(1, Ordering::AcqRel);
        }
        started
    }

    /// Starts a thread that works for the lane, and tells its body whether it can be one of it.
    pub(super) fn spawn(
        self: &Arc<Self>,
        body: impl FnOnce(io::Result<()>) + Send + 'static,
    ) -> io::Result<()> {
        let Some(core) = self.core.upgrade() else { return Err(io::ErrorKind::NotFound.into()) };
        let running = core.threads().enter();
        let lane = Arc::clone(self);
        self.pool_threads.spawn_with(&self.name, self.stack_size, move || {
            let _running = running;
            POOL.set(lane.pool);
            let _calling = lane.calls();
            let _watching = lane.steady_state.watch();
            body(lane.settings.threads.begin());
        })
    }

    /// Closes the connections of its threads' own calls, when they have ended.
    pub(super) fn close_calls(&self) {
        if let Some((calling, core)) = self.calling.as_ref().zip(self.core.upgrade()) {
            core.lane_ended(calling);
            calling.end();
        }
    }

    /// Has the calling thread's own calls go over the lane's connections until what it returns is dropped.
    pub(super) fn calls(&self) -> Option<Entered> {
        self.calling.as_ref().map(CallingLane::enter)
    }

    /// Starts as many dynamic threads as are asked for. Called by the thread that does so.
    pub(super) fn grow(self: &Arc<Self>) {
        while self.thread_requests.take() {
            if !self.strategy.needs_thread() {
                continue; // another thread has become free meanwhile
            }
            let room = self.threads.load(Ordering::Acquire) < self.settings.max_threads();
            let started = match room && !self.is_stopping() {
                true => self.start(Role::Dynamic(Instant::now()), None),
                false => Err(io::ErrorKind::QuotaExceeded.into()),
            };
            if let Err(error) = started {
                tracing::debug!(%error, lane = self.name, "no dynamic thread is started");
                self.strategy.thread_not_started();
            }
        }
    }

    /// How long a thread waits for something to do before it ends; `None` for ever.
    pub(super) fn linger(&self, role: Role) -> Option<std::time::Duration> {
        let Role::Dynamic(born) = role else { return None };
        match self.settings.lifespan {
            DynamicLifespan::Idle(limit) => Some(limit),
            DynamicLifespan::Fixed(limit) => Some(limit.saturating_sub(born.elapsed())),
            DynamicLifespan::Infinite => None,
        }
    }

    /// Takes in a connection that a client has made, on the thread that accepts them.
    pub(crate) fn accept(
        self: &Arc<Self>,
        core: &Arc<ServerContext>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
    ) {
        self.steady_state.work_begins();
        self.take_in(core, protocol, stream);
        self.steady_state.work_ends();
    }

    fn take_in(
        self: &Arc<Self>,
        core: &Arc<ServerContext>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
    ) {
        let reserved = self.connections.reserve();
        let slot = reserved.unwrap_or(u32::MAX);
        let new = NewConnection { protocol, stream, lane: self, slot };
        let connection = ServerConnection::new(core, new);
        let Some(slot) = reserved.filter(|_| !self.is_stopping()) else {
            tracing::warn!(lane = self.name, "connection rejected: too many, or shutting down");
            if let Some(slot) = reserved {
                self.release(slot);
            }
            return connection.reject();
        };
        self.connections.put(slot, &connection);
        if let Err(error) = self.strategy.begin(self, &connection, slot) {
            self.give_up(&connection, &error);
        } else if self.is_stopping() {
            // Who stops the lane may not have seen it.
            connection.close();
        }
    }

    fn give_up(&self, connection: &Arc<ServerConnection>, error: &io::Error) {
        tracing::warn!(peer = connection.peer(), %error, lane = self.name, "connection rejected");
        connection.abandon();
    }

    /// Begins to serve a connection at the event loop, or on a thread of its own where the stream has no
    /// readiness; after the handshake of its transport, which holds up no other client.
    pub(super) fn begin_at_events(
        self: &Arc<Self>,
        connection: &Arc<ServerConnection>,
        slot: u32,
    ) -> io::Result<()> {
        if !connection.is_established() {
            return self.establish((Arc::clone(connection), slot));
        }
        match (connection.readiness(), &self.events) {
            (Some(fd), Some(events)) => {
                connection.start_idle_checks();
                events.add(fd, slot)
            }
            _ => {
                self.is_mixed.store(true, Ordering::Relaxed);
                connection.start_own_thread()
            }
        }
    }

    /// Makes the handshake with a client, and begins to serve it then: on a thread for that, of which
    /// there are few, behind the clients that came before.
    fn establish(self: &Arc<Self>, client: (Arc<ServerConnection>, u32)) -> io::Result<()> {
        let Some(client) = self.handshakes.lock().come(client) else {
            return Ok(()); // one of the threads at work takes it
        };
        let lane = Arc::clone(self);
        let started = self.pool_threads.spawn_with("zorb-establish", None, move || {
            let mut next = Some(client);
            while let Some((connection, slot)) = next {
                // Whatever becomes of one, the thread is there for the next.
                let agreed = catch_unwind(AssertUnwindSafe(|| connection.establish()));
                let agreed = agreed.unwrap_or_else(|_| Err(io::Error::other("it panicked")));
                let begun = agreed.and_then(|()| lane.begin_at_events(&connection, slot));
                if let Err(error) = begun {
                    lane.give_up(&connection, &error);
                }
                next = lane.handshakes.lock().go_on();
            }
        });
        if started.is_err() {
            // Those that wait for this thread have it no more; without any at work they end as well.
            let left = self.handshakes.lock().give_up();
            for (connection, _) in left {
                self.give_up(&connection, &io::ErrorKind::QuotaExceeded.into());
            }
        }
        started
    }

    /// Forgets a connection that has ended.
    pub(super) fn forget(&self, connection: &ServerConnection, slot: u32) {
        if let (Some(fd), Some(events)) = (connection.readiness(), &self.events) {
            events.remove(fd);
        }
        self.release(slot);
    }

    /// Frees the slot of a connection; the last one of a lane that stops ends its threads.
    fn release(&self, slot: u32) {
        if self.connections.release(slot) && self.is_stopping() {
            self.end();
        }
    }

    /// Has another thread of the event loop serve requests of a connection that have been received
    /// already, while this one is in an upcall.
    pub(super) fn queue_buffered(&self, connection: &Arc<ServerConnection>) {
        if let Some(events) = &self.events
            && self.settings.max_threads() > 1
        {
            events.queue_buffered(connection);
        }
    }

    /// Serves a request that a POA manager has held.
    pub(super) fn resume(self: &Arc<Self>, request: QueuedRequest) {
        self.strategy.resume(self, request);
    }

    /// Ends the connections that have been idle for too long, at most one check too late. Called at each
    /// tick.
    pub(super) fn check_idle_connections(&self, scratch: &mut Scratch) {
        self.connections.each(|connection| connection.check_idle(IDLE_CHECKS, scratch));
    }

    /// Has the lane come to its end: nobody connects any more, running requests finish.
    pub(crate) fn stop(&self) {
        for listener in &self.listeners {
            listener.close();
        }
        self.stopping.store(true, Ordering::SeqCst);
        for connection in self.connections.all() {
            connection.close();
        }
        if self.connections.count() == 0 {
            self.end();
        }
    }

    /// Has its threads end: no connection is left.
    fn end(&self) {
        if let Some(events) = &self.events {
            events.stop();
        }
        self.strategy.end();
    }

    /// The calling thread, which serves one connection or starts others, is about to wait.
    #[inline]
    pub(crate) fn work_ends(&self) {
        self.steady_state.work_ends();
    }

    /// Its wait is over.
    #[inline]
    pub(crate) fn work_begins(&self) {
        self.steady_state.work_begins();
    }

    /// Waits until one more upcall may begin, on a connection's `own_thread` or on one of those that
    /// wait together. Where the lane has connections of one kind alone, the latter are as many as there
    /// may be upcalls.
    #[inline]
    pub(super) fn permit(&self, own_thread: bool) -> Option<Permit<'_>> {
        let permits = self.permits.as_ref()?;
        (own_thread || self.is_mixed.load(Ordering::Relaxed)).then(|| permits.take())
    }

    pub(super) fn counts(&self) -> LaneCounts {
        LaneCounts {
            threads: self.threads.load(Ordering::Acquire),
            connections: self.connections.count(),
            started: self.started.load(Ordering::Relaxed),
            borrowed: self.borrowed.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            waiting: self.permits.as_ref().map_or(0, Permits::waiting),
        }
    }

    /// Has the calling thread, which accepts connections or starts threads, be as those that serve
    /// requests: at their priority and on their processors.
    pub(super) fn adopt_thread(&self) {
        assist(&self.steady_state, &*self.settings.threads);
    }

    /// How connections are set up that are accepted: as the adapter says whose alone they are. `None`
    /// where that is not known yet.
    pub(crate) fn connection_setup(&self) -> Option<Option<Arc<ConnectionSetup>>> {
        self.adapters.only()
    }

    /// The priority that its endpoints serve; `None` for any.
    pub fn priority(&self) -> Option<i16> {
        self.settings.priority
    }

    /// The name of its threads, as far as the system keeps it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}
