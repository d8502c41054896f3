//! One lane.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use zorb_os::event::{EventFd, Ticks};
use zorb_os::lock::Lock;
use zorb_os::poll::{ReadySet, Trigger};
use zorb_transport::{Protocol, Stream};

use super::connections::Connections;
use super::frozen::Frozen;
use super::helpers::assist;
use super::keeper::Wants;
use super::permits::Permits;
use super::queue::Queue;
use super::settings::{DynamicLifespan, LaneCounts, LaneSettings, Strategy};
use super::strangers::Strangers;
use super::tenants::Tenants;
use crate::client::{Entered, LaneLines};
use crate::orb::OrbCore;
use crate::policy::SetsUp;
use crate::server::{Kept, Listener, ServerConnection, ThreadCount};

/// The key of the event that ends the threads.
pub(super) const STOP: u64 = u64::MAX;
/// The key of the event that has a thread look at [`Lane::nudged`].
pub(super) const NUDGE: u64 = u64::MAX - 1;
/// The key of the event that has a thread look for connections that are silent.
pub(super) const TICK: u64 = u64::MAX - 2;
/// So many looks divide the time that a connection may be silent.
const LOOKS: u32 = 4;

/// One lane: what its threads share, and nobody else.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Lane {
    pub(super) settings: LaneSettings,
    pub(super) strategy: Strategy,
    /// The number of its pool, which no other has.
    pool: usize,
    name: String,
    stack_size: Option<usize>,
    core: Weak<OrbCore>,
    /// The threads of its pool.
    pool_threads: Arc<ThreadCount>,
    pub(crate) listeners: Vec<Listener>,
    pub(super) connections: Connections,
    pub(super) ready: ReadySet,
    pub(super) stop: EventFd,
    pub(super) nudge: EventFd,
    /// Has a thread look for silent connections now and then, where they may not be so for ever.
    pub(super) ticks: Option<Ticks>,
    /// Connections with requests that no event will tell of: their octets have been read.
    nudged: Lock<VecDeque<Arc<ServerConnection>>>,
    nudges: AtomicUsize,
    /// Clients with whom something has to be agreed on first, and their places.
    strangers: Lock<Strangers<(Arc<ServerConnection>, u32)>>,
    /// Threads that make upcalls.
    pub(super) threads: AtomicUsize,
    /// Those of them that wait.
    pub(super) idle: AtomicUsize,
    stopping: AtomicBool,
    pub(super) wants: Wants,
    pub(super) queue: Queue,
    tenants: Arc<Tenants>,
    /// The connections that its threads' own calls go over; `None` where too many lanes have some.
    lines: Option<LaneLines>,
    pub(super) permits: Permits,
    /// Whether it may have connections with threads of their own besides those that its threads wait
    /// for together.
    pub(super) is_mixed: AtomicBool,
    pub(super) neighbours: OnceLock<Neighbours>,
    pub(super) started: AtomicU64,
    pub(super) borrowed: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) frozen: Arc<Frozen>,
}

/// The other lanes of the pool, where lanes borrow threads of each other.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// Those that may borrow from this one, the highest first.
    pub(super) above: Vec<Weak<Lane>>,
    /// Those that this one may borrow from, the highest first.
    pub(super) below: Vec<Weak<Lane>>,
}

/// What a new lane is made of.
pub(super) struct Parts {
    pub(super) settings: LaneSettings,
    pub(super) strategy: Strategy,
    pub(super) pool: usize,
    pub(super) name: String,
    pub(super) stack_size: Option<usize>,
    pub(super) max_connections: usize,
    pub(super) listeners: Vec<Listener>,
    pub(super) frozen: Arc<Frozen>,
    pub(super) threads: Arc<ThreadCount>,
    pub(super) wants: Wants,
    pub(super) queue: Queue,
    pub(super) tenants: Arc<Tenants>,
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
    pub(super) fn new(core: &Arc<OrbCore>, parts: Parts) -> io::Result<Arc<Self>> {
        let (ready, stop, nudge) = (ReadySet::new()?, EventFd::new()?, EventFd::new()?);
        ready.add(stop.as_fd(), STOP, Trigger::Level)?;
        ready.add(nudge.as_fd(), NUDGE, Trigger::News)?;
        // Connections that have threads of their own wait no longer than that by themselves.
        let limit = core.options().idle_timeout;
        let limit = limit.filter(|_| parts.strategy != Strategy::ThreadPerConnection);
        let ticks = limit.map(|limit| Ticks::every(limit / LOOKS)).transpose()?;
        if let Some(ticks) = &ticks {
            ready.add(ticks.as_fd(), TICK, Trigger::News)?;
        }
        Ok(Arc::new(Self {
            permits: Permits::new(parts.settings.max_threads()),
            // Known before the first upcall, or the permits would miss it.
            is_mixed: AtomicBool::new(parts.listeners.len() > 1),
            frozen: parts.frozen,
            settings: parts.settings,
            strategy: parts.strategy,
            pool: parts.pool,
            name: parts.name,
            stack_size: parts.stack_size,
            core: Arc::downgrade(core),
            pool_threads: parts.threads,
            listeners: parts.listeners,
            connections: Connections::new(parts.max_connections),
            ready,
            stop,
            nudge,
            ticks,
            nudged: Lock::new(VecDeque::with_capacity(parts.max_connections)),
            nudges: AtomicUsize::new(0),
            strangers: Lock::new(Strangers::default()),
            threads: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            wants: parts.wants,
            queue: parts.queue,
            tenants: parts.tenants,
            lines: LaneLines::new(),
            neighbours: OnceLock::new(),
            started: AtomicU64::new(0),
            borrowed: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }))
    }

    /// Whether one thread reads for the others.
    pub(crate) fn queues(&self) -> bool {
        self.strategy == Strategy::HalfSync
    }

    /// Whether requests that wait are served by their priorities.
    pub(crate) fn orders(&self) -> bool {
        self.queue.orders()
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
                lane.serve(role);
            } else if matches!(role, Role::Dynamic(_)) {
                lane.queue.withdraw();
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
    fn spawn(
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
            let _watching = lane.frozen.watch();
            body(lane.settings.threads.begin());
        })
    }

    /// Its ORB, if that is still there.
    pub(super) fn core(&self) -> Option<Arc<OrbCore>> {
        self.core.upgrade()
    }

    /// Closes the connections of its threads' own calls, when they have ended.
    pub(super) fn leave_lines(&self) {
        if let Some((lines, core)) = self.lines.as_ref().zip(self.core.upgrade()) {
            core.connections().left_by(lines);
            lines.end();
        }
    }

    /// Has the calling thread's own calls be the lane's until what it returns is dropped.
    pub(super) fn calls(&self) -> Option<Entered> {
        self.lines.as_ref().map(LaneLines::enter)
    }

    /// The body of a thread, once it is fit.
    fn serve(self: &Arc<Self>, role: Role) {
        match (self.strategy, role) {
            (Strategy::HalfSync, Role::Static | Role::Dynamic(_)) => self.work(role),
            _ => self.follow(role),
        }
    }

    /// Starts as many threads as are asked for. Called by the keeper.
    pub(super) fn grow(self: &Arc<Self>) {
        while self.wants.take() {
            if self.queues() && !self.queue.wants_promised() {
                continue; // another thread has become free meanwhile
            }
            let room = self.threads.load(Ordering::Acquire) < self.settings.max_threads();
            let started = match room && !self.is_stopping() {
                true => self.start(Role::Dynamic(Instant::now()), None),
                false => Err(io::ErrorKind::QuotaExceeded.into()),
            };
            if let Err(error) = started {
                tracing::debug!(%error, lane = self.name, "no dynamic thread is started");
                self.queue.withdraw();
            }
        }
    }

    /// How long a thread that was started at `role`'s time waits for something to do.
    pub(super) fn patience(&self, role: Role) -> Option<std::time::Duration> {
        let Role::Dynamic(born) = role else { return None };
        match self.settings.lifespan {
            DynamicLifespan::Idle(limit) => Some(limit),
            DynamicLifespan::Fixed(limit) => Some(limit.saturating_sub(born.elapsed())),
            DynamicLifespan::Infinite => None,
        }
    }

    /// Takes in a connection that a client has made, on the thread that accepts them.
    pub(super) fn meet(
        self: &Arc<Self>,
        core: &Arc<OrbCore>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
    ) {
        self.frozen.turn_begins();
        self.welcome(core, protocol, stream);
        self.frozen.turn_ends();
    }

    fn welcome(
        self: &Arc<Self>,
        core: &Arc<OrbCore>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
    ) {
        let place = self.connections.reserve();
        let connection = ServerConnection::in_lane(core, protocol, stream, (self, place));
        let Some(place) = place.filter(|_| !self.is_stopping()) else {
            tracing::warn!(lane = self.name, "connection refused: too many, or shutting down");
            place.map(|place| self.connections.release(place));
            return connection.turn_away();
        };
        // It is known for the ORB's end; how many there may be is for the lane to say.
        if !core.sentinel().watch(&connection, usize::MAX) {
            self.connections.release(place);
            return connection.turn_away();
        }
        self.connections.put(place, &connection);
        let begun = if connection.is_established() {
            self.begin(&connection, place)
        } else {
            // Who takes his time to agree on something holds up no other.
            self.establish((Arc::clone(&connection), place))
        };
        if let Err(error) = begun {
            self.give_up(&connection, &error);
        } else if self.is_stopping() {
            // Who stops the lane may not have seen it.
            connection.close();
        }
    }

    fn give_up(&self, connection: &Arc<ServerConnection>, error: &io::Error) {
        tracing::warn!(peer = connection.peer(), %error, lane = self.name, "connection refused");
        connection.give_up();
    }

    /// Agrees with a client on what has to be agreed on, and begins to serve it then: on a thread for
    /// that, of which there are few, behind the clients that came before.
    fn establish(self: &Arc<Self>, client: (Arc<ServerConnection>, u32)) -> io::Result<()> {
        let Some(client) = self.strangers.lock().come(client) else {
            return Ok(()); // one of the threads at work takes it
        };
        let lane = Arc::clone(self);
        let started = self.pool_threads.spawn_with("zorb-establish", None, move || {
            let mut next = Some(client);
            while let Some((connection, place)) = next {
                // Whatever becomes of one, the thread is there for the next.
                let agreed = catch_unwind(AssertUnwindSafe(|| connection.establish()));
                let agreed = agreed.unwrap_or_else(|_| Err(io::Error::other("it panicked")));
                if let Err(error) = agreed.and_then(|()| lane.begin(&connection, place)) {
                    lane.give_up(&connection, &error);
                }
                next = lane.strangers.lock().go_on();
            }
        });
        if started.is_err() {
            // Those that wait for this thread have it no more; without any at work they end as well.
            let left = self.strangers.lock().give_up();
            for (connection, _) in left {
                self.give_up(&connection, &io::ErrorKind::QuotaExceeded.into());
            }
        }
        started
    }

    /// Begins to serve a connection.
    fn begin(self: &Arc<Self>, connection: &Arc<ServerConnection>, place: u32) -> io::Result<()> {
        match connection.readiness() {
            Some(fd) if self.strategy != Strategy::ThreadPerConnection => {
                connection.count_silence_from_now();
                self.ready.add(fd, place.into(), Trigger::News)
            }
            _ => {
                self.is_mixed.store(true, Ordering::Relaxed);
                let connection = Arc::clone(connection);
                self.spawn(move |begun| match begun {
                    Ok(()) => connection.stay(),
                    Err(error) => {
                        tracing::error!(%error, "a thread is not fit for its lane");
                        connection.give_up();
                    }
                })
            }
        }
    }

    /// Forgets a connection that has ended.
    pub(crate) fn forget(&self, connection: &ServerConnection, place: u32) {
        if let Some(fd) = connection.readiness() {
            // It is not in when a thread of its own has served it.
            let _ = self.ready.remove(fd);
        }
        if self.connections.release(place) && self.is_stopping() {
            self.stop.notify();
            self.queue.end();
        }
    }

    /// Has another thread look at a connection of which some octets have been read and not been
    /// looked at, while this one is in an upcall.
    pub(crate) fn nudge(&self, connection: &Arc<ServerConnection>) {
        if self.settings.max_threads() == 1 {
            return; // there is no other
        }
        let mut nudged = self.nudged.lock();
        nudged.push_back(Arc::clone(connection));
        self.nudges.store(nudged.len(), Ordering::Release);
        drop(nudged);
        self.nudge.notify();
    }

    /// A connection that was nudged; another thread is called when there are more.
    pub(super) fn take_nudged(&self) -> Option<Arc<ServerConnection>> {
        if self.nudges.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut nudged = self.nudged.lock();
        let connection = nudged.pop_front();
        self.nudges.store(nudged.len(), Ordering::Release);
        if !nudged.is_empty() {
            self.nudge.notify();
        }
        connection
    }

    /// Ends the connections of which nothing has come for as long as they may be silent, at the most a
    /// look longer. Called at each tick.
    pub(super) fn look_for_silent(&self, kept: &mut Kept) {
        self.connections.each(|connection| connection.count_silence(LOOKS, kept));
    }

    /// Has the lane come to its end: nobody connects any more, running requests finish.
    pub(super) fn stop(&self) {
        for listener in &self.listeners {
            listener.acceptor.close();
        }
        self.stopping.store(true, Ordering::SeqCst);
        for connection in self.connections.all() {
            connection.close();
        }
        if self.connections.count() == 0 {
            self.stop.notify();
            self.queue.end();
        }
    }

    /// Forgets connections that a thread was to look at: the last ones have ended.
    pub(super) fn forget_nudged(&self) {
        let nudged = std::mem::take(&mut *self.nudged.lock());
        drop(nudged);
    }

    /// The calling thread, which serves one connection or starts others, is about to wait.
    #[inline]
    pub(crate) fn turn_ends(&self) {
        self.frozen.turn_ends();
    }

    /// Its wait is over.
    #[inline]
    pub(crate) fn turn_begins(&self) {
        self.frozen.turn_begins();
    }

    pub(super) fn counts(&self) -> LaneCounts {
        LaneCounts {
            threads: self.threads.load(Ordering::Acquire),
            connections: self.connections.count(),
            started: self.started.load(Ordering::Relaxed),
            borrowed: self.borrowed.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            waiting: self.permits.waiting(),
        }
    }

    /// Has the calling thread, which accepts connections or starts threads, be as those that serve
    /// requests: at their priority and on their processors. The threads that it starts are so from their
    /// beginning, whoever else wants the processor.
    pub(super) fn adopt_thread(&self) {
        assist(&self.frozen, &*self.settings.threads);
    }

    /// How connections are set up that are accepted: as the adapter says whose alone they are. `None`
    /// where that is not known yet.
    pub(crate) fn sets_up(&self) -> Option<Option<Arc<dyn SetsUp>>> {
        self.tenants.only()
    }

    /// The priority that its endpoints serve; `None` for any.
    pub(crate) fn priority(&self) -> Option<i16> {
        self.settings.priority
    }

    /// The name of its threads, as far as the system keeps it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}
