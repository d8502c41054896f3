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

/// How much of a thread's stack is in use before it begins its work, and is left alone when the rest
/// is touched.
const STACK_IN_USE: usize = 32 << 10;
/// How much of a stack is touched whose size the program does not say.
const STACK_TOUCHED: usize = 256 << 10;
const PAGE: usize = 4096;

/// A pool of threads that serve requests (`RTCORBA::ThreadpoolId`). Clones are the same pool.
///
/// An adapter is served by its threads alone whose policies have [`policy`](Self::policy). It lives
/// until it is [destroyed](Self::destroy), or its ORB ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threadpool {
    pool: Pool,
}

impl Threadpool {
    /// That of the core.
    pub(crate) fn of(pool: Pool) -> Self {
        Self { pool }
    }

    pub(crate) fn downgrade(&self) -> WeakPool {
        self.pool.downgrade()
    }

    /// The policy by which an adapter is served by this pool (`create_threadpool_policy`).
    #[doc(alias = "create_threadpool_policy")]
    pub fn policy(&self) -> ThreadpoolPolicy {
        self.pool.policy()
    }

    /// Its id, which no other pool of the process has.
    pub fn id(&self) -> u32 {
        u32::try_from(self.pool.number()).unwrap_or(u32::MAX)
    }

    /// Where its lanes are to be reached, in the order in which they were given.
    pub fn endpoints(&self) -> Vec<Vec<String>> {
        self.pool.endpoints()
    }

    /// What has become of its lanes, in the order in which they were given.
    pub fn counts(&self) -> Vec<LaneCounts> {
        self.pool.counts()
    }

    /// What its lanes have counted since they were [frozen](super::RtOrb::freeze), in the order in which they
    /// were given.
    pub fn violations(&self) -> Vec<LaneViolations> {
        self.pool.violations()
    }

    /// How its threads share the work.
    pub fn strategy(&self) -> Strategy {
        self.pool.strategy()
    }

    /// Ends it: its endpoints close, requests that are running finish, and its threads end, for which
    /// this waits.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` while an adapter is served by it, and in a thread of the pool itself.
    #[doc(alias = "destroy_threadpool")]
    pub fn destroy(&self) -> Result<(), SystemException> {
        self.pool.destroy()
    }
}

/// One lane of a pool: a priority, and the threads that serve requests of it
/// (`RTCORBA::ThreadpoolLane`).
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
    /// A lane of so many threads, which are there from the start, at least one.
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

    /// With so many threads more that come when all are busy.
    pub fn dynamic_threads(mut self, count: usize) -> Self {
        self.dynamic_threads = count;
        self
    }

    /// How long those live.
    pub fn lifespan(mut self, lifespan: DynamicLifespan) -> Self {
        self.lifespan = lifespan;
        self
    }

    /// Has requests wait in this lane that find none of its threads free, within limits of its own. The
    /// lane is half-sync then. Default: what [the pool](ThreadpoolBuilder::buffering) says.
    pub fn buffering(mut self, buffering: Buffering) -> Self {
        self.buffering = Some(buffering);
        self
    }

    /// Listens on `url`; may be called more than once. By default there is an endpoint beside each of
    /// the ORB's own.
    pub fn listen(mut self, url: impl Into<String>) -> Self {
        self.endpoints.push(url.into());
        self
    }

    /// Keeps its threads on these processors, by the system's numbers. Default: on any.
    pub fn processors(mut self, processors: impl IntoIterator<Item = usize>) -> Self {
        self.processors = processors.into_iter().collect();
        self
    }
}

/// Sets a [`Threadpool`] up.
#[derive(Debug)]
#[must_use]
pub struct ThreadpoolBuilder<'r> {
    orb: &'r Orb,
    rt: &'r Arc<Settings>,
    settings: PoolSettings,
    lanes: Vec<LaneBuilder>,
    /// The only lane of a pool without lanes.
    whole: LaneBuilder,
}

impl<'r> ThreadpoolBuilder<'r> {
    pub(crate) fn new(orb: &'r Orb, rt: &'r Arc<Settings>, name: &str) -> Self {
        Self {
            orb,
            rt,
            settings: PoolSettings::new(name),
            lanes: Vec::new(),
            whole: LaneBuilder::new(Priority::MIN, 1),
        }
    }

    /// What the pool is called.
    pub(crate) fn name(&self) -> &str {
        &self.settings.name
    }

    /// The CORBA priority of one of the system's.
    pub(crate) fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        self.rt.mapping.to_corba(native)
    }

    /// With a lane; may be called more than once, with different priorities.
    pub fn lane(mut self, lane: LaneBuilder) -> Self {
        self.lanes.push(lane);
        self
    }

    /// What the pool is like if it has no lanes: its one set of threads, which have the priority of
    /// `lane` when they do not serve a request. Default: one thread of the lowest priority.
    pub fn without_lanes(mut self, lane: LaneBuilder) -> Self {
        self.whole = lane;
        self
    }

    /// The octets of stack that each thread has. Default: what the system's library gives.
    pub fn stack_size(mut self, octets: usize) -> Self {
        self.settings.stack_size = Some(octets);
        self
    }

    /// Has requests wait that find no thread free, within limits; those beyond fail with `TRANSIENT`.
    /// By default they stay in the transport.
    #[doc(alias = "allow_request_buffering")]
    pub fn buffering(mut self, buffering: Buffering) -> Self {
        self.settings.buffering = Some(buffering);
        self
    }

    /// Has a lane that is out of threads borrow one of a lower lane.
    #[doc(alias = "allow_borrowing")]
    pub fn borrowing(mut self, allowed: bool) -> Self {
        self.settings.borrowing = allowed;
        self
    }

    /// Whether of all requests that wait for a thread those of higher priority are served first, or all
    /// in the order in which they came. The priority is the one that the upcall is to run at, else the
    /// highest of the connection's band. Over one connection requests are read in their order, so that
    /// clients need [`PriorityBands`](super::PriorityBands), and the pool
    /// [`buffering`](Self::buffering), lest those of high priority wait behind many of low in the
    /// transport. Default: by priority in a pool without lanes whose strategy has requests wait
    /// ([`Strategy::HalfSync`](super::Strategy), which this has it have); within a lane in the order in
    /// which they came, as all have its priority.
    pub fn by_priority(mut self, ordered: bool) -> Self {
        self.settings.by_priority = Some(ordered);
        self
    }

    /// How threads share the work. Default: leader/followers, or half-sync where requests are
    /// buffered or ordered, or threads borrowed.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.settings.strategy = Some(strategy);
        self
    }

    /// The most connections of each lane. Default 256.
    pub fn max_connections(mut self, count: usize) -> Self {
        self.settings.max_connections = count;
        self
    }

    /// Makes the pool: opens its endpoints and starts its threads (`create_threadpool`,
    /// `create_threadpool_with_lanes`).
    ///
    /// # Errors
    /// Settings that cannot be, endpoints that cannot be opened, threads that cannot be had; threads
    /// that the system does not let have their priorities, with [`Denied::Refuse`](super::Denied).
    #[doc(alias = "create_threadpool")]
    #[doc(alias = "create_threadpool_with_lanes")]
    pub fn create(self) -> Result<Threadpool, Error> {
        let Self { orb, rt, mut settings, lanes, whole } = self;
        let stack = rt.prefault.then(|| settings.stack_size.unwrap_or(STACK_TOUCHED));
        let with = |lane: LaneBuilder, shown| LaneSettings {
            dynamic_threads: lane.dynamic_threads,
            lifespan: lane.lifespan,
            buffering: lane.buffering,
            endpoints: lane.endpoints,
            threads: Arc::new(AtPriority {
                settings: Arc::clone(rt),
                priority: lane.priority,
                processors: lane.processors,
                stack,
            }),
            ..LaneSettings::new(shown, lane.static_threads)
        };
        settings.lanes = match lanes.is_empty() {
            true => vec![with(whole, None)],
            false => {
                let shown = |lane: LaneBuilder| {
                    let priority = Some(lane.priority.value());
                    with(lane, priority)
                };
                lanes.into_iter().map(shown).collect()
            }
        };
        Ok(Threadpool { pool: orb.create_pool(settings)? })
    }
}

/// Threads of one lane: at its priority, on its processors.
#[derive(Debug)]
struct AtPriority {
    settings: Arc<Settings>,
    priority: Priority,
    processors: Vec<usize>,
    /// How much stack is to be touched before it is needed.
    stack: Option<usize>,
}

impl AtPriority {
    /// Keeps the thread on its processors.
    fn keep(&self) -> io::Result<()> {
        if self.processors.is_empty() {
            return Ok(());
        }
        zorb_os::thread::set_affinity(&self.processors)
    }

    fn give(&self) -> io::Result<()> {
        self.settings.reset_priority(self.priority).map_err(|exception| {
            // With its context, which says what the process needs.
            io::Error::other(Error::from(exception))
        })
    }
}

impl LaneThreads for AtPriority {
    fn begin(&self) -> io::Result<()> {
        self.keep()?;
        if let Some(octets) = self.stack {
            touch(octets.saturating_sub(STACK_IN_USE));
        }
        self.give()
    }

    fn assist(&self) -> io::Result<()> {
        self.keep()?;
        self.give()
    }

    fn adopt(&self) {
        // Where it is to be refused, requests are before their upcalls.
        let _ = self.settings.reset_priority(self.priority);
    }

    fn raise(&self, thread: u32) {
        self.settings.raise(thread, self.priority);
    }
}

/// Has the system give the thread so many octets of its stack now.
#[inline(never)]
fn touch(octets: usize) {
    let page = std::hint::black_box([0_u8; PAGE]);
    if octets > 2 * PAGE {
        touch(octets - 2 * PAGE);
    }
    std::hint::black_box(&page);
}
