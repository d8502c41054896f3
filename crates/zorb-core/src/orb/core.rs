//! What all parts of one ORB share.
#![expect(
    clippy::disallowed_types,
    reason = "written when the program starts, read when references are made and resolved"
)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use arc_swap::{ArcSwap, ArcSwapOption};
use zorb_cdr::ReadContext;
use zorb_giop::{CodeSetComponentInfo, Destination, Ior, OperationName, ServiceContexts};
use zorb_os::lock::{Condition, Lock};
use zorb_transport::{Endpoint, ListenOptions, Protocol, ProtocolRegistry, StreamOptions, Workers};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::extensions::Extensions;
use super::local::Locals;
use crate::buffers::show_allocator_a_large_block;
use crate::client::{CallParameters, ClientPolicies, ConnectionCache};
use crate::error::{Error, Phase};
use crate::object::ObjectRef;
use crate::options::Options;
use crate::poa::{
    Access, ActiveObject, Adapters, Found, KeyParts, KnownAdapters, NotHere, Poa, PoaManager,
};
use crate::policy::ServedPriority;
use crate::serving::{
    ConnectionSetup, Freezing, Lane, Listener, Pool, PoolCore, ThreadCount, Watchdog, default_lane,
};
use crate::value::ValueRegistry;

/// The state of the ORB's life.
pub(super) const RUNNING: u8 = 0;
pub(super) const CLOSING: u8 = 1;
pub(super) const CLOSED: u8 = 2;

/// Something of a crate above.
pub(super) type Attached = Box<dyn std::any::Any + Send + Sync>;

/// What all parts of one ORB share.
pub(crate) struct OrbCore {
    options: Options,
    /// The parameters of calls without policies.
    plain_parameters: CallParameters,
    client_policies: ArcSwap<ClientPolicies>,
    extensions: ArcSwap<Extensions>,
    /// The setup of accepted connections that the ORB's policies ask for.
    default_connection_setup: ArcSwapOption<ConnectionSetup>,
    protocols: Arc<ProtocolRegistry>,
    connections: ConnectionCache,
    pub(crate) listeners: RwLock<Vec<Listener>>,
    pub(crate) pools: RwLock<Vec<Arc<PoolCore>>>,
    /// That pools are frozen, those that are still to be made as well.
    pub(crate) freezing: Lock<Option<Freezing>>,
    adapters: Adapters,
    /// Made when it is first asked for, with the policies that the ORB has then.
    root_poa: OnceLock<Poa>,
    published: RwLock<HashMap<Vec<u8>, Ior>>,
    values: ValueRegistry,
    pub(super) initial: Lock<HashMap<String, ObjectRef>>,
    /// What crates above have made of this ORB.
    pub(super) attached: Lock<Vec<Attached>>,
    /// Initial references to local objects.
    pub(super) locals: Locals,
    pub(super) threads: Arc<ThreadCount>,
    watchdog: Arc<Watchdog>,
    /// What serves the connections to its own endpoints; made with the first of them.
    default_lane: OnceLock<Arc<Lane>>,
    code_sets: CodeSetComponentInfo,
    pub(super) state: AtomicU8,
    pub(super) ended: Lock<()>,
    pub(super) ending: Condition,
}

impl std::fmt::Debug for OrbCore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OrbCore").field("options", &self.options).finish_non_exhaustive()
    }
}

/// What values decode against.
impl ReadContext for OrbCore {
    fn value_type(&self, id: &str) -> Option<Box<dyn std::any::Any>> {
        self.values.value_type(id)
    }
}

impl OrbCore {
    pub(crate) fn new(options: Options) -> Arc<Self> {
        show_allocator_a_large_block();
        Arc::new(Self {
            plain_parameters: CallParameters::of_options(&options),
            options,
            client_policies: ArcSwap::default(),
            extensions: ArcSwap::default(),
            default_connection_setup: ArcSwapOption::empty(),
            protocols: Arc::default(),
            connections: ConnectionCache::default(),
            listeners: RwLock::default(),
            pools: RwLock::default(),
            freezing: Lock::default(),
            adapters: Adapters::new(),
            root_poa: OnceLock::new(),
            published: RwLock::default(),
            values: ValueRegistry::default(),
            initial: Lock::default(),
            attached: Lock::default(),
            locals: Locals::default(),
            threads: Arc::default(),
            watchdog: Arc::default(),
            default_lane: OnceLock::new(),
            code_sets: CodeSetComponentInfo::zorb(),
            state: AtomicU8::new(RUNNING),
            ended: Lock::default(),
            ending: Condition::new(),
        })
    }

    #[inline]
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// The parameters of calls without policies.
    #[inline]
    pub(crate) fn plain_parameters(&self) -> &CallParameters {
        &self.plain_parameters
    }

    /// The policies that the program has given to the ORB.
    pub(crate) fn client_policies(&self) -> &ArcSwap<ClientPolicies> {
        &self.client_policies
    }

    /// What crates above this one have added.
    pub(crate) fn extensions(&self) -> &ArcSwap<Extensions> {
        &self.extensions
    }

    pub(super) fn extend(&self, change: impl Fn(&mut Extensions)) {
        self.extensions.rcu(|known| {
            let mut changed = Extensions::clone(known);
            change(&mut changed);
            changed
        });
    }

    /// The setup of accepted connections that the ORB's policies ask for.
    pub(crate) fn default_connection_setup(&self) -> Option<Arc<ConnectionSetup>> {
        self.default_connection_setup.load_full()
    }

    pub(super) fn set_default_connection_setup(&self) {
        let setup = ConnectionSetup::of(&self.client_policies.load().policies);
        self.default_connection_setup.store(setup.map(Arc::new));
    }

    /// The options of a connection that serves such a priority; `wanted` is its property
    /// `network_priority`.
    pub(crate) fn network_options(
        &self,
        served: ServedPriority<'_>,
        options: StreamOptions,
        wanted: Option<bool>,
    ) -> StreamOptions {
        match &self.extensions.load().network {
            Some(network) => network.stream_options(served, options, wanted),
            None => options,
        }
    }

    /// The valuetypes that were registered.
    pub(crate) fn values(&self) -> &ValueRegistry {
        &self.values
    }

    pub(crate) fn protocols(&self) -> &Arc<ProtocolRegistry> {
        &self.protocols
    }

    pub(crate) fn connections(&self) -> &ConnectionCache {
        &self.connections
    }

    pub(crate) fn adapters(&self) -> &Adapters {
        &self.adapters
    }

    pub(super) fn root_poa(self: &Arc<Self>) -> &Poa {
        self.root_poa.get_or_init(|| Poa::root(self))
    }

    /// The root adapter, if it has been asked for.
    pub(super) fn known_root_poa(&self) -> Option<&Poa> {
        self.root_poa.get()
    }

    pub(crate) fn threads(&self) -> &Arc<ThreadCount> {
        &self.threads
    }

    pub(crate) fn watchdog(&self) -> &Arc<Watchdog> {
        &self.watchdog
    }

    /// What serves the connections to its own endpoints, if there are any.
    pub(super) fn default_lane(&self) -> Option<&Arc<Lane>> {
        self.default_lane.get()
    }

    /// The code sets this ORB speaks.
    pub(crate) fn code_sets(&self) -> &CodeSetComponentInfo {
        &self.code_sets
    }

    /// Whether the ORB has not begun to shut down.
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        self.state.load(Ordering::Acquire) == RUNNING
    }

    /// Refuses calls after a shutdown.
    #[inline]
    pub(crate) fn check_running(&self) -> Result<(), SystemException> {
        if self.is_running() { Ok(()) } else { Err(self.shut_down()) }
    }

    /// The exception of calls after a shutdown.
    #[cold]
    pub(crate) fn shut_down(&self) -> SystemException {
        SystemException::bad_inv_order(minor::bad_inv_order::SHUT_DOWN, CompletionStatus::No)
    }

    /// Finds the object of a request, if its adapter's manager lets the request pass; for a thread that
    /// remembers adapters or one that does not.
    #[inline]
    pub(crate) fn admit(
        &self,
        key: &[u8],
        known: Option<&mut KnownAdapters>,
        by: Access,
    ) -> Result<Found, NotHere> {
        self.find(key, |parts| match known {
            Some(known) => self.adapters.admit_by(known, parts, by),
            None => self.adapters.admit(parts, by),
        })
    }

    /// The priority of a request to the object of a key, as far as interceptors know it.
    pub(crate) fn request_priority(
        &self,
        key: &[u8],
        operation: &OperationName<'_>,
        contexts: ServiceContexts<'_>,
    ) -> Option<i16> {
        self.adapters.request_priority(KeyParts::parse(key), operation, contexts)
    }

    /// Leaves in a destination where its object is; the object has just been found by its key.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave_place(&self, destination: &Destination) {
        if let Some(place) = self.adapters.place(KeyParts::parse(destination.key())) {
            destination.set_object(place);
        }
    }

    /// The active object of a key with its adapter's manager, whatever state that is in.
    pub(crate) fn find_active(&self, key: &[u8]) -> Option<(PoaManager, Arc<ActiveObject>)> {
        self.adapters.find(KeyParts::parse(key))
    }

    /// Finds out where an object is; waits for nothing.
    pub(crate) fn locate(&self, key: &[u8]) -> Result<(), NotHere> {
        self.find(key, |parts| self.adapters.locate(parts).map_err(NotHere::Nowhere))
    }

    #[inline]
    fn find<'k, T>(
        &self,
        key: &'k [u8],
        in_adapter: impl FnOnce(KeyParts<'k>) -> Result<T, NotHere>,
    ) -> Result<T, NotHere> {
        match KeyParts::parse(key) {
            KeyParts::Name(name) => Err(self.locate_published(name)),
            parts => in_adapter(parts),
        }
    }

    #[cold]
    fn locate_published(&self, name: &[u8]) -> NotHere {
        let published = self.published.read().unwrap_or_else(PoisonError::into_inner);
        match published.get(name) {
            Some(ior) => NotHere::Elsewhere(Box::new(ior.clone())),
            None => NotHere::Nowhere(SystemException::object_not_exist(
                minor::object_not_exist::UNKNOWN_KEY,
                CompletionStatus::No,
            )),
        }
    }

    /// The key under which this very ORB serves the object of a reference.
    #[cold]
    pub(crate) fn own_key(&self, ior: &Ior) -> Option<Vec<u8>> {
        ior.profiles.iter().find_map(|profile| {
            let (_, resolved) = self.protocols.resolve(ior, profile)?.ok()?;
            let is_own = resolved.endpoints.iter().any(|endpoint| self.serves(endpoint));
            is_own.then_some(resolved.object_key)
        })
    }

    pub(super) fn publish(&self, key: &str, object: &ObjectRef) -> Result<(), Error> {
        let refused =
            |why: &str| Err(Error::new(Phase::Application, format!("publishing {key:?}: {why}")));
        if key.is_empty() || !matches!(KeyParts::parse(key.as_bytes()), KeyParts::Name(_)) {
            return refused("the key is not usable");
        }
        let mut published = self.published.write().unwrap_or_else(PoisonError::into_inner);
        if published.contains_key(key.as_bytes()) {
            return refused("the key is taken");
        }
        published.insert(key.as_bytes().to_vec(), object.ior().clone());
        Ok(())
    }

    pub(super) fn unpublish(&self, key: &str) -> bool {
        let mut published = self.published.write().unwrap_or_else(PoisonError::into_inner);
        published.remove(key.as_bytes()).is_some()
    }

    /// Opens an endpoint and starts to accept on it.
    pub(super) fn listen(self: &Arc<Self>, url: &str) -> Result<(), Error> {
        let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
        self.listen_locked(url, &mut listeners)
    }

    /// Listens at `endpoint` unless it does.
    pub(crate) fn listen_once(self: &Arc<Self>, endpoint: &Endpoint) -> Result<(), Error> {
        let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
        if listeners.iter().any(|listener| listener.acceptor.endpoint() == endpoint) {
            return Ok(());
        }
        self.listen_locked(endpoint.as_str(), &mut listeners)
    }

    pub(super) fn listen_locked(
        self: &Arc<Self>,
        url: &str,
        listeners: &mut Vec<Listener>,
    ) -> Result<(), Error> {
        // Asked under the lock with which a shutdown takes the listeners away: none comes later.
        self.check_running()?;
        let failed = || Error::new(Phase::Listen, url.to_owned());
        let listener = self.open(url, None, Workers::default())?;
        if listeners.is_empty() {
            let watchdog = Arc::clone(&self.watchdog);
            let period = self.options.stall_takeover;
            self.threads
                .spawn("zorb-watchdog", move || watchdog.run(period))
                .map_err(|error| failed().with_source(error))?;
        }
        let lane = match self.default_lane.get() {
            Some(lane) => Arc::clone(lane),
            None => {
                let lane = default_lane(self).map_err(|error| failed().with_source(error))?;
                Arc::clone(self.default_lane.get_or_init(|| lane))
            }
        };
        let accept = move |core: &Arc<Self>, protocol: &dyn Protocol, stream| {
            lane.accept(core, protocol, stream);
        };
        let started = listener.start(self, || (), Box::new(accept));
        started.map_err(|error| failed().with_source(error))?;
        tracing::info!(endpoint = %listener.acceptor.endpoint(), "listening");
        listeners.push(listener);
        Ok(())
    }

    /// Opens an endpoint, which serves one priority or all, and whose transport's threads are like
    /// `workers`.
    pub(crate) fn open(
        &self,
        url: &str,
        priority: Option<i16>,
        workers: Workers,
    ) -> Result<Listener, Error> {
        let failed = || Error::new(Phase::Listen, url.to_owned());
        let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
        let protocol = self.protocols.by_scheme(scheme).ok_or_else(|| {
            let known: Vec<_> = self.protocols.protocols();
            let hint = self.options.instead_of(scheme, &known);
            failed()
                .with_source(format!("no protocol {scheme:?}"))
                .with_hint(format!("an endpoint looks like SCHEME://ADDRESS; {hint}"))
        })?;
        let mut options = ListenOptions { workers, ..ListenOptions::default() };
        let stream = self.options.stream.clone();
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
        Ok(Listener { protocol, acceptor })
    }

    /// The endpoints that stand in references.
    pub(super) fn published_endpoints(&self) -> Vec<Endpoint> {
        let listeners = self.listeners.read().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().flat_map(|listener| listener.acceptor.published().to_vec()).collect()
    }

    /// The pool of this id, unless it has been destroyed.
    pub(crate) fn pool(&self, id: u32) -> Option<Pool> {
        let pools = self.pools.read().unwrap_or_else(PoisonError::into_inner);
        let found = pools.iter().find(|pool| u32::try_from(pool.number()) == Ok(id));
        found.map(|pool| Pool::from_core(Arc::clone(pool))).filter(|pool| !pool.is_destroyed())
    }

    /// Does something with every pool, until it fails.
    pub(crate) fn each_pool(
        &self,
        work: impl FnMut(&Arc<PoolCore>) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        self.pools.read().unwrap_or_else(PoisonError::into_inner).iter().try_for_each(work)
    }

    /// Whether `endpoint` is one of this ORB's own.
    pub(crate) fn serves(&self, endpoint: &Endpoint) -> bool {
        let listeners = self.listeners.read().unwrap_or_else(PoisonError::into_inner);
        let has = |listener: &Listener| {
            listener.is_for_objects() && listener.acceptor.published().contains(endpoint)
        };
        listeners.iter().any(has) || {
            let pools = self.pools.read().unwrap_or_else(PoisonError::into_inner);
            pools.iter().any(|pool| pool.serves(endpoint))
        }
    }
}
