//! What a pool and its lanes are like.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A pool of threads: its lanes, and what holds for all of them.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// What it is called: in messages, and in its threads' names as far as those reach.
    pub name: String,
    /// How its threads share the work. Default: what the other settings need, leader/followers if
    /// they need nothing.
    pub strategy: Option<Strategy>,
    /// Octets of stack of each thread. Default: what the system's library gives.
    pub stack_size: Option<usize>,
    /// How many requests may wait for a thread. Default `None`: none do, they stay in the transport.
    pub buffering: Option<Buffering>,
    /// Whether a lane out of threads takes one of a lane of lower priority. Default: no.
    pub borrowing: bool,
    /// Whether of the requests that wait for a thread those of higher priority are served first, and
    /// not in the order in which they came. Default `None`: in a pool for all priorities, where one
    /// thread reads for the others; those of a lane have its priority.
    pub by_priority: Option<bool>,
    /// The most connections of each lane. Default 256.
    pub max_connections: usize,
    /// The lanes, at least one.
    pub lanes: Vec<LaneSettings>,
}

impl PoolSettings {
    /// A pool of this name, without lanes as yet.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            strategy: None,
            stack_size: None,
            buffering: None,
            borrowing: false,
            by_priority: None,
            max_connections: 256,
            lanes: Vec::new(),
        }
    }

    /// The strategy in force.
    pub(super) fn effective_strategy(&self) -> Result<Strategy, &'static str> {
        let orders = self.by_priority == Some(true);
        let queues = self.buffering.is_some() || self.borrowing || orders;
        match self.strategy {
            Some(Strategy::HalfSync) => Ok(Strategy::HalfSync),
            None if queues => Ok(Strategy::HalfSync),
            Some(_) if queues => Err(NEEDS_HALF_SYNC),
            Some(strategy) => Ok(strategy),
            None => Ok(Strategy::default()),
        }
    }

    /// That of a lane: one with requests that wait needs somebody to read them, whatever the others
    /// do.
    pub(super) fn strategy_of(&self, lane: &LaneSettings) -> Result<Strategy, &'static str> {
        match (lane.buffering, self.strategy) {
            (None, _) => self.effective_strategy(),
            (Some(_), None | Some(Strategy::HalfSync)) => Ok(Strategy::HalfSync),
            (Some(_), Some(_)) => Err(NEEDS_HALF_SYNC),
        }
    }

    /// Refuses what cannot be.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.lanes.is_empty() {
            return Err("a pool has at least one lane");
        }
        if self.lanes.iter().any(|lane| lane.static_threads == 0) {
            return Err("a lane has at least one static thread");
        }
        if self.lanes.iter().any(|lane| lane.max_threads() > MAX_THREADS) {
            return Err("a lane has at most 4096 threads");
        }
        if self.max_connections == 0 || self.max_connections > MAX_CONNECTIONS {
            return Err("a lane takes 1 to 65536 connections");
        }
        let mut priorities: Vec<_> = self.lanes.iter().map(|lane| lane.priority).collect();
        priorities.sort_unstable();
        let count = priorities.len();
        priorities.dedup();
        if priorities.len() < count || (count > 1 && priorities.first() == Some(&None)) {
            return Err("lanes of one pool have different priorities");
        }
        self.lanes.iter().try_for_each(|lane| self.strategy_of(lane).map(drop))
    }
}

const NEEDS_HALF_SYNC: &str =
    "request buffering, thread borrowing and order by priority need the half-sync strategy";

/// The most threads of one lane.
const MAX_THREADS: usize = 4096;
/// The most connections of one lane.
const MAX_CONNECTIONS: usize = 65_536;

/// A serving strategy: how the threads of a lane share its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// All wait together; who gets an event reads, makes the upcall and replies.
    #[default]
    LeaderFollowers,
    /// One reads and hands on, the others make upcalls and reply. It costs a change of threads a
    /// request; requests can be held, and threads borrowed.
    HalfSync,
    /// Each connection has a thread, of which no more make upcalls at a time than the lane has
    /// threads. The fewest system calls for few clients. Connections whose transport has nothing to
    /// wait on for readiness, shared memory for instance, are served so in lanes of leaders and
    /// followers, too.
    ThreadPerConnection,
}

/// The limits of requests that wait for a thread of a lane; requests beyond fail with `TRANSIENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffering {
    /// The most requests (`max_buffered_requests`), 65,536 at the most; 0 for these. Messages for so many
    /// requests of up to 4 KiB are allocated with the pool, as far as `max_octets` permits, so that they
    /// allocate nothing in steady state; with 0 for 64, and more on demand.
    pub max_requests: usize,
    /// The most octets of requests (`max_request_buffer_size`); `None` for 256 MiB.
    pub max_octets: Option<usize>,
}

/// The lifespan of dynamic threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DynamicLifespan {
    /// Until it has had nothing to do for so long. The default, of one second.
    Idle(Duration),
    /// For so long after its start, and then until it has nothing to do.
    Fixed(Duration),
    /// As long as its pool.
    Infinite,
}

impl Default for DynamicLifespan {
    fn default() -> Self {
        Self::Idle(Duration::from_secs(1))
    }
}

/// One lane of a pool.
#[derive(Clone, Debug)]
pub struct LaneSettings {
    /// The priority that references give with its endpoints; `None` for a pool without lanes in
    /// RT-CORBA's sense, whose endpoints are for all priorities.
    pub priority: Option<i16>,
    /// Threads that are there from the start, at least one.
    pub static_threads: usize,
    /// Threads that may come in addition, when all are busy. Default 0.
    pub dynamic_threads: usize,
    /// How long those live.
    pub lifespan: DynamicLifespan,
    /// How many requests may wait for a thread of this lane. Default `None`: as many as its pool says.
    pub buffering: Option<Buffering>,
    /// Where the lane listens. Default: beside each of the ORB's own endpoints.
    pub endpoints: Vec<String>,
    /// What its threads are like.
    pub threads: Arc<dyn LaneThreads>,
}

impl LaneSettings {
    /// A lane of so many threads.
    #[must_use]
    pub fn new(priority: Option<i16>, static_threads: usize) -> Self {
        Self {
            priority,
            static_threads,
            dynamic_threads: 0,
            lifespan: DynamicLifespan::default(),
            buffering: None,
            endpoints: Vec::new(),
            threads: Arc::new(Plain),
        }
    }

    pub(super) fn max_threads(&self) -> usize {
        self.static_threads.saturating_add(self.dynamic_threads)
    }
}

/// What the threads of a lane are like: RT-CORBA's priorities are given to them by it.
pub trait LaneThreads: fmt::Debug + Send + Sync + 'static {
    /// Called by each thread of the lane before anything else.
    ///
    /// # Errors
    /// Why the thread cannot be one of the lane; the pool is not made then.
    fn begin(&self) -> io::Result<()> {
        self.adopt();
        Ok(())
    }

    /// Called by each thread that works for the lane and serves no requests, before anything else: one
    /// that accepts connections, or starts threads. Its stack has the usual size.
    ///
    /// # Errors
    /// Why it is not as those of the lane; it works all the same, once it has [adopted](Self::adopt) the
    /// lane.
    fn assist(&self) -> io::Result<()> {
        self.adopt();
        Ok(())
    }

    /// Has the calling thread work for this lane: one of its own that comes back from another one, and
    /// one that is borrowed.
    fn adopt(&self) {}

    /// Has the thread of another lane with this system id be scheduled as one of this lane, which
    /// borrows it.
    fn raise(&self, thread: u32) {
        let _ = thread;
    }
}

/// Threads as the system starts them.
#[derive(Debug)]
struct Plain;

impl LaneThreads for Plain {}

/// Counters of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneCounts {
    /// Threads that there are, those that only read or accept left out.
    pub threads: usize,
    /// Connections that are open.
    pub connections: usize,
    /// Dynamic threads that were ever started.
    pub started: u64,
    /// Requests that threads of lower lanes have served for it.
    pub borrowed: u64,
    /// Requests that were refused because too many waited.
    pub refused: u64,
    /// Connections that were closed at once because there were too many, or no thread was to be had.
    pub rejected: u64,
    /// Requests whose upcalls wait until one of those under way ends, of connections that have threads
    /// of their own.
    pub waiting: usize,
}
