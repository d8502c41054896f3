//! The multiplexed connections to an endpoint.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use zorb_base::connection_count::ConnectionCount;
use zorb_os::lock::Lock;

use super::MultiplexedConnection;
use crate::client::connection::LastReceived;
use crate::client::connection_settings::ConnectionSettings;

/// The multiplexed connections to an endpoint; the option `MaxCallsPerConnection` permits several calls on one.
#[derive(Debug)]
pub(in crate::client) struct MultiplexedConnections {
    /// The maximum number of calls that use a connection at the same time.
    pub(in crate::client) max_calls: usize,
    open: ArcSwap<Vec<Arc<MultiplexedConnection>>>,
}

impl MultiplexedConnections {
    /// `None` if each call uses a connection exclusively.
    pub(in crate::client) fn new(settings: &ConnectionSettings) -> Option<Self> {
        let max_calls = settings.max_calls;
        (max_calls > 1).then(|| Self { max_calls, open: ArcSwap::default() })
    }

    /// The connection that the fewest calls use or wait for, and the number of connections.
    pub(in crate::client) fn least_busy(&self) -> Option<(Arc<MultiplexedConnection>, usize)> {
        let open = self.open.load();
        let least = open.iter().min_by_key(|connection| connection.load())?;
        Some((Arc::clone(least), open.len()))
    }

    /// The number of calls that wait for each connection.
    #[cfg(test)]
    pub(in crate::client) fn waiting(&self) -> Vec<usize> {
        self.open.load().iter().map(|connection| connection.waiting()).collect()
    }

    /// Adds a connection.
    pub(in crate::client) fn add(&self, connection: &Arc<MultiplexedConnection>) {
        let mut open = Vec::clone(&self.open.load());
        open.push(Arc::clone(connection));
        self.open.store(Arc::new(open));
    }

    /// Removes the connections that have ended; returns their number.
    pub(in crate::client) fn remove_ended(&self) -> usize {
        let before = self.open.load();
        let open: Vec<_> = before.iter().filter(|it| !it.has_ended()).cloned().collect();
        let removed = before.len() - open.len();
        if removed > 0 {
            self.open.store(Arc::new(open));
        }
        removed
    }

    /// Ends the connections that no call uses and that their server has closed, or that have been idle for `limit`;
    /// the caller closes them.
    pub(in crate::client) fn end_unused(
        &self,
        limit: Option<Duration>,
    ) -> Vec<Arc<MultiplexedConnection>> {
        let open = self.open.load();
        open.iter().filter(|connection| connection.end_unused(limit)).cloned().collect()
    }

    /// Since when the one of `count` that no call has used for longest has been idle; `None` if calls use all.
    pub(in crate::client) fn idle_since(
        &self,
        count: &'static ConnectionCount,
    ) -> Option<LastReceived> {
        let open = self.open.load();
        let counted = open.iter().filter(|connection| connection.is_of(count));
        counted.filter_map(|connection| connection.idle_since()).min()
    }

    /// Ends one of `count` that no call has used since then; the caller closes it.
    pub(in crate::client) fn end_idle(
        &self,
        count: &'static ConnectionCount,
        since: LastReceived,
    ) -> Option<Arc<MultiplexedConnection>> {
        let open = self.open.load();
        let mut counted = open.iter().filter(|connection| connection.is_of(count));
        counted.find(|connection| connection.end_idle(since)).cloned()
    }

    /// Removes the connections whose servers have hung up; the caller closes them.
    pub(in crate::client) fn take_hung_up(&self) -> Vec<Arc<MultiplexedConnection>> {
        let (gone, open): (Vec<_>, Vec<_>) =
            self.open.load().iter().cloned().partition(|connection| connection.has_hung_up());
        self.open.store(Arc::new(open));
        gone
    }

    /// Removes and returns all connections. Calls of this, [`add`](Self::add) and
    /// [`remove_ended`](Self::remove_ended) must not overlap.
    pub(in crate::client) fn take(&self) -> Arc<Vec<Arc<MultiplexedConnection>>> {
        self.open.swap(Arc::default())
    }
}

/// The connection for requests of pending calls, where other calls use exclusive connections. It is not one of
/// those that calls wait for.
#[derive(Debug, Default)]
pub(in crate::client) struct PendingConnection(Lock<Option<Arc<MultiplexedConnection>>>);

impl PendingConnection {
    /// The connection, if there is one. [`Forget`](Self::forget) it if it has ended.
    #[inline(always)] // 1 % of a pending call
    pub(in crate::client) fn get(&self) -> Option<Arc<MultiplexedConnection>> {
        self.0.lock().clone()
    }

    /// Sets the connection after [`get`](Self::get) has returned none, by the only caller that opens one.
    pub(in crate::client) fn set(&self, connection: &Arc<MultiplexedConnection>) {
        *self.0.lock() = Some(Arc::clone(connection));
    }

    /// Forgets a connection that has ended.
    pub(in crate::client) fn forget(&self, connection: &Arc<MultiplexedConnection>) {
        let mut known = self.0.lock();
        known.take_if(|known| Arc::ptr_eq(known, connection));
    }

    /// Takes it if no call uses it and its server has closed it, or it has been idle for `limit`, or it has ended; the caller
    /// closes it.
    pub(in crate::client) fn take_unused(
        &self,
        limit: Option<Duration>,
    ) -> Option<Arc<MultiplexedConnection>> {
        self.0.lock().take_if(|known| known.end_unused(limit) || known.has_ended())
    }

    /// Takes it if its server has hung up; the caller closes it.
    pub(in crate::client) fn take_hung_up(&self) -> Option<Arc<MultiplexedConnection>> {
        self.0.lock().take_if(|known| known.has_hung_up())
    }

    /// Since when it has been idle, if it is one of `count`; `None` if calls use it.
    pub(in crate::client) fn idle_since(
        &self,
        count: &'static ConnectionCount,
    ) -> Option<LastReceived> {
        let known = self.0.lock();
        known.as_ref().filter(|known| known.is_of(count))?.idle_since()
    }

    /// Takes it if it is one of `count` that no call has used since then; the caller closes it.
    pub(in crate::client) fn take_idle(
        &self,
        count: &'static ConnectionCount,
        since: LastReceived,
    ) -> Option<Arc<MultiplexedConnection>> {
        self.0.lock().take_if(|known| known.is_of(count) && known.end_idle(since))
    }

    /// Ends its reader: nobody can use it any more.
    pub(in crate::client) fn end_reader(&self) {
        self.0.lock().iter().for_each(|connection| connection.end_reader());
    }

    /// Whether there is one, also one that has ended and still has its descriptor.
    pub(in crate::client) fn is_open(&self) -> bool {
        self.0.lock().is_some()
    }

    /// Closes it. Requests have a limited time left to get their replies.
    pub(in crate::client) fn close(&self) {
        let connection = self.0.lock().take();
        connection.iter().for_each(|connection| connection.close());
    }
}
