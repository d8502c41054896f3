//! The state of a pool: its lanes from their start to their end.
#![expect(
    clippy::disallowed_types,
    reason = "the list of pools is written when pools come and go, and read by management operations"
)]

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak, mpsc};

use zorb_base::accepting::Admission;
use zorb_base::error::{Error, Phase};
use zorb_base::local_endpoints::MAX_ROUTES;
use zorb_base::protocol_choice::{endpoints, ephemeral};
use zorb_base::threads::ThreadCount;
use zorb_os::event::EventFd;
use zorb_transport::Workers;

use crate::context::ServerContext;
use crate::lane::adapters::ServedAdapters;
use crate::lane::admission::LaneAdmission;
use crate::lane::spawner::Spawner;
use crate::lane::steady_state::{LaneViolations, SteadyState, ViolationReport};
use crate::lane::workers::LaneWorkers;
use crate::lane::{Lane, LaneParts, OtherLanes, ServingStrategy, ThreadKind};
use crate::listener::Listener;
use crate::settings::{LaneSettings, PoolSettings, Strategy};
use crate::strategy::{HalfSync, LeaderFollowers, SingleThread, ThreadPerConnection};

/// The state of a pool.
pub struct PoolCore {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) strategy: Strategy,
    pub(super) lanes: Vec<Arc<Lane>>,
    pub(super) threads: Arc<ThreadCount>,
    /// The list of its ORB's pools.
    pub(super) pools: Weak<Pools>,
    /// The adapters that it serves.
    pub(super) adapters: Arc<ServedAdapters>,
    pub(super) ended: AtomicBool,
}

impl fmt::Debug for PoolCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolCore").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The pools of an ORB.
#[derive(Default)]
pub(crate) struct Pools(RwLock<Vec<Arc<PoolCore>>>);

impl Pools {
    pub(crate) fn all(&self) -> Vec<Arc<PoolCore>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Removes and returns all.
    pub(crate) fn take(&self) -> Vec<Arc<PoolCore>> {
        std::mem::take(&mut *self.0.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a pool, if `check`, which it calls under the lock, succeeds.
    pub(crate) fn add(
        &self,
        pool: &Arc<PoolCore>,
        check: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut pools = self.0.write().unwrap_or_else(PoisonError::into_inner);
        check()?;
        pools.push(Arc::clone(pool));
        Ok(())
    }

    pub(crate) fn remove(&self, pool: &PoolCore) {
        let mut pools = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Dropped without the lock: it may be the last reference to the pool.
        let removed: Vec<_> = pools.extract_if(.., |known| known.number == pool.number).collect();
        drop(pools);
        drop(removed);
    }
}

/// Clients would ignore the last endpoints in references, those of the most urgent lanes.
const TOO_MANY_ENDPOINTS: &str =
    "its lanes have more than 64 endpoints, the maximum that clients use of a reference";

/// The next number of a pool; 0 is reserved.
static NEXT_NUMBER: AtomicUsize = AtomicUsize::new(1);

impl PoolCore {
    /// Creates a pool without starting its threads, for the list `pools`. Lanes without endpoints in their
    /// settings listen at those that `beside` returns.
    pub(crate) fn new(
        context: &Arc<ServerContext>,
        pools: &Arc<Pools>,
        settings: PoolSettings,
        beside: &dyn Fn() -> Vec<String>,
    ) -> Result<Arc<Self>, Error> {
        let failed =
            || Error::new(Phase::Configure, format!("the thread pool {:?}", settings.name));
        settings.check().map_err(|reason| failed().with_source(reason))?;
        let strategy =
            settings.effective_strategy().map_err(|reason| failed().with_source(reason))?;
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let threads = context.threads().beside();
        let adapters = Arc::<ServedAdapters>::default();
        let mut lanes = Vec::with_capacity(settings.lanes.len());
        // Each lane has at least one.
        let mut endpoints = settings.lanes.len();
        for lane in &settings.lanes {
            let name = match lane.priority {
                Some(priority) => format!("{}-{priority}", settings.name),
                None => settings.name.clone(),
            };
            let by_priority = settings.by_priority.unwrap_or(lane.priority.is_none());
            let steady_state = Arc::new(SteadyState::new(&name, lane.priority));
            let workers = LaneWorkers {
                steady_state: Arc::clone(&steady_state),
                threads: Arc::clone(&lane.threads),
            };
            if endpoints > MAX_ROUTES {
                return Err(failed().with_source(TOO_MANY_ENDPOINTS));
            }
            let listeners = open(context, lane, &Workers::of(Arc::new(workers)), beside)?;
            endpoints = endpoints.saturating_add(listeners.len()).saturating_sub(1);
            let strategy =
                settings.strategy_of(lane).map_err(|reason| failed().with_source(reason))?;
            let strategy: Box<dyn ServingStrategy> = match strategy {
                Strategy::LeaderFollowers => Box::new(LeaderFollowers),
                Strategy::SingleThread => {
                    check_readiness(&listeners).map_err(|reason| failed().with_source(reason))?;
                    Box::new(SingleThread)
                }
                Strategy::ThreadPerConnection => Box::new(ThreadPerConnection::default()),
                Strategy::HalfSync => {
                    let buffering = lane.buffering.or(settings.buffering);
                    Box::new(HalfSync::new(lane.max_threads(), buffering, by_priority))
                }
            };
            let parts = LaneParts {
                settings: lane.clone(),
                strategy,
                pool: number,
                name,
                stack_size: settings.stack_size,
                max_connections: settings.max_connections,
                listeners,
                steady_state,
                threads: Arc::clone(&threads),
                adapters: Arc::clone(&adapters),
            };
            lanes.push(Lane::new(context, parts).map_err(|error| failed().with_source(error))?);
        }
        if endpoints > MAX_ROUTES {
            return Err(failed().with_source(TOO_MANY_ENDPOINTS));
        }
        let by_priority = by_priority(&lanes);
        for (at, lane) in by_priority.iter().enumerate().filter(|_| settings.borrowing) {
            let weak = |lanes: &[Arc<Lane>]| lanes.iter().map(Arc::downgrade).collect();
            let higher = weak(by_priority.get(..at).unwrap_or_default());
            let lower = weak(by_priority.get(at + 1..).unwrap_or_default());
            // Set once, here.
            let _ = lane.other_lanes.set(OtherLanes { higher, lower });
        }
        Ok(Arc::new(Self {
            number,
            name: settings.name,
            strategy,
            lanes,
            threads,
            pools: Arc::downgrade(pools),
            adapters,
            ended: AtomicBool::new(false),
        }))
    }

    /// Starts the threads.
    pub(crate) fn start(&self) -> Result<(), Error> {
        let failed = || Error::new(Phase::Configure, format!("the thread pool {:?}", self.name));
        let (report, reports) = mpsc::channel();
        for lane in &self.lanes {
            let fixed = match lane.strategy.uses_reactor() {
                true => lane.settings.static_threads,
                false => 0,
            };
            let reader = lane.queue().map(|_| ThreadKind::Reader);
            for kind in std::iter::repeat_n(ThreadKind::Static, fixed).chain(reader) {
                lane.start(kind, Some(report.clone()))
                    .map_err(|error| failed().with_source(error))?;
            }
        }
        drop(report);
        for begun in reports {
            begun.map_err(|error| failed().with_source(error))?;
        }
        for lane in &self.lanes {
            let Some(spawner) = lane.thread_requests.spawner().map(Arc::clone) else { continue };
            let weak = Arc::downgrade(lane);
            self.threads
                .spawn("zorb-spawner", move || run_spawner(&spawner, &weak))
                .map_err(|error| failed().with_source(error))?;
        }
        Ok(())
    }

    /// Listens at the endpoints of its lanes, each with one of the spare descriptors. Calls exclude each other.
    pub(crate) fn listen(
        &self,
        context: &Arc<ServerContext>,
        spares: &mut Vec<EventFd>,
    ) -> Result<(), Error> {
        for lane in &self.lanes {
            for listener in &lane.listeners {
                let accepting = Arc::clone(lane);
                let begin = move || accepting.adopt_thread();
                let admission = || -> Box<dyn Admission> {
                    let pool = Some(self.threads.enter());
                    Box::new(LaneAdmission::new(lane, context, &listener.protocol, pool))
                };
                listener.start(context.threads(), begin, admission, spares.pop())?;
                tracing::info!(endpoint = %listener.acceptor.endpoint(), lane = lane.name(), "listening");
            }
        }
        Ok(())
    }

    pub fn lanes(&self) -> &[Arc<Lane>] {
        &self.lanes
    }
}

impl PoolCore {
    /// Stops it, and waits for its threads.
    pub(crate) fn end(&self) {
        self.stop();
        self.threads.join();
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its number, unique in the process.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Stops it, without waiting for its threads.
    pub fn stop(&self) {
        self.ended.store(true, Ordering::Release);
        for lane in &self.lanes {
            lane.stop();
            if let Some(spawner) = lane.thread_requests.spawner() {
                spawner.end();
            }
        }
    }

    /// Makes its lanes count violations, from zero.
    pub(crate) fn freeze(&self, report: Option<&Arc<ViolationReport>>) -> io::Result<()> {
        self.lanes.iter().try_for_each(|lane| lane.steady_state.freeze(report))
    }

    /// Stops counting violations.
    pub(crate) fn thaw(&self) {
        self.lanes.iter().for_each(|lane| lane.steady_state.thaw());
    }

    /// The violations of its lanes.
    pub(crate) fn violations(&self) -> impl Iterator<Item = LaneViolations> + '_ {
        self.lanes.iter().map(|lane| lane.steady_state.violations())
    }
}

/// The body of the thread that starts a lane's dynamic threads, at their priority.
fn run_spawner(spawner: &Spawner, lane: &Weak<Lane>) {
    if let Some(lane) = lane.upgrade() {
        lane.adopt_thread();
    }
    spawner.run(|is_called| {
        if let Some(lane) = lane.upgrade() {
            // Before the first call it is still starting up.
            if is_called {
                lane.work_begins();
            }
            lane.grow();
            lane.work_ends();
        }
    });
}

/// The lane of an ORB's own endpoints: each connection has a thread, and only the options limit it.
///
/// # Errors
/// None in practice.
pub(crate) fn default_lane(context: &Arc<ServerContext>) -> io::Result<Arc<Lane>> {
    let name = "zorb-serve";
    Lane::new(
        context,
        LaneParts {
            settings: LaneSettings::new(None, 1),
            strategy: Box::new(ThreadPerConnection::default()),
            pool: 0,
            name: name.to_owned(),
            stack_size: None,
            max_connections: context.options().connection_limit(),
            listeners: Vec::new(),
            steady_state: Arc::new(SteadyState::new(name, None)),
            threads: Arc::clone(context.threads()),
            adapters: Arc::default(),
        },
    )
}

/// Checks that a single thread can serve the connections of all `listeners`.
fn check_readiness(listeners: &[Listener]) -> Result<(), String> {
    match listeners.iter().find(|listener| !listener.protocol.transport().has_readiness()) {
        None => Ok(()),
        Some(listener) => Err(format!(
            "the single-thread strategy cannot serve {}: its connections need threads of their own",
            listener.acceptor.endpoint()
        )),
    }
}

/// The lanes, the highest priority first.
fn by_priority(lanes: &[Arc<Lane>]) -> Vec<Arc<Lane>> {
    let mut sorted = lanes.to_vec();
    sorted.sort_by_key(|lane| std::cmp::Reverse(lane.settings.priority));
    sorted
}

/// Opens the endpoints of a lane: those in its settings, else those `beside` the ORB's.
fn open(
    context: &ServerContext,
    lane: &LaneSettings,
    workers: &Workers,
    beside: &dyn Fn() -> Vec<String>,
) -> Result<Vec<Listener>, Error> {
    let mut urls = endpoints(&lane.endpoints, context.options(), context.protocols());
    if urls.is_empty() {
        urls = beside();
    }
    if urls.is_empty() {
        urls = ephemeral(context.options(), context.protocols());
    }
    if urls.is_empty() {
        return Err(Error::new(Phase::Listen, "the ORB has no protocol to listen with"));
    }
    urls.iter().map(|url| Listener::open(context, url, lane.priority, workers.clone())).collect()
}
