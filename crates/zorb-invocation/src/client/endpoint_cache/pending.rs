//! The connection for requests whose callers do not wait, where other calls use exclusive connections.

use std::sync::Arc;

use super::super::multiplexed::{
    Joining, MultiplexedCall, MultiplexedConnection, NewMultiplexedConnection, NotJoined,
};
use super::{EndpointCache, NoConnection, Wanted};

impl EndpointCache {
    /// A connection for a request whose caller does not wait: a multiplexed one if the cache has those, otherwise the
    /// one for such requests.
    pub(in crate::client) fn pending_connection(
        &self,
        wanted: Wanted<'_>,
    ) -> Result<MultiplexedCall, NoConnection> {
        let (cache, _) = self.for_caller();
        match &cache.multiplexed {
            Some(multiplexed) => cache.share(multiplexed, wanted),
            None => cache.share_pending(wanted),
        }
    }

    fn share_pending(&self, wanted: Wanted<'_>) -> Result<MultiplexedCall, NoConnection> {
        // It shares the connection only with others that do not wait.
        let joining = Joining { in_upcall: false, limits: self.wait_limits(wanted) };
        loop {
            let known = self.pending.get();
            let connection = match known {
                Some(connection) => connection,
                None => self.open_pending(wanted)?,
            };
            match connection.join(&joining) {
                Ok(call) => return Ok(call),
                Err(NotJoined::Busy | NotJoined::InUse) => return Err(NoConnection::Busy),
                Err(NotJoined::Ended) => self.pending.forget(&connection),
            }
        }
    }

    fn open_pending(&self, wanted: Wanted<'_>) -> Result<Arc<MultiplexedConnection>, NoConnection> {
        self.begin_separate(wanted)?;
        let (stream, counted) = self.connect(wanted).inspect_err(|_| self.lost_separate())?;
        let connection = Arc::new(MultiplexedConnection::new(NewMultiplexedConnection {
            watched: self.watch(&*stream),
            stream,
            messaging: self.protocol.messaging(),
            receiving: &self.receiving,
            copy_threshold: self.settings.copy_threshold,
            max_calls: usize::MAX,
            beyond_limit: false,
            is_for_pending: true,
            counted,
        }));
        let used = {
            let state = self.state();
            (!state.closed).then(|| self.pending.get_or_insert(&connection))
        };
        self.lost_separate();
        match used {
            Some(used) => {
                if !Arc::ptr_eq(&used, &connection) {
                    // Another thread has opened one meanwhile.
                    connection.close();
                }
                Ok(used)
            }
            None => {
                connection.close();
                Err(NoConnection::Closed)
            }
        }
    }
}
