//! Client connections, kept per endpoint.
//!
//! A call has a connection to itself from its request to its reply: the calling thread writes,
//! then reads, and no other thread is involved. Connections are lent last in, first out, so that
//! the warm one is used; the number per endpoint is limited, and callers beyond it wait.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use zorb_transport::{ConnectError, ConnectOptions, Endpoint, Protocol, StreamOptions};

use super::connection::ClientConnection;
use crate::buffers::trim;
use crate::options::Options;
use crate::server::in_upcall;
use crate::wait::WaitPolicy;

/// A connection that nothing was heard of for longer than this is looked at before it is used
/// again: the server may have closed it meanwhile.
const FRESH: Duration = Duration::from_millis(500);
/// From how many pools on those without a reference to their endpoint are closed. Endpoints come
/// with references, and so from anybody.
const KEPT_POOLS: usize = 256;

/// The pools of all endpoints.
#[derive(Debug, Default)]
pub(crate) struct ConnectionCache {
    pools: Mutex<Pools>,
}

#[derive(Debug, Default)]
struct Pools {
    by_endpoint: HashMap<Endpoint, Arc<EndpointPool>>,
    /// How many were left when unused ones were last looked for.
    left: usize,
}

/// The connections to one endpoint.
#[derive(Debug)]
pub(crate) struct EndpointPool {
    pub(crate) endpoint: Endpoint,
    protocol: Arc<dyn Protocol>,
    state: Mutex<PoolState>,
    returned: Condvar,
    max_open: usize,
    max_message_size: usize,
    stream: StreamOptions,
    wait: WaitPolicy,
}

#[derive(Debug, Default)]
struct PoolState {
    // Boxed, because it moves out and back with every call.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<ClientConnection>>,
    open: usize,
    closed: bool,
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
    /// The pool of `endpoint`, made when it is first asked for.
    pub(crate) fn pool(
        &self,
        endpoint: &Endpoint,
        protocol: &Arc<dyn Protocol>,
        options: &Options,
    ) -> Arc<EndpointPool> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.by_endpoint.get(endpoint) {
            return Arc::clone(pool);
        }
        let unused = pools.take_unused();
        let pool = Arc::new(EndpointPool {
            endpoint: endpoint.clone(),
            protocol: Arc::clone(protocol),
            state: Mutex::default(),
            returned: Condvar::new(),
            max_open: options.max_connections_per_endpoint,
            max_message_size: options.max_message_size,
            stream: options.stream_options(),
            wait: options.wait_policy(),
        });
        pools.by_endpoint.insert(endpoint.clone(), Arc::clone(&pool));
        drop(pools);
        unused.iter().for_each(|pool| pool.close());
        pool
    }

    /// Closes every idle connection, and those in use when they come back.
    pub(crate) fn close(&self) {
        let pools: Vec<_> = {
            let pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
            pools.by_endpoint.values().cloned().collect()
        };
        pools.iter().for_each(|pool| pool.close());
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
    /// Closes the idle connections, and has those in use closed when they come back.
    fn close(&self) {
        let idle = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.closed = true;
            self.returned.notify_all();
            std::mem::take(&mut state.idle)
        };
        for mut connection in idle {
            connection.say_goodbye();
        }
    }

    /// Lends a connection: an idle one, a new one, or one that comes back before `deadline`. A
    /// caller inside an upcall gets one beyond the limit, because those it would wait for may be
    /// waiting for the upcall.
    #[inline]
    pub(crate) fn lend(
        self: &Arc<Self>,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Lease, NoConnection> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.closed {
                return Err(NoConnection::Closed);
            }
            if let Some(mut connection) = state.idle.pop() {
                if connection.alive.elapsed() >= FRESH {
                    if connection.stream.is_stale() {
                        state.open -= 1;
                        continue;
                    }
                    connection.alive = Instant::now();
                }
                return Ok(Lease { connection: Some(connection), pool: Arc::clone(self) });
            }
            if state.open < self.max_open || in_upcall() {
                state.open += 1;
                drop(state);
                return self.open(connect_timeout, deadline);
            }
            state = match deadline {
                None => self.returned.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(NoConnection::Busy);
                    }
                    let waited = self.returned.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    #[cold]
    fn open(
        self: &Arc<Self>,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Lease, NoConnection> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = left.map_or(connect_timeout, |left| left.min(connect_timeout));
        let timeout = timeout.max(Duration::from_millis(1));
        let mut options = ConnectOptions::with_timeout(Some(timeout));
        options.stream = self.stream.clone();
        match self.protocol.transport().connect(&self.endpoint, &options) {
            Ok(stream) => {
                tracing::debug!(endpoint = %self.endpoint, "connected");
                let connection = ClientConnection::new(stream, self.max_message_size, self.wait);
                Ok(Lease { connection: Some(Box::new(connection)), pool: Arc::clone(self) })
            }
            Err(error) => {
                self.give_up_place();
                Err(NoConnection::Unreachable(error))
            }
        }
    }

    fn give_up_place(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).open -= 1;
        self.returned.notify_one();
    }

    /// Drops the idle connections: the server closes, and they are of no use.
    #[cold]
    pub(crate) fn drop_idle(&self) {
        let dropped = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.open -= state.idle.len();
            std::mem::take(&mut state.idle)
        };
        drop(dropped);
        self.returned.notify_all();
    }
}

/// A connection lent to one call; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Lease {
    /// `None` once the connection is known to be of no further use.
    connection: Option<Box<ClientConnection>>,
    pool: Arc<EndpointPool>,
}

impl Lease {
    #[inline]
    pub(crate) fn connection(&mut self) -> Option<&mut ClientConnection> {
        self.connection.as_deref_mut()
    }

    /// The current message of the connection.
    #[inline]
    pub(crate) fn message(&self) -> &[u8] {
        self.connection.as_deref().map_or(&[], |connection| connection.inbound.current())
    }

    /// Where the parts of that message begin whose alignment is their own.
    #[inline]
    pub(crate) fn seams(&self) -> &[u32] {
        self.connection.as_deref().map_or(&[], |connection| connection.inbound.seams())
    }

    /// Closes the connection instead of giving it back.
    #[cold]
    pub(crate) fn discard(&mut self) {
        if self.connection.take().is_some() {
            self.pool.give_up_place();
        }
    }
}

impl Drop for Lease {
    #[inline]
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        connection.used = true;
        trim(&mut connection.outgoing);
        let mut state = self.pool.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed || state.open > self.pool.max_open {
            state.open -= 1;
            drop(state);
            connection.say_goodbye();
            return;
        }
        state.idle.push(connection);
        let waited_for = state.open >= self.pool.max_open;
        drop(state);
        if waited_for {
            self.pool.returned.notify_one();
        }
    }
}
