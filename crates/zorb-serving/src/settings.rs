//! The settings of a pool and its lanes.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use zorb_base::process_limits::max_connections;

/// The settings of a thread pool.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// Its name, used in messages and (truncated) as thread name.
    pub name: String,
    /// Its serving strategy. Default: the one that the other settings need, otherwise leader/followers.
    pub strategy: Option<Strategy>,
    /// The stack size of each thread in octets. Default: that of the system's library.
    pub stack_size: Option<usize>,
    /// How many requests may wait for a thread. Default `None`: they stay in the transport;
    /// with half-sync, one of each connection waits.
    pub buffering: Option<Buffering>,
    /// Whether a lane without a free thread borrows one from a lane of lower priority. Default: no.
    pub borrowing: bool,
    /// Whether waiting requests are served by priority rather than in the order of arrival. Default `None`:
    /// in a pool for all priorities with a reader thread; in other lanes all requests have the lane's
    /// priority.
    pub by_priority: Option<bool>,
    /// The maximum number of connections of each lane. Default: 256, or fewer if the process has
    /// [descriptors, threads or memory](max_connections) for fewer.
    pub max_connections: usize,
    /// The lanes; at least one.
    pub lanes: Vec<LaneSettings>,
}

impl PoolSettings {
    /// A pool of this name, without lanes.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            strategy: None,
            stack_size: None,
            buffering: None,
            borrowing: false,
            by_priority: None,
            max_connections: max_connections().min(256),
            lanes: Vec::new(),
        }
    }

    /// The strategy that applies.
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

    /// The strategy of a lane: one with buffering needs half-sync, whatever the others use.
    pub(super) fn strategy_of(&self, lane: &LaneSettings) -> Result<Strategy, &'static str> {
        match (lane.buffering, self.strategy) {
            (None, _) => self.effective_strategy(),
            (Some(_), None | Some(Strategy::HalfSync)) => Ok(Strategy::HalfSync),
            (Some(_), Some(_)) => Err(NEEDS_HALF_SYNC),
        }
    }

    /// Checks the settings.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.lanes.is_empty() {
            return Err("the pool has no lanes");
        }
        if self.lanes.iter().any(|lane| lane.static_threads == 0) {
            return Err("a lane needs at least one static thread");
        }
        if self.lanes.iter().any(|lane| lane.max_threads() > MAX_THREADS) {
            return Err("a lane may have at most 4096 threads");
        }
        if self.max_connections == 0 || self.max_connections > MAX_CONNECTIONS {
            return Err("max_connections must be 1 to 65536");
        }
        let mut priorities: Vec<_> = self.lanes.iter().map(|lane| lane.priority).collect();
        priorities.sort_unstable();
        let count = priorities.len();
        priorities.dedup();
        if priorities.len() < count || (count > 1 && priorities.first() == Some(&None)) {
            return Err("the lanes of a pool must have different priorities");
        }
        self.lanes.iter().try_for_each(|lane| match self.strategy_of(lane)? {
            Strategy::SingleThread if lane.max_threads() > 1 => Err(ONE_THREAD),
            _ => Ok(()),
        })
    }
}

const NEEDS_HALF_SYNC: &str =
    "request buffering, thread borrowing and order by priority need the half-sync strategy";

const ONE_THREAD: &str =
    "a lane with the single-thread strategy has one static thread, and no dynamic threads";

/// The maximum number of threads of one lane.
const MAX_THREADS: usize = 4096;
/// The maximum number of connections of one lane.
const MAX_CONNECTIONS: usize = 65_536;

/// A serving strategy: how the threads of a lane share its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// The threads wait for events together; the one that receives an event reads the request, makes the
    /// upcall and replies.
    #[default]
    LeaderFollowers,
    /// One thread reads and queues requests, the others make upcalls and reply. Each request changes threads;
    /// in return, requests can be buffered, and threads borrowed.
    HalfSync,
    /// Each connection has a thread; the lane's number of threads limits concurrent upcalls. It needs the
    /// fewest system calls for few clients. Connections whose transport has no readiness to wait for, for
    /// example shared memory, are served in this way in leader/followers lanes, too.
    ThreadPerConnection,
    /// A reactor: the lane's only thread waits for all connections, reads, makes upcalls and replies, one
    /// request after the other. A lane with this strategy has one static thread and no dynamic ones, and
    /// refuses endpoints whose [transport](zorb_transport::Transport::has_readiness) needs further threads:
    /// shared memory and TLS, for instance. A servant that blocks delays all clients of the lane; a call to an object
    /// whose server calls back into the lane deadlocks, unless a timeout ends it.
    SingleThread,
}

impl Strategy {
    /// All strategies.
    pub const ALL: &'static [Self] =
        &[Self::LeaderFollowers, Self::HalfSync, Self::ThreadPerConnection, Self::SingleThread];
}

/// The limits of requests that wait for a thread of a lane; excess requests fail with `TRANSIENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffering {
    /// The maximum number of requests (`max_buffered_requests`), at most 65,536; 0 means 65,536.
    ///
    /// Messages with buffers of 4 KiB are allocated with the pool, so that requests up to that size allocate nothing in
    /// steady state: for as many requests as may wait (with 0, for 1024), where the smallest have 40 octets of
    /// `max_octets`. There are no more than 1024 unless `max_octets` has room for that many buffers. Further messages
    /// and larger buffers are allocated on demand and retained.
    pub max_requests: usize,
    /// The maximum size of requests in octets (`max_request_buffer_size`); `None` means 256 MiB.
    pub max_octets: Option<usize>,
}

/// The lifespan of dynamic threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DynamicLifespan {
    /// Until it has been idle for this time. The default, with one second.
    Idle(Duration),
    /// For this time after its start, and then until it is idle.
    Fixed(Duration),
    /// As long as the pool.
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
    /// The priority of its endpoints in references; `None` for a pool without lanes in RT-CORBA's sense,
    /// whose endpoints are for all priorities.
    pub priority: Option<i16>,
    /// Threads that exist from the start; at least one.
    pub static_threads: usize,
    /// Additional threads that may be started when all are busy. Default 0.
    pub dynamic_threads: usize,
    /// The lifespan of dynamic threads.
    pub lifespan: DynamicLifespan,
    /// How many requests may wait for a thread of this lane. Default `None`: the pool's setting.
    pub buffering: Option<Buffering>,
    /// The endpoints of the lane. Default: for each of the ORB's own, one at the same interface or in the same folder.
    pub endpoints: Vec<String>,
    /// Prepares its threads.
    pub threads: Arc<dyn LaneThreads>,
}

impl LaneSettings {
    /// A lane with this priority and number of static threads.
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

/// Prepares the threads of a lane; RT-CORBA sets their priorities with it.
pub trait LaneThreads: fmt::Debug + Send + Sync + 'static {
    /// Called first by each thread of the lane.
    ///
    /// # Errors
    /// The thread cannot be prepared. The pool is then not created.
    fn begin(&self) -> io::Result<()> {
        self.adopt();
        Ok(())
    }

    /// Called first by each auxiliary thread, which accepts connections or starts threads for the lane. Its
    /// stack has the default size.
    ///
    /// # Errors
    /// The priority or processors cannot be set. The thread runs anyway, after [`adopt`](Self::adopt).
    fn assist(&self) -> io::Result<()> {
        self.adopt();
        Ok(())
    }

    /// Makes the calling thread work for this lane: called for borrowed threads, and for the lane's own
    /// threads when they return.
    fn adopt(&self) {}

    /// Gives the thread with this system id, which this lane borrows, the lane's priority.
    fn raise(&self, thread: u32) {
        let _ = thread;
    }
}

/// Leaves threads as the system starts them.
#[derive(Debug)]
struct Plain;

impl LaneThreads for Plain {}

/// Counters of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneCounts {
    /// Threads, without those that only read or accept.
    pub threads: usize,
    /// Open connections.
    pub connections: usize,
    /// Connections accepted so far, with the [rejected](Self::rejected) ones.
    pub accepted: u64,
    /// Connections closed to make room for others: idle ones, and those whose clients did not read.
    pub evicted: u64,
    /// Whole messages that clients have sent so far: requests, with few exceptions.
    pub messages: u64,
    /// Requests that have been received, or released, and wait for a thread of the lane.
    pub queued: usize,
    /// Dynamic threads started so far.
    pub started: u64,
    /// Requests that borrowed threads have served.
    pub borrowed: u64,
    /// Requests refused because too many waited.
    pub refused: u64,
    /// Connections closed at once because of a limit, or because no thread could be started.
    pub rejected: u64,
    /// Requests of connections with threads of their own whose upcalls wait for another one to end.
    pub waiting: usize,
}
