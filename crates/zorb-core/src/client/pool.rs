//! Client connections, kept per endpoint.
//!
//! A call has a connection to itself from its request to its reply: the calling thread writes,
//! then reads, and no other thread is involved. Connections are lent last in, first out, so that
//! the warm one is used; the number per endpoint is limited, and callers beyond it wait.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use zorb_transport::{ConnectError, ConnectOptions, Endpoint, Protocol};

use super::connection::ClientConnection;
use crate::buffers::trim;

/// An idle connection older than this is looked at before it is used again: the server may have
/// closed it meanwhile.
const FRESH: Duration = Duration::from_millis(500);

/// The pools of all endpoints.
#[derive(Debug, Default)]
pub(crate) struct ConnectionCache {
    pools: Mutex<HashMap<Endpoint, Arc<EndpointPool>>>,
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
        max_open: usize,
        max_message_size: usize,
    ) -> Arc<EndpointPool> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = pools.entry(endpoint.clone()).or_insert_with(|| {
            Arc::new(EndpointPool {
                endpoint: endpoint.clone(),
                protocol: Arc::clone(protocol),
                state: Mutex::default(),
                returned: Condvar::new(),
                max_open,
                max_message_size,
            })
        });
        Arc::clone(pool)
    }

    /// Closes every idle connection, and those in use when they come back.
    pub(crate) fn close(&self) {
        let pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        for pool in pools.values() {
            let idle = {
                let mut state = pool.state.lock().unwrap_or_else(PoisonError::into_inner);
                state.closed = true;
                pool.returned.notify_all();
                std::mem::take(&mut state.idle)
            };
            for mut connection in idle {
                connection.say_goodbye();
            }
        }
    }
}

impl EndpointPool {
    /// Lends a connection: an idle one, a new one, or one that comes back before `deadline`.
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
            if let Some(connection) = state.idle.pop() {
                if connection.idle_since.elapsed() < FRESH || !connection.stream.is_stale() {
                    return Ok(Lease { connection: Some(connection), pool: Arc::clone(self) });
                }
                state.open -= 1;
                continue;
            }
            if state.open < self.max_open {
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
        let options = ConnectOptions::with_timeout(Some(timeout.max(Duration::from_millis(1))));
        match self.protocol.transport().connect(&self.endpoint, &options) {
            Ok(stream) => {
                tracing::debug!(endpoint = %self.endpoint, "connected");
                let connection = ClientConnection::new(stream, self.max_message_size);
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
        connection.idle_since = Instant::now();
        trim(&mut connection.outgoing);
        let mut state = self.pool.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
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
