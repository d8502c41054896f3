//! The selection of an exclusive or a multiplexed connection.

use super::endpoint_cache::{EndpointCache, ExclusiveCall, NoConnection, Wanted};
use super::multiplexed::{Joining, MultiplexedCall};

/// The use of a connection by one call.
#[derive(Debug)]
pub(super) enum AnyConnection<'r> {
    Exclusive(ExclusiveCall<'r>),
    Multiplexed(MultiplexedCall),
}

impl EndpointCache {
    /// A connection for a call: a multiplexed one if the cache has those, otherwise an exclusive one.
    #[inline]
    pub(super) fn connection(&self, wanted: Wanted<'_>) -> Result<AnyConnection<'_>, NoConnection> {
        let (cache, thread) = self.for_caller();
        match &cache.multiplexed {
            None => cache.acquire(thread, wanted).map(AnyConnection::Exclusive),
            Some(multiplexed) => {
                let limits = cache.wait_limits(wanted);
                let joining = Joining::of_caller(limits, None);
                cache.share(multiplexed, wanted, joining).map(AnyConnection::Multiplexed)
            }
        }
    }
}
