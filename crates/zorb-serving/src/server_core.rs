//! The serving side of an ORB: its endpoints, its pools and its default lane.
#![expect(
    clippy::disallowed_types,
    reason = "written when endpoints and pools come and go, read when references are made"
)]

mod listening;

use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, RwLock};
use std::time::Instant;

use zorb_base::error::{Error, Phase};
use zorb_base::orb_core::OrbCore;
use zorb_base::policy::Policies;
use zorb_cdr::ReadContext;
use zorb_os::lock::Lock;
use zorb_poa::Adapters;

use crate::context::ServerContext;
use crate::descriptors::take_descriptors;
use crate::lane::Lane;
use crate::lane::steady_state::ViolationReport;
use crate::lane::unread::{UnreadLimits, close_unread};
use crate::listener::Listener;
use crate::pool::{Pool, PoolCore, Pools};
use crate::settings::PoolSettings;

/// The settings of frozen pools.
#[derive(Clone)]
pub(crate) struct Freezing {
    /// Receives violations.
    pub(crate) report: Option<Arc<ViolationReport>>,
}

/// The serving side of an ORB: its endpoints, its pools and its default lane.
pub struct ServerCore {
    pub(super) context: Arc<ServerContext>,
    listeners: RwLock<Vec<Listener>>,
    /// Counts the changes of the listeners. Changed with them, under their lock.
    changes: AtomicU64,
    /// Whether it listens at its endpoints, and at those that are opened later. Changed under `starting`.
    listens: AtomicBool,
    /// Held while listeners start.
    starting: Lock<()>,
    pub(super) pools: Arc<Pools>,
    /// Whether pools are frozen, including those that are created later.
    pub(super) freezing: Lock<Option<Freezing>>,
    /// Serves connections to the ORB's own endpoints; created with the first of them.
    default_lane: OnceLock<Arc<Lane>>,
}

impl Deref for ServerCore {
    type Target = Arc<OrbCore>;

    #[inline]
    fn deref(&self) -> &Arc<OrbCore> {
        self.context.orb()
    }
}

impl std::fmt::Debug for ServerCore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerCore").field("context", &self.context).finish_non_exhaustive()
    }
}

impl ServerCore {
    /// The serving side of an ORB whose objects are in `adapters`; `read_context` decodes their arguments.
    pub fn new(
        orb: &Arc<OrbCore>,
        adapters: &Arc<Adapters>,
        read_context: Box<dyn ReadContext + Send + Sync>,
    ) -> Arc<Self> {
        Arc::new(Self {
            context: ServerContext::new(orb, adapters, read_context),
            listeners: RwLock::default(),
            changes: AtomicU64::new(0),
            listens: AtomicBool::new(false),
            starting: Lock::default(),
            pools: Arc::default(),
            freezing: Lock::default(),
            default_lane: OnceLock::new(),
        })
    }

    /// Sets up future connections according to the ORB's policies. `policies` returns the current ones.
    pub fn update_default_connection_setup(&self, policies: impl FnOnce() -> Policies) {
        self.context.update_default_connection_setup(policies);
    }

    /// The pool of this id, unless it has been destroyed.
    pub fn pool(&self, id: u32) -> Option<Pool> {
        let pools = self.pools.all();
        let found = pools.iter().find(|pool| u32::try_from(pool.number()) == Ok(id));
        found.map(|pool| Pool::from_core(Arc::clone(pool))).filter(|pool| !pool.is_destroyed())
    }

    /// Starts the watchdog's thread, if it does not run.
    pub(super) fn start_watchdog(&self) -> io::Result<()> {
        self.context.watchdog().start(|| self.context.run_watchdog())
    }

    /// Stops the watchdog and the pools, without waiting for their threads.
    pub fn stop_pools(&self) -> Vec<Arc<PoolCore>> {
        let pools = self.pools.take();
        self.context.watchdog().stop();
        pools
    }

    /// The lane of the ORB's own endpoints, once it listens at one.
    pub(super) fn default_lane(&self) -> Option<&Arc<Lane>> {
        self.default_lane.get()
    }

    /// Closes connections whose clients have left replies unread beyond `limits`. Returns their number.
    pub fn close_unread(&self, limits: UnreadLimits) -> usize {
        close_unread(&self.context, limits, Instant::now())
    }

    /// Stops the lane of the ORB's own endpoints, without waiting for its threads.
    pub fn stop_default_lane(&self) {
        if let Some(lane) = self.default_lane.get() {
            lane.stop();
        }
    }
}

impl ServerCore {
    /// Creates a pool: opens its endpoints and starts its threads. If that fails, nothing remains of it.
    ///
    /// # Errors
    /// Invalid settings; endpoints that cannot be opened; threads that cannot be started or
    /// [prepared](super::LaneThreads::begin); an ORB that has shut down.
    pub fn create_pool(self: &Arc<Self>, settings: PoolSettings) -> Result<Pool, Error> {
        self.check_running()?;
        self.start_watchdog()
            .map_err(|error| Error::new(Phase::Configure, "the watchdog").with_source(error))?;
        let pool = PoolCore::new(&self.context, &self.pools, settings, &|| self.beside())?;
        let begun = pool.start().and_then(|()| {
            // Under the lock with which a shutdown removes the pools: none is added later.
            self.pools.add(&pool, || Ok(self.check_running()?))?;
            let starting = self.starting.lock();
            if self.listens.load(Ordering::Acquire) {
                let endpoints = pool.lanes().iter().map(|lane| lane.listeners.len());
                pool.listen(&self.context, &mut take_descriptors(endpoints.sum())?)?;
            }
            drop(starting);
            let freezing = self.freezing.lock().clone();
            freezing.map_or(Ok(()), |freezing| {
                let frozen = pool.freeze(freezing.report.as_ref());
                frozen.map_err(|error| {
                    Error::new(Phase::Configure, "a frozen pool").with_source(error)
                })
            })
        });
        match begun {
            Ok(()) => Ok(Pool::from_core(pool)),
            Err(error) => {
                self.pools.remove(&pool);
                pool.end();
                Err(error)
            }
        }
    }

    /// URLs for endpoints beside the ORB's own.
    fn beside(&self) -> Vec<String> {
        let beside =
            |listener: &Listener| listener.protocol.transport().beside(&*listener.acceptor);
        self.with_listeners(|listeners| {
            listeners.iter().filter(|listener| listener.is_for_objects()).map(beside).collect()
        })
    }
}

#[cfg(test)]
impl ServerCore {
    /// The serving side of an ORB with these options, IIOP and no objects, which listens.
    pub(crate) fn for_tests(options: zorb_base::options::Options) -> Arc<Self> {
        let orb = OrbCore::new(options);
        orb.protocols().register(Arc::new(zorb_tcp::IiopProtocol::new())).unwrap();
        let adapters = Arc::new(Adapters::new(&orb));
        let core = Self::new(&orb, &adapters, Box::new(NoContext));
        core.listen().unwrap();
        core
    }
}

/// A context for tests, which knows no valuetypes.
#[cfg(test)]
struct NoContext;

#[cfg(test)]
impl ReadContext for NoContext {}
