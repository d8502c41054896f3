//! The selection of an exclusive or a multiplexed connection.

use super::multiplexed::MultiplexedCall;
use super::pool::{EndpointPool, ExclusiveCall, NoConnection, Wanted};

/// The use of a connection by one call.
#[derive(Debug)]
pub(super) enum AnyConnection<'r> {
    Exclusive(ExclusiveCall<'r>),
    Multiplexed(MultiplexedCall),
}

impl EndpointPool {
    /// A connection for a call: a multiplexed one if the pool has those, otherwise an exclusive one.
    #[inline]
    pub(super) fn connection(&self, wanted: Wanted<'_>) -> Result<AnyConnection<'_>, NoConnection> {
        let (pool, thread) = self.for_caller();
        match &pool.multiplexed {
            None => pool.acquire(thread, wanted).map(AnyConnection::Exclusive),
            Some(multiplexed) => pool.share(multiplexed, wanted).map(AnyConnection::Multiplexed),
        }
    }
}
