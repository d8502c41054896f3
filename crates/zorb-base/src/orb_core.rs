//! The state that all parts of one ORB share: options, protocols, threads, and whether it runs.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use zorb_giop::{Charge, CodeSetComponentInfo, Ior, MessageBudget};
use zorb_os::lock::Lock;
use zorb_os::process;
use zorb_transport::{Bidirection, PeerShares, ProtocolRegistry, StreamOptions};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::calling_lane::CallingLane;
use crate::extensions::Extensions;
use crate::held_counts::HeldCounts;
use crate::local_endpoints::LocalEndpoints;
use crate::local_sockets::LocalSockets;
use crate::message_budget::budget;
use crate::options::Options;
use crate::policy::ServedPriority;
use crate::threads::ThreadCount;

/// The states of an ORB's life.
const RUNNING: u8 = 0;
const CLOSING: u8 = 1;
const CLOSED: u8 = 2;
const DESTROYED: u8 = 3;

/// What requests get for objects that are not there.
#[derive(Clone, Copy, Debug)]
pub struct Absence {
    is_starting: bool,
}

impl Absence {
    /// The exception for an object that can be created again with the same key: `gone`, or `TRANSIENT` (Zorb 9),
    /// completed NO, while the program starts, since it may still create the object.
    #[cold]
    pub fn of_persistent(self, gone: SystemException) -> SystemException {
        match self.is_starting {
            true => SystemException::transient(minor::transient::STARTING, CompletionStatus::No),
            false => gone,
        }
    }
}

/// Closes the client connections of a lane that has ended: calls have these, serving has lanes, and neither depends on the
/// other.
type LaneEnded = dyn Fn(&CallingLane) + Send + Sync;

/// Closes the idle connections of the ORB to servers, and returns whether there were any: serving, which runs out of
/// descriptors, does not depend on calls.
type ClosesIdle = dyn Fn() -> bool + Send + Sync;

/// The state that all parts of one ORB share.
pub struct OrbCore {
    options: Options,
    /// Read when routes and connections are made, not by every call.
    extensions: Lock<Arc<Extensions>>,
    protocols: Arc<ProtocolRegistry>,
    local_endpoints: Arc<LocalEndpoints>,
    bidirection: Arc<Bidirection>,
    local_sockets: LocalSockets,
    threads: Arc<ThreadCount>,
    code_sets: CodeSetComponentInfo,
    message_budget: Arc<MessageBudget>,
    peer_shares: PeerShares,
    /// For decoded values: half of the budget. They are charged to both.
    decoded: Arc<MessageBudget>,
    decoded_shares: PeerShares,
    held: Arc<HeldCounts>,
    state: AtomicU8,
    serves: AtomicBool,
    drains: AtomicBool,
    lane_ended: OnceLock<Box<LaneEnded>>,
    closes_idle: OnceLock<Box<ClosesIdle>>,
    /// See [`set_owner`](Self::set_owner).
    owner: OnceLock<Weak<dyn Any + Send + Sync>>,
}

impl std::fmt::Debug for OrbCore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OrbCore").field("options", &self.options).finish_non_exhaustive()
    }
}

impl OrbCore {
    /// Creates the state of a running ORB with these options.
    pub fn new(options: Options) -> Arc<Self> {
        process::know_forked_children();
        let code_sets = CodeSetComponentInfo::with_native_char(options.native_char_code_set.id());
        let message_budget = budget(options.max_buffered_octets);
        let peer_shares = PeerShares::new(&message_budget, options.max_buffered_octets_per_peer);
        let decoded = Arc::new(MessageBudget::new(message_budget.limit() / 2));
        let decoded_of_peer = options.max_buffered_octets_per_peer.div_ceil(2);
        Arc::new(Self {
            threads: ThreadCount::of_orb(options.thread_limit(), &options.id),
            options,
            message_budget,
            peer_shares,
            decoded_shares: PeerShares::new(&decoded, decoded_of_peer),
            decoded,
            held: Arc::default(),
            extensions: Lock::default(),
            protocols: Arc::default(),
            local_endpoints: Arc::default(),
            bidirection: Arc::default(),
            local_sockets: LocalSockets::default(),
            code_sets,
            state: AtomicU8::new(RUNNING),
            serves: AtomicBool::new(false),
            drains: AtomicBool::new(false),
            lane_ended: OnceLock::new(),
            closes_idle: OnceLock::new(),
            owner: OnceLock::new(),
        })
    }

    /// Sets the ORB that this is the core of. Only the first call has an effect.
    pub fn set_owner(&self, owner: Weak<dyn Any + Send + Sync>) {
        let _ = self.owner.set(owner);
    }

    /// The ORB that this is the core of; `None` if it has been dropped.
    pub fn owner(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.owner.get()?.upgrade()
    }

    /// The budget for the messages of the ORB's connections.
    pub fn message_budget(&self) -> &Arc<MessageBudget> {
        &self.message_budget
    }

    /// The counts of the requests that are held.
    pub fn held(&self) -> &Arc<HeldCounts> {
        &self.held
    }

    /// What the messages of a connection are charged to: the part of its peer.
    pub fn peer_shares(&self) -> &PeerShares {
        &self.peer_shares
    }

    /// Charges memory for the decoded values of a message to the budget, until the result is dropped. The decoded values
    /// of all messages together may use half of the budget, and those of one address half of its share; `None` if that is
    /// used up. `share` returns the address's part of each, if they come from one.
    pub fn charge_decoded(
        &self,
        octets: usize,
        share: impl Fn(&PeerShares) -> Option<Arc<MessageBudget>>,
    ) -> Option<[Charge; 2]> {
        self.decoded.raise_limit(self.message_budget.limit() / 2);
        let budgets =
            [(&self.peer_shares, &self.message_budget), (&self.decoded_shares, &self.decoded)];
        let mut charges = budgets
            .map(|(shares, whole)| Charge::to(share(shares).unwrap_or_else(|| Arc::clone(whole))));
        charges.iter_mut().all(|charge| charge.set(octets)).then_some(charges)
    }

    /// The ORB's options.
    #[inline]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The extensions that other crates have added.
    pub fn extensions(&self) -> Arc<Extensions> {
        Arc::clone(&self.extensions.lock())
    }

    /// Changes the [extensions](Self::extensions). Routes and connections that exist already keep the old ones.
    pub fn extend(&self, change: impl FnOnce(&mut Extensions)) {
        change(Arc::make_mut(&mut self.extensions.lock()));
    }

    /// Adds the network class of the priority that a connection serves to its options; `wanted` is its property
    /// `network_priority`.
    pub fn network_options(
        &self,
        served: ServedPriority<'_>,
        options: StreamOptions,
        wanted: Option<bool>,
    ) -> StreamOptions {
        match &self.extensions().network {
            Some(network) => network.stream_options(served, options, wanted),
            None => options,
        }
    }

    /// The ORB's protocols.
    pub fn protocols(&self) -> &Arc<ProtocolRegistry> {
        &self.protocols
    }

    /// The endpoints at which this ORB serves objects.
    pub fn local_endpoints(&self) -> &Arc<LocalEndpoints> {
        &self.local_endpoints
    }

    /// The connections that carry requests in both directions.
    pub fn bidirection(&self) -> &Arc<Bidirection> {
        &self.bidirection
    }

    /// The sockets of this machine that references in messages may lead to.
    pub fn local_sockets(&self) -> &LocalSockets {
        &self.local_sockets
    }

    /// Permits calls of the object of `ior`, which the program or the operator has named, at sockets of this machine.
    pub fn permit_sockets_of(&self, ior: &Ior) {
        for profile in &ior.profiles {
            if let Some(Ok((protocol, resolved))) = self.protocols.resolve(ior, profile) {
                let transport = protocol.transport();
                let endpoints = resolved.endpoints.iter();
                endpoints.for_each(|endpoint| self.local_sockets.permit(transport, endpoint));
            }
        }
    }

    /// The object key of a reference to an object of this ORB; `None` if no profile has a local endpoint.
    #[cold]
    pub fn local_key(&self, ior: &Ior) -> Option<Vec<u8>> {
        ior.profiles.iter().find_map(|profile| {
            let (_, resolved) = self.protocols.resolve(ior, profile)?.ok()?;
            let mut endpoints = resolved.endpoints.iter();
            let is_local = endpoints.any(|endpoint| self.local_endpoints.contain(endpoint));
            is_local.then_some(resolved.object_key)
        })
    }

    /// The count of the ORB's threads.
    pub fn threads(&self) -> &Arc<ThreadCount> {
        &self.threads
    }

    /// The code sets that this ORB supports.
    pub fn code_sets(&self) -> &CodeSetComponentInfo {
        &self.code_sets
    }

    /// Whether the ORB has not begun to shut down, and belongs to this process.
    #[inline]
    pub fn is_running(&self) -> bool {
        self.state.load(Ordering::Acquire) == RUNNING && !process::is_forked_child()
    }

    /// Checks that the process was not forked by one that had an ORB: the ORB's threads are not there.
    ///
    /// # Errors
    /// `BAD_INV_ORDER`, minor `FORKED_CHILD`, completed NO.
    pub fn check_process() -> Result<(), SystemException> {
        let forked = || {
            let code = minor::bad_inv_order::FORKED_CHILD;
            SystemException::bad_inv_order(code, CompletionStatus::No)
        };
        if process::is_forked_child() { Err(forked()) } else { Ok(()) }
    }

    /// Checks that the ORB accepts calls.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 4), completed NO, after a shutdown has begun; `OBJECT_NOT_EXIST` after the ORB has been
    /// destroyed; `BAD_INV_ORDER`, minor `FORKED_CHILD`, in a child of the process.
    #[inline]
    pub fn check_running(&self) -> Result<(), SystemException> {
        if self.is_running() { Ok(()) } else { Err(self.shut_down()) }
    }

    /// The exception of calls after a shutdown: `BAD_INV_ORDER` (OMG 4), or `OBJECT_NOT_EXIST` if the ORB has been
    /// destroyed, completed NO (CORBA 3.3 part 1, 8.5.5).
    #[cold]
    pub fn shut_down(&self) -> SystemException {
        let no = CompletionStatus::No;
        if let Err(exception) = Self::check_process() {
            return exception;
        }
        match self.is_destroyed() {
            true => SystemException::object_not_exist(minor::object_not_exist::ORB_DESTROYED, no),
            false => SystemException::bad_inv_order(minor::bad_inv_order::SHUT_DOWN, no),
        }
    }

    /// Ends the program's start: persistent objects that it has not created by now do not exist.
    pub fn set_serving(&self) {
        self.serves.store(true, Ordering::Release);
    }

    /// Whether the program's start is over.
    pub fn is_serving(&self) -> bool {
        self.serves.load(Ordering::Acquire)
    }

    /// Notes that the ORB is about to shut down.
    pub fn set_draining(&self) {
        self.drains.store(true, Ordering::Release);
    }

    /// Whether the ORB is about to shut down.
    pub fn is_draining(&self) -> bool {
        self.drains.load(Ordering::Acquire)
    }

    /// Tells what a request gets for an object that is not there. Call it before the search: then what was created before
    /// the end of the program's start is found.
    #[cold]
    pub fn absence(&self) -> Absence {
        Absence { is_starting: !self.is_serving() }
    }

    /// Begins the shutdown; returns `false` if it had begun before.
    pub fn begin_shutdown(&self) -> bool {
        let order = (Ordering::AcqRel, Ordering::Acquire);
        self.state.compare_exchange(RUNNING, CLOSING, order.0, order.1).is_ok()
    }

    /// Marks the shutdown as complete.
    pub fn set_closed(&self) {
        self.state.fetch_max(CLOSED, Ordering::AcqRel);
    }

    /// Whether the shutdown is complete.
    pub fn is_closed(&self) -> bool {
        self.state.load(Ordering::Acquire) >= CLOSED
    }

    /// Marks the ORB, whose shutdown is complete, as destroyed; returns `false` if it has been before.
    pub fn set_destroyed(&self) -> bool {
        self.state.swap(DESTROYED, Ordering::AcqRel) != DESTROYED
    }

    /// Whether the ORB has been destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.state.load(Ordering::Acquire) == DESTROYED
    }

    /// Sets the function that is called when a lane has ended whose threads made calls. Only the first call has
    /// an effect.
    pub fn on_lane_end(&self, ended: Box<LaneEnded>) {
        let _ = self.lane_ended.set(ended);
    }

    /// Sets the function that closes the idle connections to servers. Only the first call has an effect.
    pub fn on_descriptor_shortage(&self, closes_idle: Box<ClosesIdle>) {
        let _ = self.closes_idle.set(closes_idle);
    }

    /// Closes the idle connections to servers, as descriptors have run short. Returns whether there were any.
    pub fn close_idle_connections(&self) -> bool {
        self.closes_idle.get().is_some_and(|close| close())
    }

    /// Closes the client connections of a lane that has ended.
    pub fn lane_ended(&self, lane: &CallingLane) {
        if let Some(ended) = self.lane_ended.get() {
            ended(lane);
        }
    }
}
