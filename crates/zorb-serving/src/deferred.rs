//! Requests that wait for deferred replies: their upcalls have returned, and they occupy no thread.

use std::io::IoSlice;
use std::sync::Arc;

use zorb_base::threads::Running;
use zorb_cdr::Gathered;
use zorb_giop::{MessageBudget, Messaging, ServedRequest};
use zorb_poa::RequestSource;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::connection::ServerConnection;
use crate::connection_use::ConnectionUse;
use crate::context::ServerContext;

/// A request that has been taken over from its upcall. Until it is dropped, its connection stays open, and shutdown waits
/// for it as for a thread of its lane.
pub(crate) struct DeferredRequest {
    // Dropped in this order: who waits for the last request then finds its connection closed.
    /// `None` if the client has gone.
    connection: Option<ConnectionUse>,
    _count: DeferredCount,
    _pool: Option<Running>,
    _running: Running,
}

impl DeferredRequest {
    /// A request of `connection`.
    ///
    /// # Errors
    /// `TRANSIENT`, minor `TOO_MANY_DEFERRED`.
    pub(crate) fn of(connection: &Arc<ServerConnection>) -> Result<Self, SystemException> {
        let context = &connection.core;
        let count = DeferredCount::begin(context, Some(&connection.budget))?;
        // Requests of a connection without threads to serve it are not counted.
        let used = connection.requests.resume().then(|| ConnectionUse(Arc::clone(connection)));
        Ok(Self {
            connection: used,
            _count: count,
            _pool: connection.lane.count_request(),
            _running: context.threads().enter(),
        })
    }

    /// A request whose client has gone.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub(crate) fn without_client(context: &Arc<ServerContext>) -> Result<Self, SystemException> {
        let count = DeferredCount::begin(context, None)?;
        let running = context.threads().enter();
        Ok(Self { connection: None, _count: count, _pool: None, _running: running })
    }
}

impl RequestSource for DeferredRequest {
    fn send_parts(&self, request: ServedRequest, parts: &mut [IoSlice<'_>], last: Gathered) {
        if let Some(used) = &self.connection {
            used.0.send_later(request, parts, last);
        }
    }

    fn lane_priority(&self) -> Option<i16> {
        self.connection.as_ref().and_then(|used| used.0.lane.priority())
    }

    fn messaging(&self) -> Option<&'static dyn Messaging> {
        self.connection.as_ref().and_then(|used| used.0.messaging)
    }
}

/// One of the requests that the option `MaxDeferredRequests` limits, in all and for its client, until dropped.
struct DeferredCount {
    context: Arc<ServerContext>,
    /// The share of its client.
    peer: Option<Arc<MessageBudget>>,
}

impl DeferredCount {
    fn begin(
        context: &Arc<ServerContext>,
        peer: Option<&Arc<MessageBudget>>,
    ) -> Result<Self, SystemException> {
        if !context.begin_deferred() {
            return Err(too_many());
        }
        let mut count = Self { context: Arc::clone(context), peer: None };
        if let Some(peer) = peer {
            if !peer.begin_waiting(context.options().max_deferred_requests.div_ceil(2)) {
                return Err(too_many());
            }
            count.peer = Some(Arc::clone(peer));
        }
        Ok(count)
    }
}

impl Drop for DeferredCount {
    fn drop(&mut self) {
        self.context.end_deferred();
        if let Some(peer) = &self.peer {
            peer.end_waiting();
        }
    }
}

#[cold]
fn too_many() -> SystemException {
    let code = minor::transient::TOO_MANY_DEFERRED;
    SystemException::transient(code, CompletionStatus::No)
}
