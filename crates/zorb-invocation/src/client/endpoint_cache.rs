//! The connection cache of one endpoint.
//!
//! An exclusive connection carries one call at a time: the calling thread writes, then reads, and no other
//! thread is involved. Each thread has a [slot](thread_slot) for its idle connection, so that threads do not
//! contend; the lock of the cache is for connections that are opened or closed, or that change threads. The
//! number of connections to an endpoint is limited, and callers in excess of it wait. The threads of a lane
//! have [their own](per_lane) cache.

mod acquire;
mod admission;
mod closing;
mod connect;
mod exclusive_call;
mod hung_up;
mod message_queue;
mod other_connections;
mod pending;
mod per_lane;
mod share;
#[cfg(test)]
mod tests;
mod thread_slot;
mod unused;
mod wanted;

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use zorb_base::calling_lane::{CallingLane, thread_and_lane};
use zorb_base::counters::{CallLock, Count, count};
use zorb_base::steady_events::{Event, record};
use zorb_os::lock::{Lock, Locked};
use zorb_transport::{Endpoint, Protocol};

use super::connection::Receiving;
use super::connection_settings::ConnectionSettings;
use super::exclusive::ExclusiveConnection;
use super::hangups::HungUp;
use super::multiplexed::{MultiplexedConnections, PendingConnection};
use super::reconnecting::Reconnecting;
use super::request_octets::RequestOctets;
use super::wait_queue::WaitQueue;
use crate::flow::FlowLimits;
use per_lane::PerLane;
use thread_slot::ThreadSlot;

pub(super) use connect::{is_out_of_descriptors, is_system_out_of_descriptors};
pub(crate) use exclusive_call::ExclusiveCall;
pub(super) use message_queue::{Closing, Message, MessageQueue};
pub(super) use other_connections::OtherConnections;
pub(crate) use wanted::NoConnection;
pub(super) use wanted::Wanted;

/// The maximum number of slots for threads; further threads share them.
const MAX_SLOTS: usize = 64;

/// The connection cache of one endpoint.
#[derive(Debug)]
pub(crate) struct EndpointCache {
    pub(crate) endpoint: Endpoint,
    protocol: Arc<dyn Protocol>,
    /// The idle connections of threads by their numbers, a power of two; none if connections are multiplexed.
    slots: Box<[ThreadSlot]>,
    /// The caches of lanes.
    per_lane: PerLane<Arc<Self>>,
    /// The connections if calls share them.
    pub(super) multiplexed: Option<MultiplexedConnections>,
    /// The connection of pending requests if calls share none.
    pending: PendingConnection,
    state: CallLock<CacheState>,
    max_open: usize,
    /// The octets of large requests, those of lanes included.
    pub(super) request_octets: Arc<RequestOctets>,
    settings: ConnectionSettings,
    receiving: Receiving,
    /// The other caches, whose unused connections close.
    others: Weak<dyn OtherConnections>,
    /// Queues of one-way calls, which close with the cache.
    queues: Lock<Vec<Weak<MessageQueue>>>,
    /// The cache itself, which closes connections whose servers have hung up.
    this: Weak<Self>,
}

#[derive(Debug, Default)]
struct CacheState {
    /// The idle connections in no slot.
    // Boxed, because slots contain boxes.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<ExclusiveConnection>>,
    /// The number of open connections that calls use or may use.
    open: usize,
    /// The number of open connections of queues of one-way calls, which no other call uses.
    separate: usize,
    /// Whether a caller opens the connection of pending requests.
    opens_pending: bool,
    /// The callers that wait for a connection.
    waiting: WaitQueue,
    /// The connections that calls use although their servers have hung up.
    hung_up: Vec<Weak<HungUp>>,
    reconnecting: Reconnecting,
    closed: bool,
}

impl EndpointCache {
    pub(super) fn new(
        endpoint: &Endpoint,
        settings: &ConnectionSettings,
        protocol: &Arc<dyn Protocol>,
        receiving: &Receiving,
        others: Weak<dyn OtherConnections>,
    ) -> Arc<Self> {
        let max_open = settings.max_connections;
        // Without replies, no call waits for one.
        let shares = protocol.carries_replies();
        let multiplexed = shares.then(|| MultiplexedConnections::new(settings)).flatten();
        let slots = match &multiplexed {
            None => max_open.clamp(1, MAX_SLOTS).next_power_of_two(),
            Some(_) => 0,
        };
        Arc::new_cyclic(|this| Self {
            endpoint: endpoint.clone(),
            protocol: Arc::clone(protocol),
            slots: (0..slots).map(|_| ThreadSlot::new()).collect(),
            per_lane: PerLane::default(),
            multiplexed,
            pending: PendingConnection::default(),
            state: CallLock::new(Count::ClientLocks, CacheState::default()),
            max_open,
            request_octets: Arc::new(RequestOctets::new(settings.max_request_octets)),
            settings: settings.clone(),
            receiving: receiving.clone(),
            others,
            queues: Lock::default(),
            this: Weak::clone(this),
        })
    }

    /// The cache of the calling thread's lane, or this one if it has none, and the number of the thread.
    #[inline(always)] // 1 % of a pending call
    pub(super) fn for_caller(&self) -> (&Self, usize) {
        let (thread, lane) = thread_and_lane();
        let of_lane = lane.and_then(|lane| self.per_lane.cell(lane));
        let Some(of_lane) = of_lane else { return (self, thread) };
        match of_lane.get() {
            Some(cache) => (cache, thread),
            None => (self.open_lane(of_lane), thread),
        }
    }

    #[cold]
    fn open_lane<'p>(&'p self, of_lane: &'p OnceLock<Arc<Self>>) -> &'p Self {
        let cache = of_lane.get_or_init(|| {
            record(Event::TableWritten);
            let Self { endpoint, settings, protocol, receiving, others, .. } = self;
            Self::new(endpoint, settings, protocol, receiving, Weak::clone(others))
        });
        if self.state().closed {
            // The thread that closed this cache may have missed the new one.
            cache.close();
        }
        cache
    }

    /// The cache of a lane, if the lane has used it.
    pub(super) fn of_lane(&self, lane: &CallingLane) -> Option<Arc<Self>> {
        self.per_lane.get(lane.number()).cloned()
    }

    /// This cache and those of lanes.
    pub(super) fn and_of_lanes(self: Arc<Self>) -> Vec<Arc<Self>> {
        let of_lanes: Vec<_> = self.per_lane.iter().cloned().collect();
        std::iter::once(self).chain(of_lanes).collect()
    }

    /// The number of its open connections, without those of lanes.
    pub(super) fn open_connections(&self) -> usize {
        let state = self.state();
        // That of pending requests is counted as separate only while it is opened.
        state.open + state.separate + usize::from(self.pending.is_open())
    }

    /// Locks the state that all callers share.
    fn state(&self) -> Locked<'_, CacheState> {
        count(Count::SharedWrites);
        self.state.lock()
    }

    /// The time after which an unused connection closes; `None` for no limit.
    pub(super) fn idle_limit(&self) -> Option<Duration> {
        self.settings.idle_limit
    }

    /// The limits of a queue of one-way calls whose policy has the limits `own`.
    pub(super) fn queue_limits(&self, own: FlowLimits) -> FlowLimits {
        let [calls, octets] = self.settings.queued;
        own.within(calls, octets)
    }
}
