//! Thread pools.

use std::io;
use std::sync::Arc;

use zorb_core::lanes::{
    Buffering, DynamicLifespan, LaneCounts, LaneSettings, LaneThreads, LaneViolations, Pool,
    PoolSettings, Strategy, WeakPool,
};
use zorb_core::policy::ThreadpoolPolicy;
use zorb_core::{Error, Orb};
use zorb_types::SystemException;

use super::setting::Settings;
use super::{NativePriority, Priority};

/// The part of a thread's stack that is already in use and is not prefaulted.
const STACK_IN_USE: usize = 32 << 10;
/// The number of octets of a stack of default size that are prefaulted.
const STACK_PREFAULTED: usize = 256 << 10;
const PAGE: usize = 4096;

/// A pool of threads that serve requests (`RTCORBA::ThreadpoolId`). Clones are the same pool.
///
/// Its threads serve the adapters whose policies contain [`policy`](Self::policy). It exists until it is
/// [destroyed](Self::destroy) or its ORB is shut down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threadpool {
    pool: Pool,
}

impl Threadpool {
    /// Wraps a pool of the ORB.
    pub(crate) fn of(pool: Pool) -> Self {
        Self { pool }
    }

    pub(crate) fn downgrade(&self) -> WeakPool {
        self.pool.downgrade()
    }

    /// The policy of adapters that this pool serves (`create_threadpool_policy`).
    #[doc(alias = "create_threadpool_policy")]
    pub fn policy(&self) -> ThreadpoolPolicy {
        self.pool.policy()
    }

    /// The pool's id, unique in the process.
    pub fn id(&self) -> u32 {
        u32::try_from(self.pool.number()).unwrap_or(u32::MAX)
    }

    /// The endpoints of its lanes, in the order of the builder.
    pub fn endpoints(&self) -> Vec<Vec<String>> {
        self.pool.endpoints()
    }

    /// Counters of its lanes, in the order of the builder.
    pub fn counts(&self) -> Vec<LaneCounts> {
        self.pool.counts()
    }

    /// The violations of its lanes since [`RtOrb::freeze`](super::RtOrb::freeze), in the order of the builder.
    pub fn violations(&self) -> Vec<LaneViolations> {
        self.pool.violations()
    }

    /// Its serving strategy.
    pub fn strategy(&self) -> Strategy {
        self.pool.strategy()
    }

    /// Destroys the pool: closes its endpoints, completes requests in progress, and waits until its threads have ended.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` if the pool serves an adapter, or in a thread of the pool itself.
    #[doc(alias = "destroy_threadpool")]
    pub fn destroy(&self) -> Result<(), SystemException> {
        self.pool.destroy()
    }
}

/// A lane of a pool: a priority and the threads that serve its requests (`RTCORBA::ThreadpoolLane`).
#[derive(Clone, Debug)]
#[must_use]
#[doc(alias = "ThreadpoolLane")]
pub struct LaneBuilder {
    priority: Priority,
    static_threads: usize,
    dynamic_threads: usize,
    lifespan: DynamicLifespan,
    buffering: Option<Buffering>,
    endpoints: Vec<String>,
    processors: Vec<usize>,
}

impl LaneBuilder {
    /// A lane with `threads` static threads, at least one.
    pub fn new(priority: Priority, static_threads: usize) -> Self {
        Self {
            priority,
            static_threads,
            dynamic_threads: 0,
            lifespan: DynamicLifespan::default(),
            buffering: None,
            endpoints: Vec::new(),
            processors: Vec::new(),
        }
    }

    /// The maximum number of dynamic threads, which start when all others are busy.
    pub fn dynamic_threads(mut self, count: usize) -> Self {
        self.dynamic_threads = count;
        self
    }

    /// The lifespan of dynamic threads.
    pub fn lifespan(mut self, lifespan: DynamicLifespan) -> Self {
        self.lifespan = lifespan;
        self
    }

    /// Queues requests for which no thread of the lane is free, within limits of the lane; its strategy is then
    /// half-sync/half-async. Default: the limits of [the pool](ThreadpoolBuilder::buffering).
    pub fn buffering(mut self, buffering: Buffering) -> Self {
        self.buffering = Some(buffering);
        self
    }

    /// Listens on `url`; may be called several times. Default: an endpoint of the same kind as each of the ORB's.
    pub fn listen(mut self, url: impl Into<String>) -> Self {
        self.endpoints.push(url.into());
        self
    }

    /// Binds the lane's threads to these processors, numbered as by the system. Default: all processors.
    pub fn processors(mut self, processors: impl IntoIterator<Item = usize>) -> Self {
        self.processors = processors.into_iter().collect();
        self
    }
}

/// Configures and creates a [`Threadpool`].
#[derive(Debug)]
#[must_use]
pub struct ThreadpoolBuilder<'r> {
    orb: &'r Orb,
    rt: &'r Arc<Settings>,
    settings: PoolSettings,
    lanes: Vec<LaneBuilder>,
    /// The threads of a pool without lanes.
    default_lane: LaneBuilder,
}

impl<'r> ThreadpoolBuilder<'r> {
    pub(crate) fn new(orb: &'r Orb, rt: &'r Arc<Settings>, name: &str) -> Self {
        Self {
            orb,
            rt,
            settings: PoolSettings::new(name),
            lanes: Vec::new(),
            default_lane: LaneBuilder::new(Priority::MIN, 1),
        }
    }

    /// The name of the pool.
    pub(crate) fn name(&self) -> &str {
        &self.settings.name
    }

    /// The CORBA priority of a native one.
    pub(crate) fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        self.rt.mapping.to_corba(native)
    }

    /// Adds a lane; may be called several times, with different priorities.
    pub fn lane(mut self, lane: LaneBuilder) -> Self {
        self.lanes.push(lane);
        self
    }

    /// Configures the threads of a pool without lanes; they have the priority of `lane` when they do not serve a request.
    /// Default: one thread of the lowest priority.
    pub fn without_lanes(mut self, lane: LaneBuilder) -> Self {
        self.default_lane = lane;
        self
    }

    /// The stack size of each thread in octets. Default: the system's.
    pub fn stack_size(mut self, octets: usize) -> Self {
        self.settings.stack_size = Some(octets);
        self
    }

    /// Queues requests for which no thread is free, within limits; requests beyond the limits fail with `TRANSIENT`.
    /// Default: requests stay in the transport; in a half-sync pool, one of each connection waits.
    #[doc(alias = "allow_request_buffering")]
    pub fn buffering(mut self, buffering: Buffering) -> Self {
        self.settings.buffering = Some(buffering);
        self
    }

    /// Lets a lane without free threads borrow one of a lane with a lower priority.
    #[doc(alias = "allow_borrowing")]
    pub fn borrowing(mut self, allowed: bool) -> Self {
        self.settings.borrowing = allowed;
        self
    }

    /// Whether requests that wait for a thread are served in order of priority or of arrival. The priority is that of
    /// the upcall, otherwise the highest of the connection's band. Requests of one connection are read in order; use
    /// [`PriorityBands`](super::PriorityBands) in clients and [`buffering`](Self::buffering) in the pool, so that urgent
    /// requests do not wait behind others in the transport. It selects the strategy
    /// [`Strategy::HalfSync`](super::Strategy). Default: by priority in a half-sync pool without lanes; by arrival
    /// within a lane, whose requests all have its priority.
    pub fn by_priority(mut self, ordered: bool) -> Self {
        self.settings.by_priority = Some(ordered);
        self
    }

    /// The serving strategy. Default: leader/followers; half-sync/half-async if requests are buffered or ordered, or
    /// threads borrowed.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.settings.strategy = Some(strategy);
        self
    }

    /// The maximum number of connections of each lane. Default: 256, or fewer if the process has descriptors, threads
    /// or memory for fewer.
    pub fn max_connections(mut self, count: usize) -> Self {
        self.settings.max_connections = count;
        self
    }

    /// Creates the pool: opens its endpoints and starts its threads (`create_threadpool`,
    /// `create_threadpool_with_lanes`).
    ///
    /// # Errors
    /// A setting is invalid, an endpoint cannot be opened, a thread cannot be started, or, with
    /// [`Denied::Refuse`](super::Denied), a thread cannot get its priority.
    #[doc(alias = "create_threadpool")]
    #[doc(alias = "create_threadpool_with_lanes")]
    pub fn create(self) -> Result<Threadpool, Error> {
        let Self { orb, rt, mut settings, lanes, default_lane } = self;
        let stack = rt.prefault.then(|| settings.stack_size.unwrap_or(STACK_PREFAULTED));
        let lane_settings = |lane: LaneBuilder, priority| LaneSettings {
            dynamic_threads: lane.dynamic_threads,
            lifespan: lane.lifespan,
            buffering: lane.buffering,
            endpoints: lane.endpoints,
            threads: Arc::new(PriorityThreads {
                settings: Arc::clone(rt),
                priority: lane.priority,
                processors: lane.processors,
                stack,
            }),
            ..LaneSettings::new(priority, lane.static_threads)
        };
        settings.lanes = match lanes.is_empty() {
            true => vec![lane_settings(default_lane, None)],
            false => {
                let with_priority = |lane: LaneBuilder| {
                    let priority = Some(lane.priority.value());
                    lane_settings(lane, priority)
                };
                lanes.into_iter().map(with_priority).collect()
            }
        };
        Ok(Threadpool { pool: orb.create_pool(settings)? })
    }
}

/// Sets priority and processors of a lane's threads.
#[derive(Debug)]
struct PriorityThreads {
    settings: Arc<Settings>,
    priority: Priority,
    processors: Vec<usize>,
    /// The number of octets of the stack to prefault.
    stack: Option<usize>,
}

impl PriorityThreads {
    /// Binds the calling thread to the lane's processors.
    fn bind(&self) -> io::Result<()> {
        if self.processors.is_empty() {
            return Ok(());
        }
        zorb_os::thread::set_affinity(&self.processors)
    }

    /// Sets the lane's priority for the calling thread.
    fn set_priority(&self) -> io::Result<()> {
        self.settings.reset_priority(self.priority).map_err(|exception| {
            // `Error` retains the context, with the hint about permissions.
            io::Error::other(Error::from(exception))
        })
    }
}

impl LaneThreads for PriorityThreads {
    fn begin(&self) -> io::Result<()> {
        self.bind()?;
        if let Some(octets) = self.stack {
            prefault(octets.saturating_sub(STACK_IN_USE));
        }
        self.set_priority()
    }

    fn assist(&self) -> io::Result<()> {
        self.bind()?;
        self.set_priority()
    }

    fn adopt(&self) {
        // With `Denied::Refuse`, upcalls fail later.
        let _ = self.settings.reset_priority(self.priority);
    }

    fn raise(&self, thread: u32) {
        self.settings.raise(thread, self.priority);
    }
}

/// Prefaults this many octets of the calling thread's stack.
#[inline(never)]
fn prefault(octets: usize) {
    let page = std::hint::black_box([0_u8; PAGE]);
    if octets > 2 * PAGE {
        prefault(octets - 2 * PAGE);
    }
    std::hint::black_box(&page);
}
