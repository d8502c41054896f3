//! Client connections, kept per endpoint.
//!
//! A call has a connection to itself from its request to its reply: the calling thread writes,
//! then reads, and no other thread is involved. Each thread keeps its connection to an endpoint in a
//! [place](super::place) of its own, so that threads do not get in each other's way; the lock here is
//! for connections that are opened, closed or change hands. Their number per endpoint is limited,
//! and callers beyond it wait. Threads of a lane have all of that [for themselves](super::by_lane).

mod lending;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use zorb_base::calling_lane::CallingLane;
use zorb_base::counters::{CallLock, Count, count};
use zorb_base::options::Options;
use zorb_base::steady_events::{Event, record};
use zorb_giop::ClientSession;
use zorb_os::lock::{Condition, Lock, Locked};
use zorb_transport::{ConnectError, ConnectOptions, Endpoint, Protocol, Stream, WaitPolicy};

use super::by_lane::ByLane;
use super::connection::AnyConnection;
use super::connection_settings::{ConnectionClass, ConnectionSettings};
use super::exclusive::{ExclusiveConnection, NewConnection};
use super::fragmenting::in_fragments;
use super::place::Place;
use super::sharing::Sharing;
use crate::flow::FlowLimits;

/// From how many pools on those without a reference to their endpoint are closed. Endpoints come
/// with references, and so from anybody.
const KEPT_POOLS: usize = 256;

/// The most places of an endpoint; threads beyond share them.
const MAX_PLACES: usize = 64;

/// Which connections calls may have in turns: those to one endpoint for which policies say the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PoolKey {
    endpoint: Endpoint,
    class: Box<[i64]>,
}

/// The pools of all endpoints.
#[derive(Debug, Default)]
pub struct ConnectionCache {
    pools: Lock<Pools>,
}

#[derive(Debug, Default)]
struct Pools {
    by_endpoint: HashMap<PoolKey, Arc<EndpointPool>>,
    /// How many were left when unused ones were last looked for.
    left: usize,
}

/// The connections to one endpoint.
#[derive(Debug)]
pub(crate) struct EndpointPool {
    pub(crate) endpoint: Endpoint,
    pub(super) protocol: Arc<dyn Protocol>,
    /// By the thread's number; made when a thread first calls.
    places: Box<[OnceLock<Box<Place>>]>,
    /// Those of lanes' threads, which have places and limits of their own.
    pub(super) by_lane: ByLane,
    /// Where calls may share connections, these are used and the places are not.
    pub(super) sharing: Option<Sharing>,
    itself: Weak<Self>,
    state: CallLock<PoolState>,
    pub(super) returned: Condition,
    pub(super) max_open: usize,
    pub(super) max_message_size: usize,
    /// From how many octets on a run of octets is sent from where it lies.
    pub(super) copy_threshold: usize,
    settings: ConnectionSettings,
    pub(super) wait: WaitPolicy,
    /// What ends with it beside its connections: queues of one-way calls.
    closing: Lock<Vec<Weak<dyn ClosesWithPool>>>,
}

#[derive(Debug, Default)]
pub(super) struct PoolState {
    /// Those that lie in nobody's place.
    // Boxed, because places hold boxes.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<ExclusiveConnection>>,
    /// All that are open, in use or not.
    pub(super) open: usize,
    /// Callers that wait for one.
    waiting: usize,
    pub(super) closed: bool,
}

/// What is closed with a pool.
pub(super) trait ClosesWithPool: std::fmt::Debug + Send + Sync {
    /// Ends it.
    fn close(&self);
}

/// Why there is no connection.
#[derive(Debug)]
pub(crate) enum NoConnection {
    /// The ORB has shut down.
    Closed,
    /// All connections stayed busy until the deadline.
    Busy,
    /// The endpoint could not be reached.
    Unreachable(ConnectError),
}

impl ConnectionCache {
    /// The pool of connections of a class to an endpoint, made when it is first asked for.
    pub(crate) fn pool(
        &self,
        endpoint: &Endpoint,
        class: &ConnectionClass,
        protocol: &Arc<dyn Protocol>,
        options: &Options,
    ) -> Arc<EndpointPool> {
        let key = PoolKey { endpoint: endpoint.clone(), class: class.key.clone() };
        let mut pools = self.pools.lock();
        if let Some(pool) = pools.by_endpoint.get(&key) {
            return Arc::clone(pool);
        }
        let unused = pools.take_unused();
        let pool = EndpointPool::new(endpoint, &class.settings, protocol, options);
        record(Event::TableWritten);
        pools.by_endpoint.insert(key, Arc::clone(&pool));
        drop(pools);
        unused.iter().for_each(|pool| pool.close());
        pool
    }

    /// Closes every idle connection, and those in use when they come back.
    pub fn close(&self) {
        let pools: Vec<_> = {
            let pools = self.pools.lock();
            pools.by_endpoint.values().cloned().collect()
        };
        pools.iter().for_each(|pool| pool.close());
    }

    /// Closes the connections of a lane that has come to its end.
    pub(crate) fn left_by(&self, lane: &CallingLane) {
        let pools: Vec<_> = {
            let pools = self.pools.lock();
            pools
                .by_endpoint
                .values()
                .filter_map(|pool| pool.by_lane.left_by(lane))
                .cloned()
                .collect()
        };
        pools.iter().for_each(|pool| pool.vacate());
    }
}

impl Pools {
    /// Takes the pools that no reference and no call uses, when there are many; looking for them
    /// costs little over time, as their number must have doubled since the last look.
    fn take_unused(&mut self) -> Vec<Arc<EndpointPool>> {
        if self.by_endpoint.len() < KEPT_POOLS.max(self.left.saturating_mul(2)) {
            return Vec::new();
        }
        let unused = self.by_endpoint.extract_if(|_, pool| Arc::strong_count(pool) == 1);
        let unused = unused.map(|(_, pool)| pool).collect();
        self.left = self.by_endpoint.len();
        unused
    }
}

impl EndpointPool {
    fn new(
        endpoint: &Endpoint,
        settings: &ConnectionSettings,
        protocol: &Arc<dyn Protocol>,
        options: &Options,
    ) -> Arc<Self> {
        Self::with(endpoint, settings, protocol, options.max_message_size, options.wait_policy())
    }

    /// One like it for the threads of a lane.
    pub(super) fn for_lane(&self) -> Arc<Self> {
        record(Event::TableWritten);
        Self::with(&self.endpoint, &self.settings, &self.protocol, self.max_message_size, self.wait)
    }

    fn with(
        endpoint: &Endpoint,
        settings: &ConnectionSettings,
        protocol: &Arc<dyn Protocol>,
        max_message_size: usize,
        wait: WaitPolicy,
    ) -> Arc<Self> {
        let max_open = settings.max_connections;
        let places = max_open.clamp(1, MAX_PLACES).next_power_of_two();
        Arc::new_cyclic(|itself| Self {
            endpoint: endpoint.clone(),
            protocol: Arc::clone(protocol),
            places: (0..places).map(|_| OnceLock::new()).collect(),
            by_lane: ByLane::default(),
            // Where there are no replies, nobody waits for one.
            sharing: protocol.carries_replies().then(|| Sharing::new(settings.max_calls)).flatten(),
            itself: Weak::clone(itself),
            state: CallLock::new(Count::ClientLocks, PoolState::default()),
            returned: Condition::new(),
            max_open,
            max_message_size,
            copy_threshold: settings.copy_threshold,
            settings: settings.clone(),
            wait,
            closing: Lock::default(),
        })
    }

    /// The connection for a call: an exclusive one, or a shared one where calls may share them.
    #[inline]
    pub(super) fn connection(
        &self,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<AnyConnection<'_>, NoConnection> {
        let (pool, thread) = self.for_caller();
        match &pool.sharing {
            None => pool.lend(thread, connect_timeout, deadline).map(AnyConnection::Exclusive),
            Some(sharing) => {
                pool.share(sharing, connect_timeout, deadline).map(AnyConnection::Shared)
            }
        }
    }

    /// Locks what all callers of the endpoint share.
    pub(super) fn state(&self) -> Locked<'_, PoolState> {
        count(Count::SharedWrites);
        self.state.lock()
    }

    /// Closes the idle connections, and has those in use closed when they come back.
    pub(super) fn close(&self) {
        let idle = {
            let mut state = self.state();
            state.closed = true;
            self.all_idle(&mut state, true)
        };
        self.returned.notify_all();
        for mut connection in idle {
            connection.close();
        }
        if let Some(sharing) = &self.sharing {
            let _ = sharing.close();
        }
        let closing = std::mem::take(&mut *self.closing.lock());
        closing.iter().filter_map(Weak::upgrade).for_each(|other| other.close());
        self.by_lane.all().for_each(|pool| pool.close());
    }

    /// Closes the connections of a lane that is no more. Another one may have its number after it.
    fn vacate(&self) {
        for mut connection in self.take_idle() {
            connection.close();
        }
        if let Some(sharing) = &self.sharing {
            self.state().open -= sharing.close();
        }
    }

    /// Has `other` closed when this pool is.
    pub(super) fn close_with_it(&self, other: Weak<dyn ClosesWithPool>) {
        let mut closing = self.closing.lock();
        closing.retain(|known| known.strong_count() > 0);
        closing.push(other);
    }

    /// The limits of a queue of one-way calls, where `own` are those of its policy.
    pub(super) fn queue_limits(&self, own: FlowLimits) -> FlowLimits {
        let [calls, octets] = self.settings.queued;
        own.within(calls, octets)
    }

    /// A connection that no other call gets, beyond the limit if it has to be.
    pub(super) fn open_apart(
        &self,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Box<ExclusiveConnection>, NoConnection> {
        let mut state = self.state();
        if state.closed {
            return Err(NoConnection::Closed);
        }
        state.open += 1;
        drop(state);
        self.open(connect_timeout, deadline)
    }

    /// Takes every idle connection; `wanted` has those that come back later brought here as well.
    #[allow(clippy::vec_box)]
    fn all_idle(&self, state: &mut PoolState, wanted: bool) -> Vec<Box<ExclusiveConnection>> {
        let mut idle = std::mem::take(&mut state.idle);
        for place in self.places.iter().filter_map(OnceLock::get) {
            if wanted {
                place.set_wanted(true);
            }
            idle.extend(place.take());
        }
        idle
    }

    fn open(
        &self,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Box<ExclusiveConnection>, NoConnection> {
        let stream = self.connect(connect_timeout, deadline)?;
        let messaging = self.protocol.messaging();
        let session = match self.protocol.carries_replies() {
            true => ClientSession::speaking(messaging, false),
            false => ClientSession::connectionless(),
        };
        let mut connection = Box::new(ExclusiveConnection::new(NewConnection {
            stream,
            session,
            messaging,
            max_message_size: self.max_message_size,
            copy_threshold: self.copy_threshold,
            wait: self.wait,
        }));
        connection.outgoing.any_octets().reserve(self.settings.preallocate);
        Ok(connection)
    }

    /// Connects; whoever calls it has counted the connection as open.
    pub(super) fn connect(
        &self,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Arc<dyn Stream>, NoConnection> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = left.map_or(connect_timeout, |left| left.min(connect_timeout));
        let timeout = timeout.max(Duration::from_millis(1));
        let mut options = ConnectOptions::with_timeout(Some(timeout));
        options.stream = self.settings.stream.clone();
        record(Event::Connected);
        let connected = self.protocol.transport().connect(&self.endpoint, &options);
        match connected {
            Ok(stream) => {
                tracing::debug!(endpoint = %self.endpoint, "connected");
                Ok(match self.settings.fragment_size {
                    // Where there are no replies a message is a datagram.
                    Some(most) if self.protocol.carries_replies() => in_fragments(stream, most),
                    _ => stream,
                })
            }
            Err(error) => {
                self.lost_one();
                Err(NoConnection::Unreachable(error))
            }
        }
    }

    /// Takes note that a connection is open no more.
    pub(super) fn lost_one(&self) {
        self.state().open -= 1;
        self.returned.notify_one();
    }

    /// Drops the idle connections, the caller's lane's if it has one: the server closes, and they are of no
    /// use.
    #[cold]
    pub(crate) fn drop_idle(&self) {
        let (pool, _) = self.for_caller();
        let dropped = pool.take_idle();
        drop(dropped);
        pool.returned.notify_all();
    }

    /// Takes the idle connections, which count as open no more.
    #[allow(clippy::vec_box)]
    fn take_idle(&self) -> Vec<Box<ExclusiveConnection>> {
        let mut state = self.state();
        let idle = self.all_idle(&mut state, false);
        state.open -= idle.len();
        idle
    }
}
