//! The connection cache: a client's open connections, by endpoint and policies.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use zorb_base::calling_lane::CallingLane;
use zorb_base::options::Options;
use zorb_base::steady_events::{Event, record};
use zorb_os::lock::Lock;
use zorb_transport::{Endpoint, Protocol};

use super::connection_settings::ConnectionClass;
use super::pool::EndpointPool;

/// The number of pools from which on those that no reference uses are closed. Endpoints come with references,
/// and so from anybody.
const MAX_UNUSED: usize = 256;

/// The key of connections that may serve the same calls: an endpoint and what policies require.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ConnectionKey {
    endpoint: Endpoint,
    class: Box<[i64]>,
}

/// The open connections of a client, in one pool for each key.
#[derive(Debug, Default)]
pub struct ConnectionCache {
    pools: Lock<Pools>,
}

#[derive(Debug, Default)]
struct Pools {
    by_key: HashMap<ConnectionKey, Arc<EndpointPool>>,
    /// The number of pools that were left when unused ones were last closed.
    left: usize,
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
        options: &Options,
    ) -> Arc<EndpointPool> {
        let key = ConnectionKey { endpoint: endpoint.clone(), class: class.key.clone() };
        let mut pools = self.pools.lock();
        if let Some(pool) = pools.by_key.get(&key) {
            return Arc::clone(pool);
        }
        let pool = EndpointPool::new(endpoint, &class.settings, protocol, options);
        if pools.closed {
            pool.close();
            return pool;
        }
        let unused = pools.take_unused();
        record(Event::TableWritten);
        pools.by_key.insert(key, Arc::clone(&pool));
        drop(pools);
        unused.iter().for_each(|pool| pool.close());
        pool
    }

    /// Closes all idle connections now, and the others when they are released.
    pub fn close(&self) {
        let pools: Vec<_> = {
            let mut pools = self.pools.lock();
            pools.closed = true;
            pools.by_key.values().cloned().collect()
        };
        pools.iter().for_each(|pool| pool.close());
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
