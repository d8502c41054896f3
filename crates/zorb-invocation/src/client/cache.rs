//! The connection cache: a client's open connections, by endpoint and policies.

mod room;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use zorb_base::calling_lane::CallingLane;
use zorb_base::connection_count::{ConnectionCount, Counted};
use zorb_base::steady_events::{Event, record};
use zorb_base::upcall_thread::in_upcall;
use zorb_os::lock::{Lock, Locked};
use zorb_transport::{Endpoint, Protocol, log_limited};

use super::connection::Receiving;
use super::connection_settings::ConnectionClass;
use super::endpoint_cache::{Closing, EndpointCache, OtherConnections, Wanted};
use super::wait_queue::WaitQueue;

/// The number of endpoint caches above which those that no reference uses are closed. Endpoints come from references,
/// so any peer can add some.
const MAX_UNUSED: usize = 256;

/// The least number of new connections after which those that no call uses are closed.
const MIN_OPENED: usize = 16;

/// The key of connections that may serve the same calls: an endpoint and what policies require.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ConnectionKey {
    endpoint: Endpoint,
    class: Box<[i64]>,
}

/// The open connections of a client, in one endpoint cache for each key.
#[derive(Debug)]
pub struct ConnectionCache {
    caches: Arc<EndpointCaches>,
}

impl Default for ConnectionCache {
    fn default() -> Self {
        let caches = Arc::<EndpointCaches>::default();
        caches.register();
        Self { caches }
    }
}

/// Those of all endpoints, which close unused connections for one another.
#[derive(Debug, Default)]
struct EndpointCaches {
    caches: Lock<Caches>,
    /// The callers that wait until the process may have another connection.
    waiting: Lock<WaitQueue>,
}

impl EndpointCaches {
    fn lock(&self) -> Locked<'_, Caches> {
        self.caches.lock()
    }

    fn all(&self) -> Vec<Arc<EndpointCache>> {
        self.lock().by_key.values().cloned().collect()
    }

    /// Closes the connections that servers have closed, or that have been idle for `limit`. Returns their number.
    fn close_unused(&self, limit: Option<Duration>) -> usize {
        let all = self.all();
        let closed = all.iter().map(|cache| cache.close_unused(limit)).sum();
        drop(all);
        let mut caches = self.lock();
        caches.by_key.retain(|_, cache| Arc::strong_count(cache) > 1 || cache.has_connections());
        caches.next_check = caches.by_key.len();
        closed
    }
}

impl OtherConnections for EndpointCaches {
    /// The amortized cost is small: as many have to be opened as endpoints were left the last time.
    fn before_connecting(&self, idle_limit: Option<Duration>) {
        let due = {
            let mut caches = self.lock();
            caches.opened += 1;
            caches.all_opened += 1;
            let due = caches.opened >= caches.next_check.max(MIN_OPENED);
            if due {
                caches.opened = 0;
            }
            due
        };
        if due {
            self.close_unused(idle_limit);
        }
    }

    fn make_room(&self, most: usize, wanted: Wanted<'_>) -> Option<Counted> {
        let counted = match in_upcall() {
            // The calls that use the other connections, or wait for one, may wait for this upcall.
            true => Self::replace_least_used(ConnectionCount::of_clients(), most),
            false => self.wait_for_room(most, wanted),
        };
        if counted.is_none() {
            log_limited!(warn, "calls use all connections that MaxClientConnections permits");
        }
        counted
    }

    fn make_room_of_upcall(&self) -> Option<Counted> {
        Self::replace_least_used(ConnectionCount::of_upcalls(), 0)
    }

    #[cold]
    fn close_all(&self) -> bool {
        let closed: usize =
            Self::of_process().iter().map(|of_orb| of_orb.close_unused(Some(Duration::ZERO))).sum();
        log_limited!(
            warn,
            closed,
            "descriptors have run short: idle connections to servers are closed"
        );
        closed > 0
    }
}

#[derive(Debug, Default)]
struct Caches {
    by_key: HashMap<ConnectionKey, Arc<EndpointCache>>,
    /// The number of caches that were left when unused ones were last closed.
    left: usize,
    /// The number of connections opened since unused ones were last closed.
    opened: usize,
    /// The number of connections that were to be opened so far.
    all_opened: u64,
    /// The number after which they are closed again: the number of caches that were left, if it is not small.
    next_check: usize,
    /// Whether it is closed: a new endpoint cache is closed from the beginning.
    closed: bool,
}

impl ConnectionCache {
    /// The cache of connections of a class to an endpoint, created on first use.
    pub(crate) fn cache(
        &self,
        endpoint: &Endpoint,
        class: &ConnectionClass,
        protocol: &Arc<dyn Protocol>,
        receiving: &Receiving,
    ) -> Arc<EndpointCache> {
        let key = ConnectionKey { endpoint: endpoint.clone(), class: class.key.clone() };
        let mut caches = self.caches.lock();
        if let Some(cache) = caches.by_key.get(&key) {
            return Arc::clone(cache);
        }
        let others: Weak<EndpointCaches> = Arc::downgrade(&self.caches);
        let cache = EndpointCache::new(endpoint, &class.settings, protocol, receiving, others);
        if caches.closed {
            cache.close();
            return cache;
        }
        let unused = caches.take_unused();
        record(Event::TableWritten);
        caches.by_key.insert(key, Arc::clone(&cache));
        drop(caches);
        close_all(&unused);
        cache
    }

    /// Closes all idle connections now, and the others when they are released.
    pub fn close(&self) {
        let caches: Vec<_> = {
            let mut caches = self.caches.lock();
            caches.closed = true;
            caches.by_key.values().cloned().collect()
        };
        close_all(&caches);
    }

    /// The number of connections that are open, and of the attempts to open one so far.
    pub fn counts(&self) -> (usize, u64) {
        let attempts = self.caches.lock().all_opened;
        let caches = self.caches.all().into_iter().flat_map(EndpointCache::and_of_lanes);
        (caches.map(|cache| cache.open_connections()).sum(), attempts)
    }

    /// Closes all idle connections of the process, as descriptors have run short. Returns whether there were any.
    pub(crate) fn close_idle(&self) -> bool {
        self.caches.close_all()
    }

    /// Closes the connections of a lane that has ended.
    pub(crate) fn close_lane(&self, lane: &CallingLane) {
        let caches: Vec<_> = {
            let caches = self.caches.lock();
            caches.by_key.values().filter_map(|cache| cache.of_lane(lane)).collect()
        };
        caches.iter().for_each(|cache| cache.close_idle());
    }
}

/// Closes caches. Their queues of one-way calls end together.
fn close_all(caches: &[Arc<EndpointCache>]) {
    begin_close_all(caches).finish();
}

/// The same without waiting for the queues.
fn begin_close_all(caches: &[Arc<EndpointCache>]) -> Closing {
    let mut closing = Closing::default();
    caches.iter().for_each(|cache| closing.extend(cache.begin_close()));
    closing
}

impl Caches {
    /// Removes the caches that no reference and no call uses if there are many. The amortized cost is small: the
    /// number of caches has to double from one search to the next.
    fn take_unused(&mut self) -> Vec<Arc<EndpointCache>> {
        if self.by_key.len() < MAX_UNUSED.max(self.left.saturating_mul(2)) {
            return Vec::new();
        }
        let unused = self.by_key.extract_if(|_, cache| Arc::strong_count(cache) == 1);
        let unused = unused.map(|(_, cache)| cache).collect();
        self.left = self.by_key.len();
        unused
    }
}
