//! Closing connections whose servers have hung up.

use std::sync::{Arc, Weak};
use std::time::Duration;

use zorb_transport::Stream;

use super::super::exclusive::ExclusiveConnection;
use super::super::hangups::{ClosesHungUp, HungUp, WatchedConnection, watch};
use super::super::multiplexed::{MultiplexedConnection, MultiplexedConnections};
use super::{CacheState, EndpointCache};

impl EndpointCache {
    /// Closes the connection over `stream` when its server hangs up while no call uses it.
    pub(super) fn watch(&self, stream: &dyn Stream) -> Option<WatchedConnection> {
        let closer: Weak<Self> = Weak::clone(&self.this);
        watch(stream, closer)
    }

    /// Takes the exclusive connections whose servers have hung up out of the cache and the slots.
    #[allow(clippy::vec_box)] // Slots contain boxes.
    fn take_hung_up(&self, state: &mut CacheState) -> Vec<Box<ExclusiveConnection>> {
        let in_cache = state.idle.extract_if(.., |connection| connection.has_hung_up());
        let in_slots =
            self.slots.iter().filter_map(|slot| slot.take_if(ExclusiveConnection::has_hung_up));
        in_cache.chain(in_slots).collect()
    }

    /// Lets threads keep their connections in their slots again, unless a caller waits for one or a connection is to
    /// be closed after its call.
    pub(super) fn stop_recalling(&self, state: &mut CacheState) {
        state.hung_up.retain(|connection| connection.strong_count() > 0);
        if state.waiting.is_empty() && state.hung_up.is_empty() && !state.closed {
            self.slots.iter().for_each(|slot| slot.set_recalled(false));
        }
    }
}

impl ClosesHungUp for EndpointCache {
    fn idle_limit(&self) -> Option<Duration> {
        self.settings.idle_limit
    }

    fn close_idle(&self) {
        let closed = self.close_unused(self.settings.idle_limit);
        if closed > 0 {
            tracing::debug!(endpoint = %self.endpoint, closed, "idle connections to a server are closed");
        }
    }

    fn close_hung_up(&self, connection: &Arc<HungUp>) {
        if let Some(pending) = self.pending.take_hung_up() {
            tracing::debug!(endpoint = %self.endpoint, "a server has hung up");
            return pending.close_hung_up();
        }
        let (gone, multiplexed): (Vec<Box<ExclusiveConnection>>, Vec<Arc<MultiplexedConnection>>);
        {
            let mut state = self.state();
            let mut found = self.take_hung_up(&mut state);
            if found.is_empty() && self.multiplexed.is_none() {
                // A call uses it. It ends when the call returns it to the cache, unless it has just done so.
                state.hung_up.push(Arc::downgrade(connection));
                self.slots.iter().for_each(|slot| slot.set_recalled(true));
                found = self.take_hung_up(&mut state);
            }
            multiplexed = self
                .multiplexed
                .as_ref()
                .map(MultiplexedConnections::take_hung_up)
                .unwrap_or_default();
            state.open -= found.len() + multiplexed.len();
            gone = found;
            let next = state.waiting.next_caller();
            drop(state);
            next.wake();
        }
        tracing::debug!(endpoint = %self.endpoint, "a server has hung up");
        drop(gone);
        multiplexed.iter().for_each(|connection| connection.close_hung_up());
    }
}
