//! The selection of an exclusive or a shared connection.

use super::pool::{EndpointPool, ExclusiveCall, NoConnection, Wanted};
use super::shared::SharedCall;

/// The use of a connection by one call.
#[derive(Debug)]
pub(super) enum AnyConnection<'r> {
    Exclusive(ExclusiveCall<'r>),
    Shared(SharedCall),
}

impl EndpointPool {
    /// A connection for a call: a shared one if the pool has those, otherwise an exclusive one.
    #[inline]
    pub(super) fn connection(&self, wanted: Wanted) -> Result<AnyConnection<'_>, NoConnection> {
        let (pool, thread) = self.for_caller();
        match &pool.shared {
            None => pool.acquire(thread, wanted).map(AnyConnection::Exclusive),
            Some(shared) => pool.share(shared, wanted).map(AnyConnection::Shared),
        }
    }
}
