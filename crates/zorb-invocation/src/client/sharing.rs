//! The connections to an endpoint that calls may share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use super::pool::{EndpointPool, NoConnection};
use super::shared::{NotJoined, SharedCall, SharedConnection};

/// The connections to an endpoint, where several calls may use one: the option
/// `MaxCallsPerConnection`.
#[derive(Debug)]
pub(super) struct Sharing {
    max_calls: usize,
    open: ArcSwap<Vec<Arc<SharedConnection>>>,
}

impl Sharing {
    /// `None` where each call has a connection to itself.
    pub(super) fn new(max_calls: usize) -> Option<Self> {
        (max_calls > 1).then(|| Self { max_calls, open: ArcSwap::default() })
    }

    /// Closes every connection, once the calls that use it are over; how many there were.
    pub(super) fn close(&self) -> usize {
        let open = self.open.swap(Arc::default());
        open.iter().for_each(|connection| connection.close());
        open.len()
    }
}

impl EndpointPool {
    /// Lets a call use a shared connection: one that nobody uses, a new one, or the least busy when there
    /// are as many as there may be.
    pub(super) fn share(
        &self,
        sharing: &Sharing,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<SharedCall, NoConnection> {
        loop {
            let open = sharing.open.load();
            let least = open.iter().min_by_key(|connection| connection.users());
            let is_enough =
                |it: &&Arc<SharedConnection>| it.users() == 0 || open.len() >= self.max_open;
            let connection = match least.filter(is_enough) {
                Some(connection) => Arc::clone(connection),
                None => self.share_another(sharing, connect_timeout, deadline)?,
            };
            match connection.join(deadline) {
                Ok(call) => return Ok(call),
                Err(NotJoined::Busy) => return Err(NoConnection::Busy),
                Err(NotJoined::Ended) => self.forget(&connection),
            }
        }
    }

    /// A new connection, or the least busy of those that came meanwhile.
    #[cold]
    fn share_another(
        &self,
        sharing: &Sharing,
        connect_timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Arc<SharedConnection>, NoConnection> {
        let mut state = self.state();
        loop {
            if state.closed {
                return Err(NoConnection::Closed);
            }
            if state.open < self.max_open {
                break;
            }
            let open = sharing.open.load();
            if let Some(least) = open.iter().min_by_key(|connection| connection.users()) {
                return Ok(Arc::clone(least));
            }
            // All that may be there are being opened.
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            state = match left {
                None => self.returned.wait(state),
                Some(left) if left.is_zero() => return Err(NoConnection::Busy),
                Some(left) => self.returned.wait_for(state, left),
            };
        }
        state.open += 1;
        drop(state);
        let stream = self.connect(connect_timeout, deadline)?;
        let (size, calls) = (self.max_message_size, sharing.max_calls);
        let messaging = self.protocol.messaging();
        let connection = SharedConnection::new(stream, messaging, size, self.wait, calls);
        let connection = Arc::new(connection);
        let state = self.state();
        if state.closed {
            connection.close();
        } else {
            let mut open = Vec::clone(&sharing.open.load());
            open.push(Arc::clone(&connection));
            sharing.open.store(Arc::new(open));
        }
        drop(state);
        self.returned.notify_all();
        Ok(connection)
    }

    /// Takes note that a connection is of no more use.
    #[cold]
    pub(super) fn forget(&self, connection: &Arc<SharedConnection>) {
        let Some(sharing) = &self.sharing else { return };
        let mut state = self.state();
        let mut open = Vec::clone(&sharing.open.load());
        let before = open.len();
        open.retain(|known| !Arc::ptr_eq(known, connection));
        if open.len() < before {
            state.open -= 1;
            sharing.open.store(Arc::new(open));
        }
        drop(state);
        self.returned.notify_all();
    }
}
