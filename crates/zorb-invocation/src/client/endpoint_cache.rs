//! The connection cache of one endpoint.
//!
//! An exclusive connection carries one call at a time: the calling thread writes, then reads, and no other
//! thread is involved. Each thread has a [slot](thread_slot) for its idle connection, so that threads do not
//! contend; the lock of the cache is for connections that are opened or closed, or that change threads. The
//! number of connections to an endpoint is limited, and callers in excess of it wait. The threads of a lane
//! have [their own](per_lane) cache.

mod acquire;
mod exclusive_call;
mod hung_up;
mod pending;
mod per_lane;
mod share;
#[cfg(test)]
mod tests;
mod thread_slot;
mod turn;
mod unused;

use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use zorb_base::calling_lane::{CallingLane, thread_and_lane};
use zorb_base::connection_count::{ConnectionCount, Counted};
use zorb_base::counters::{CallLock, Count, count};
use zorb_base::options::Options;
use zorb_base::steady_events::{Event, record};
use zorb_base::upcall_thread::{about_to_block, in_upcall};
use zorb_giop::ClientSession;
use zorb_os::lock::{Lock, Locked};
use zorb_os::process;
use zorb_transport::{ConnectError, ConnectOptions, Endpoint, Protocol, Stream};

use super::connect_time::ConnectTime;
use super::connection::{Counts, Receiving};
use super::connection_settings::ConnectionSettings;
use super::exclusive::{ExclusiveConnection, NewConnection};
use super::fragmenting::in_fragments;
use super::hangups::HungUp;
use super::multiplexed::{MultiplexedConnection, MultiplexedConnections, PendingConnection};
use super::reconnecting::Reconnecting;
use super::request_octets::RequestOctets;
use super::wait_queue::WaitQueue;
use crate::flow::FlowLimits;
use per_lane::PerLane;
use thread_slot::ThreadSlot;

pub(crate) use exclusive_call::ExclusiveCall;

/// The maximum number of slots for threads; further threads share them.
const MAX_SLOTS: usize = 64;

/// The maximum time that the shutdown of an ORB waits for its queues of one-way calls.
const LAST_CALLS: Duration = Duration::from_secs(1);

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
    closing: Lock<Vec<Weak<dyn ClosesWithCache>>>,
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

/// An object that closes with a cache: a queue of one-way calls, which takes its connections from the cache.
/// Without this trait the modules of both would depend on each other.
pub(super) trait ClosesWithCache: std::fmt::Debug + Send + Sync {
    /// Refuses new calls, without waiting.
    fn end(&self);

    /// Leaves the queued calls until `deadline`, and stops.
    fn close(&self, deadline: Instant);
}

/// What closes with caches, and accepts nothing any more.
#[derive(Debug, Default)]
#[must_use]
pub(super) struct Closing(Vec<Arc<dyn ClosesWithCache>>);

impl Closing {
    /// Adds more that ends at the same time.
    pub(super) fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Leaves all queued calls together a limited time.
    pub(super) fn finish(self) {
        let deadline = Instant::now() + LAST_CALLS;
        self.0.iter().for_each(|closing| closing.close(deadline));
    }
}

/// All connections of a client, as each of its caches uses them.
pub(super) trait OtherConnections: Send + Sync {
    /// From time to time closes those that no call uses and that their server has closed, or that have been idle for
    /// `idle_limit`.
    fn before_connecting(&self, idle_limit: Option<Duration>);

    /// Counts a connection that is about to be opened. The process may have `most` of them; 0 for the default. At the
    /// limit, closes the least recently used idle connection; if all are in use, waits in order until one is free or the
    /// time to connect is over, except in an upcall. `None` if none became free.
    fn make_room(&self, most: usize, wanted: Wanted<'_>) -> Option<Counted>;

    /// Counts a connection that an upcall is about to open. At the limit for upcalls, closes the least recently used idle
    /// connection of one. `None` if all are in use.
    fn make_room_of_upcall(&self) -> Option<Counted>;

    /// Closes all of the process that no call uses, as descriptors have run short. Returns whether there were any.
    /// Those of queues of one-way calls stay.
    fn close_all(&self) -> bool;
}

/// The time limits for a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// The maximum time to connect to one address.
    pub(super) connect_timeout: Duration,
    /// The maximum time to connect to all addresses together.
    pub(super) max_connect_time: Duration,
    /// What the call has spent of that.
    pub(super) connect_time: &'a ConnectTime,
    /// When it must be open.
    pub(super) deadline: Option<Instant>,
    /// Whether it waits until an endpoint that could not be reached is to be tried again.
    pub(super) waits: bool,
}

impl<'a> Wanted<'a> {
    /// The limits of a call that connects to one address within `connect_timeout`, and waits where it has to.
    pub(super) fn new(
        connect_timeout: Duration,
        options: &Options,
        connect_time: &'a ConnectTime,
        deadline: Option<Instant>,
    ) -> Self {
        let max_connect_time = options.max_connect_time;
        Self { connect_timeout, max_connect_time, connect_time, deadline, waits: true }
    }

    /// The time that is left to connect to the next address.
    pub(super) fn time_to_connect(&self) -> Duration {
        self.connect_time.left(self.connect_timeout, self.max_connect_time)
    }

    /// The time that is left to connect, or until the deadline.
    pub(super) fn time_left(&self) -> Duration {
        let most = self.time_to_connect();
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(most, |left| left.min(most))
    }

    /// Whether the deadline has passed.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }
}

/// Why there is no connection.
#[derive(Debug)]
pub(crate) enum NoConnection {
    /// The ORB has shut down.
    Closed,
    /// All connections were in use until the deadline, or for too long, or too many callers wait for one.
    Busy,
    /// The endpoint could not be reached, and it is too early to try again; the caller does not wait.
    NotYet,
    /// The endpoint could not be reached.
    Unreachable(ConnectError),
    /// Upcalls have as many connections as they may.
    TooManyOfUpcalls,
    /// As many requests whose callers do not wait have no reply yet as may.
    TooManyPending,
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
            closing: Lock::default(),
            this: Weak::clone(this),
        })
    }

    /// The cache of the calling thread's lane, or this one if it has none, and the number of the thread.
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
        state.open + state.separate
    }

    /// Locks the state that all callers share.
    fn state(&self) -> Locked<'_, CacheState> {
        count(Count::SharedWrites);
        self.state.lock()
    }

    /// Closes the idle connections now, the others when they are released, and what closes with the cache.
    pub(super) fn close(&self) {
        self.begin_close().finish();
    }

    /// The same without waiting for what closes with the cache.
    pub(super) fn begin_close(&self) -> Closing {
        let (idle, multiplexed) = {
            let mut state = self.state();
            state.closed = true;
            state.waiting.wake_all();
            (self.take_all_idle(&mut state, true), self.take_multiplexed())
        };
        for mut connection in idle {
            connection.close();
        }
        multiplexed.iter().for_each(|connection| connection.close());
        self.pending.close();
        let closing = std::mem::take(&mut *self.closing.lock());
        let mut closing = Closing(closing.iter().filter_map(Weak::upgrade).collect());
        closing.0.iter().for_each(|other| other.end());
        self.per_lane.iter().for_each(|cache| closing.extend(cache.begin_close()));
        closing
    }

    /// Closes the idle connections of a lane that has ended. A later lane may get its number, and this cache.
    pub(super) fn close_idle(&self) {
        for mut connection in self.take_idle() {
            connection.close();
        }
        let multiplexed = {
            let mut state = self.state();
            let multiplexed = self.take_multiplexed();
            state.open -= multiplexed.len();
            multiplexed
        };
        multiplexed.iter().for_each(|connection| connection.close());
        self.pending.close();
    }

    /// Takes the multiplexed connections; the caller has locked the state, as all who change the list do.
    fn take_multiplexed(&self) -> Arc<Vec<Arc<MultiplexedConnection>>> {
        self.multiplexed.as_ref().map(MultiplexedConnections::take).unwrap_or_default()
    }

    /// Makes `other` close with this cache, or now if the cache has been closed meanwhile.
    pub(super) fn close_with_it(&self, other: &Arc<dyn ClosesWithCache>) {
        {
            let mut closing = self.closing.lock();
            closing.retain(|known| known.strong_count() > 0);
            closing.push(Arc::downgrade(other));
        }
        if self.state().closed {
            other.end();
            Closing(vec![Arc::clone(other)]).finish();
        }
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

    /// Takes all idle connections; `recall` makes those that are released later go to the cache.
    #[allow(clippy::vec_box)]
    fn take_all_idle(&self, state: &mut CacheState, recall: bool) -> Vec<Box<ExclusiveConnection>> {
        let mut idle = std::mem::take(&mut state.idle);
        for slot in &self.slots {
            if recall {
                slot.set_recalled(true);
            }
            idle.extend(slot.take());
        }
        idle
    }

    /// Opens a connection, which the caller has counted, and no longer counts if this fails.
    fn open(&self, wanted: Wanted<'_>) -> Result<Box<ExclusiveConnection>, NoConnection> {
        let (stream, counted) = self.connect(wanted)?;
        let messaging = self.protocol.messaging();
        let session = match self.protocol.carries_replies() {
            true => ClientSession::with_messaging(messaging, false),
            false => ClientSession::connectionless(),
        };
        let mut connection = Box::new(ExclusiveConnection::new(NewConnection {
            stream,
            session,
            messaging,
            receiving: &self.receiving,
            copy_threshold: self.settings.copy_threshold,
            counted,
        }));
        connection.outgoing.any_octets().reserve(self.settings.preallocate);
        Ok(connection)
    }

    /// Connects; the caller has counted the connection as open, and no longer counts it if this fails.
    fn connect(&self, wanted: Wanted<'_>) -> Result<(Arc<dyn Stream>, Counts), NoConnection> {
        about_to_block();
        let withdraw = |_: &_| self.state().reconnecting.withdraw(Instant::now());
        let counted = self.count_in_process(wanted).inspect_err(withdraw)?;
        let timeout = wanted.time_left().max(Duration::from_millis(1));
        let mut options = ConnectOptions::with_timeout(Some(timeout));
        options.stream = self.settings.stream.clone();
        record(Event::Connected);
        if let Some(others) = self.others.upgrade() {
            others.before_connecting(self.settings.idle_limit);
        }
        let tried = Instant::now();
        let connect = || self.protocol.transport().connect(&self.endpoint, &options);
        let connected = connect().or_else(|error| match self.others.upgrade() {
            Some(others) if is_out_of_descriptors(&error) => {
                others.close_all();
                connect()
            }
            _ => Err(error),
        });
        let timed_out = connected.as_ref().is_err_and(ConnectError::is_timed_out);
        wanted.connect_time.spend(if timed_out { timeout } else { tried.elapsed() });
        match connected {
            Ok(stream) => {
                self.connected();
                tracing::debug!(endpoint = %self.endpoint, "connected");
                let stream = match self.settings.fragment_size {
                    // Without replies, each message is a datagram.
                    Some(most) if self.protocol.carries_replies() => in_fragments(stream, most),
                    _ => stream,
                };
                Ok((stream, counted))
            }
            Err(error) => {
                self.state().reconnecting.failed(tried, Instant::now(), self.settings.reconnect);
                Err(NoConnection::Unreachable(error))
            }
        }
    }

    /// Counts a connection among those of the process, and one of an upcall also among those of all upcalls. That may take
    /// all the time to connect.
    fn count_in_process(&self, wanted: Wanted<'_>) -> Result<Counts, NoConnection> {
        let of_upcalls = match in_upcall() {
            true => Some(self.count_of_upcall()?),
            false => None,
        };
        let had_time = !wanted.time_left().is_zero();
        let of_clients = match self.others.upgrade() {
            Some(others) => others.make_room(self.settings.max_of_process, wanted),
            None => Some(ConnectionCount::of_clients().enter()),
        };
        let of_clients = of_clients.ok_or(NoConnection::Busy)?;
        if had_time && wanted.time_left().is_zero() {
            return Err(NoConnection::Busy);
        }
        Ok(Counts { of_clients, of_upcalls })
    }

    #[cold]
    fn count_of_upcall(&self) -> Result<Counted, NoConnection> {
        let counted = match self.others.upgrade() {
            Some(others) => others.make_room_of_upcall(),
            None => ConnectionCount::of_upcalls().enter_below(0),
        };
        counted.ok_or(NoConnection::TooManyOfUpcalls)
    }

    /// Counts a connection as closed.
    pub(super) fn lost_one(&self) {
        let mut state = self.state();
        state.open -= 1;
        state.waiting.wake_next();
        self.stop_recalling(&mut state);
    }

    /// Counts a connection of a queue of one-way calls as closed.
    pub(super) fn lost_separate(&self) {
        let mut state = self.state();
        state.separate -= 1;
        // After a failure, the next may try.
        state.waiting.wake_next();
    }

    /// Drops the idle connections of the caller's lane, or of this cache: the server has closed one, and probably
    /// all.
    #[cold]
    pub(crate) fn drop_idle(&self) {
        let (cache, _) = self.for_caller();
        drop(cache.take_idle());
    }

    /// Takes the idle connections and counts them as closed.
    #[allow(clippy::vec_box)]
    fn take_idle(&self) -> Vec<Box<ExclusiveConnection>> {
        let mut state = self.state();
        let idle = self.take_all_idle(&mut state, false);
        state.open -= idle.len();
        state.waiting.wake_next();
        idle
    }
}

impl Drop for EndpointCache {
    /// Readers would keep their connections, also those of an ORB that was not shut down.
    fn drop(&mut self) {
        self.take_multiplexed().iter().for_each(|connection| connection.end_reader());
        self.pending.end_reader();
    }
}

/// Whether connecting failed because descriptors ran short.
#[cold]
pub(super) fn is_out_of_descriptors(error: &ConnectError) -> bool {
    let mut errors = error.attempts().iter().map(|attempt| &attempt.error);
    errors.any(process::is_out_of_descriptors)
}
