//! The connection cache: a client's open connections, by endpoint and policies.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use zorb_base::calling_lane::CallingLane;
use zorb_base::steady_events::{Event, record};
use zorb_os::lock::{Lock, Locked};
use zorb_transport::{Endpoint, Protocol, log_limited};

use super::connection::Receiving;
use super::connection_settings::ConnectionClass;
use super::pool::{Closing, EndpointPool, OtherConnections};

/// The number of pools above which those that no reference uses are closed. Endpoints come from references,
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

/// The open connections of a client, in one pool for each key.
#[derive(Debug, Default)]
pub struct ConnectionCache {
    pools: Arc<CachedPools>,
}

/// The pools of a cache, which close unused connections for one another.
#[derive(Debug, Default)]
struct CachedPools(Lock<Pools>);

impl CachedPools {
    fn lock(&self) -> Locked<'_, Pools> {
        self.0.lock()
    }

    /// Closes the connections that servers have closed, or that have been idle for `limit`. Returns their number.
    fn close_unused(&self, limit: Option<Duration>) -> usize {
        let all: Vec<_> = self.lock().by_key.values().cloned().collect();
        let closed = all.iter().map(|pool| pool.close_unused(limit)).sum();
        drop(all);
        let mut pools = self.lock();
        pools.by_key.retain(|_, pool| Arc::strong_count(pool) > 1 || pool.has_connections());
        pools.next_check = pools.by_key.len();
        closed
    }
}

impl OtherConnections for CachedPools {
    /// The amortized cost is small: as many have to be opened as endpoints were left the last time.
    fn before_connecting(&self, idle_limit: Option<Duration>) {
        let due = {
            let mut pools = self.lock();
            pools.opened += 1;
            let due = pools.opened >= pools.next_check.max(MIN_OPENED);
            if due {
                pools.opened = 0;
            }
            due
        };
        if due {
            self.close_unused(idle_limit);
        }
    }

    #[cold]
    fn close_all(&self) -> bool {
        let closed = self.close_unused(Some(Duration::ZERO));
        log_limited!(
            warn,
            closed,
            "descriptors have run short: idle connections to servers are closed"
        );
        closed > 0
    }
}

#[derive(Debug, Default)]
struct Pools {
    by_key: HashMap<ConnectionKey, Arc<EndpointPool>>,
    /// The number of pools that were left when unused ones were last closed.
    left: usize,
    /// The number of connections opened since unused ones were last closed.
    opened: usize,
    /// The number after which they are closed again: the number of pools that were left, if it is not small.
    next_check: usize,
    /// Whether the cache is closed: a new pool is closed from the beginning.
    closed: bool,
}

impl ConnectionCache {
    /// The pool of connections of a class to an endpoint, created on first use.
    pub(crate) fn pool(
        &self,
        endpoint: &Endpoint,
        class: &ConnectionClass,
        protocol: &Arc<dyn Protocol>,
        receiving: &Receiving,
    ) -> Arc<EndpointPool> {
        let key = ConnectionKey { endpoint: endpoint.clone(), class: class.key.clone() };
        let mut pools = self.pools.lock();
        if let Some(pool) = pools.by_key.get(&key) {
            return Arc::clone(pool);
        }
        let others: Weak<CachedPools> = Arc::downgrade(&self.pools);
        let pool = EndpointPool::new(endpoint, &class.settings, protocol, receiving, others);
        if pools.closed {
            pool.close();
            return pool;
        }
        let unused = pools.take_unused();
        record(Event::TableWritten);
        pools.by_key.insert(key, Arc::clone(&pool));
        drop(pools);
        close_all(&unused);
        pool
    }

    /// Closes all idle connections now, and the others when they are released.
    pub fn close(&self) {
        let pools: Vec<_> = {
            let mut pools = self.pools.lock();
            pools.closed = true;
            pools.by_key.values().cloned().collect()
        };
        close_all(&pools);
    }

    /// Closes all idle connections, as descriptors have run short. Returns whether there were any.
    pub(crate) fn close_idle(&self) -> bool {
        self.pools.close_all()
    }

    /// Closes the connections of a lane that has ended.
    pub(crate) fn close_lane(&self, lane: &CallingLane) {
        let pools: Vec<_> = {
            let pools = self.pools.lock();
            pools.by_key.values().filter_map(|pool| pool.of_lane(lane)).collect()
        };
        pools.iter().for_each(|pool| pool.close_idle());
    }
}

/// Closes pools. Their queues of one-way calls end together.
fn close_all(pools: &[Arc<EndpointPool>]) {
    let mut closing = Closing::default();
    pools.iter().for_each(|pool| closing.extend(pool.begin_close()));
    closing.finish();
}

impl Pools {
    /// Removes the pools that no reference and no call uses if there are many. The amortized cost is small: the
    /// number of pools has to double from one search to the next.
    fn take_unused(&mut self) -> Vec<Arc<EndpointPool>> {
        if self.by_key.len() < MAX_UNUSED.max(self.left.saturating_mul(2)) {
            return Vec::new();
        }
        let unused = self.by_key.extract_if(|_, pool| Arc::strong_count(pool) == 1);
        let unused = unused.map(|(_, pool)| pool).collect();
        self.left = self.by_key.len();
        unused
    }
}
