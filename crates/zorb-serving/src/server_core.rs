//! What the serving side of an ORB shares: its endpoints, its pools and its own lane.
#![expect(
    clippy::disallowed_types,
    reason = "written when endpoints and pools come and go, read when references are made"
)]

use std::io;
use std::ops::Deref;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use zorb_base::error::{Error, Phase};
use zorb_base::orb_core::OrbCore;
use zorb_base::policy::{Policies, ServedPriority};
use zorb_cdr::ReadContext;
use zorb_os::lock::Lock;
use zorb_poa::{Adapters, ConnectionSetup};
use zorb_transport::{Endpoint, ListenOptions, Protocol, Workers};

use crate::lane::Lane;
use crate::lane::steady_state::ViolationReport;
use crate::listener::Listener;
use crate::pool::{Pool, PoolCore, default_lane};
use crate::watchdog::Watchdog;

/// How lanes are frozen.
#[derive(Clone)]
pub(crate) struct Freezing {
    /// Who is told.
    pub(crate) report: Option<Arc<ViolationReport>>,
}

/// What the serving side of an ORB shares.
pub struct ServerCore {
    orb: Arc<OrbCore>,
    adapters: Arc<Adapters>,
    /// What arguments decode against.
    context: Box<dyn ReadContext + Send + Sync>,
    listeners: RwLock<Vec<Listener>>,
    pub(super) pools: RwLock<Vec<Arc<PoolCore>>>,
    /// That pools are frozen, those that are still to be made as well.
    pub(super) freezing: Lock<Option<Freezing>>,
    watchdog: Arc<Watchdog>,
    /// What serves the connections to the ORB's own endpoints; made with the first of them.
    default_lane: OnceLock<Arc<Lane>>,
    /// The setup of accepted connections that the ORB's policies ask for.
    default_connection_setup: Lock<Option<Arc<ConnectionSetup>>>,
}

impl Deref for ServerCore {
    type Target = Arc<OrbCore>;

    #[inline]
    fn deref(&self) -> &Arc<OrbCore> {
        &self.orb
    }
}

impl std::fmt::Debug for ServerCore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerCore").field("orb", &self.orb).finish_non_exhaustive()
    }
}

impl ServerCore {
    /// The serving side of an ORB whose objects are in `adapters`; `context` decodes their arguments.
    pub fn new(
        orb: &Arc<OrbCore>,
        adapters: &Arc<Adapters>,
        context: Box<dyn ReadContext + Send + Sync>,
    ) -> Arc<Self> {
        Arc::new(Self {
            orb: Arc::clone(orb),
            adapters: Arc::clone(adapters),
            context,
            listeners: RwLock::default(),
            pools: RwLock::default(),
            freezing: Lock::default(),
            watchdog: Arc::default(),
            default_lane: OnceLock::new(),
            default_connection_setup: Lock::default(),
        })
    }

    /// What all parts of the ORB share.
    pub(crate) fn orb(&self) -> &Arc<OrbCore> {
        &self.orb
    }

    #[inline]
    pub(super) fn adapters(&self) -> &Adapters {
        &self.adapters
    }

    /// What arguments decode against.
    #[inline]
    pub(crate) fn context(&self) -> &dyn ReadContext {
        &*self.context
    }

    pub(super) fn watchdog(&self) -> &Arc<Watchdog> {
        &self.watchdog
    }

    /// The setup of accepted connections that the ORB's policies ask for.
    pub(super) fn default_connection_setup(&self) -> Option<Arc<ConnectionSetup>> {
        self.default_connection_setup.lock().clone()
    }

    /// Sets up connections that are accepted from now on as the ORB's policies ask for.
    pub fn set_default_connection_setup(&self, policies: &Policies) {
        let setup = ConnectionSetup::of(policies);
        *self.default_connection_setup.lock() = setup.map(Arc::new);
    }

    /// The pool of this id, unless it has been destroyed.
    pub fn pool(&self, id: u32) -> Option<Pool> {
        let pools = self.all_pools();
        let found = pools.iter().find(|pool| u32::try_from(pool.number()) == Ok(id));
        found.map(|pool| Pool::from_core(Arc::clone(pool))).filter(|pool| !pool.is_destroyed())
    }

    /// Does something with the listeners at the ORB's own endpoints.
    pub fn with_listeners<T>(&self, work: impl FnOnce(&[Listener]) -> T) -> T {
        work(&self.listeners.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens an endpoint and starts to accept on it.
    pub fn listen(self: &Arc<Self>, url: &str) -> Result<(), Error> {
        let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
        self.listen_locked(url, &mut listeners)
    }

    /// Listens at `endpoint` unless it does.
    pub fn listen_once(self: &Arc<Self>, endpoint: &Endpoint) -> Result<(), Error> {
        let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
        if listeners.iter().any(|listener| listener.acceptor.endpoint() == endpoint) {
            return Ok(());
        }
        self.listen_locked(endpoint.as_str(), &mut listeners)
    }

    /// Listens at the endpoints that `urls` names, unless there is one already for objects.
    pub fn listen_somewhere(
        self: &Arc<Self>,
        urls: impl FnOnce() -> Result<Vec<String>, Error>,
    ) -> Result<(), Error> {
        let serves_none = |listeners: &[Listener]| !listeners.iter().any(Listener::is_for_objects);
        if !self.with_listeners(serves_none) {
            return Ok(());
        }
        let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
        if serves_none(&listeners) {
            self.check_running()?;
            for url in urls()? {
                self.listen_locked(&url, &mut listeners)?;
            }
        }
        Ok(())
    }

    /// Starts the watchdog's thread, unless it is there.
    pub(super) fn start_watchdog(&self) -> io::Result<()> {
        self.watchdog.start(|| {
            let (watchdog, period) = (Arc::clone(&self.watchdog), self.options().stall_takeover);
            self.threads().spawn("zorb-watchdog", move || watchdog.run(period))
        })
    }

    fn listen_locked(
        self: &Arc<Self>,
        url: &str,
        listeners: &mut Vec<Listener>,
    ) -> Result<(), Error> {
        // Asked under the lock with which a shutdown takes the listeners away: none comes later.
        self.check_running()?;
        let failed = || Error::new(Phase::Listen, url.to_owned());
        let listener = self.open(url, None, Workers::default())?;
        self.start_watchdog().map_err(|error| failed().with_source(error))?;
        let lane = match self.default_lane.get() {
            Some(lane) => Arc::clone(lane),
            None => {
                let lane = default_lane(self).map_err(|error| failed().with_source(error))?;
                Arc::clone(self.default_lane.get_or_init(|| lane))
            }
        };
        let core = Arc::clone(self);
        let accept = move |protocol: &dyn Protocol, stream| lane.accept(&core, protocol, stream);
        let started = listener.start(self.threads(), || (), Box::new(accept));
        started.map_err(|error| failed().with_source(error))?;
        tracing::info!(endpoint = %listener.acceptor.endpoint(), "listening");
        listeners.push(listener);
        Ok(())
    }

    /// Opens an endpoint, which serves one priority or all, and whose transport's threads are like
    /// `workers`.
    pub(super) fn open(
        &self,
        url: &str,
        priority: Option<i16>,
        workers: Workers,
    ) -> Result<Listener, Error> {
        let failed = || Error::new(Phase::Listen, url.to_owned());
        let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
        let protocol = self.protocols().by_scheme(scheme).ok_or_else(|| {
            let known: Vec<_> = self.protocols().protocols();
            let hint = self.options().suggest_protocol(scheme, &known);
            failed()
                .with_source(format!("no protocol {scheme:?}"))
                .with_hint(format!("an endpoint looks like SCHEME://ADDRESS; {hint}"))
        })?;
        let mut options = ListenOptions::default();
        options.workers = workers;
        let stream = self.options().stream.clone();
        let served = ServedPriority { endpoint: priority, ..ServedPriority::default() };
        options.stream = self.network_options(served, stream, None);
        let acceptor = protocol.transport().listen(url, &options).map_err(|error| {
            let hint = error.hint().map(str::to_owned);
            let failure = failed().with_source(error);
            match hint {
                Some(hint) => failure.with_hint(hint),
                None => failure,
            }
        })?;
        Ok(Listener::new(&self.orb, protocol, acceptor))
    }

    /// The endpoints that stand in references.
    pub fn published_endpoints(&self) -> Vec<Endpoint> {
        let published = |listener: &Listener| listener.acceptor.published().to_vec();
        self.with_listeners(|listeners| listeners.iter().flat_map(published).collect())
    }

    /// Every pool.
    pub(super) fn all_pools(&self) -> Vec<Arc<PoolCore>> {
        self.pools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops accepting connections; dropping the result closes the endpoints.
    pub fn close_listeners(&self) -> Vec<Listener> {
        let listeners = {
            let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *listeners)
        };
        listeners.iter().for_each(Listener::close);
        listeners
    }

    /// Stops the watchdog and the pools, without waiting for their threads.
    pub fn stop_pools(&self) -> Vec<Arc<PoolCore>> {
        let pools = {
            let mut pools = self.pools.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *pools)
        };
        self.watchdog.stop();
        pools
    }

    /// Stops the lane of the ORB's own endpoints, without waiting for its threads.
    pub fn stop_default_lane(&self) {
        if let Some(lane) = self.default_lane.get() {
            lane.stop();
        }
    }
}

#[cfg(test)]
impl ServerCore {
    /// The serving side of an ORB with these options, IIOP and no objects.
    pub(crate) fn for_tests(options: zorb_base::options::Options) -> Arc<Self> {
        let orb = OrbCore::new(options);
        orb.protocols().register(Arc::new(zorb_tcp::IiopProtocol::new())).unwrap();
        let adapters = Arc::new(Adapters::new(&orb));
        Self::new(&orb, &adapters, Box::new(NoContext))
    }
}

/// A context for tests, which knows no valuetypes.
#[cfg(test)]
struct NoContext;

#[cfg(test)]
impl ReadContext for NoContext {}
