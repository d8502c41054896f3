//! Closing a cache with its queues of one-way calls, and taking its idle connections.

use std::sync::{Arc, Weak};

use super::super::exclusive::ExclusiveConnection;
use super::super::multiplexed::{MultiplexedConnection, MultiplexedConnections};
use super::message_queue::{Closing, MessageQueue};
use super::{CacheState, EndpointCache};

impl EndpointCache {
    /// Closes the idle connections now, the others when they are released, and the queues of one-way calls.
    pub(in crate::client) fn close(&self) {
        self.begin_close().finish();
    }

    /// The same without waiting for the queues, which have ended.
    pub(in crate::client) fn begin_close(&self) -> Closing {
        let (idle, multiplexed, waiting) = {
            let mut state = self.state();
            state.closed = true;
            let waiting = state.waiting.all_callers();
            (self.take_all_idle(&mut state, true), self.take_multiplexed(), waiting)
        };
        waiting.wake();
        for mut connection in idle {
            connection.close();
        }
        multiplexed.iter().for_each(|connection| connection.close());
        self.pending.close();
        let queues = std::mem::take(&mut *self.queues.lock());
        let mut closing = Closing::of(queues.iter().filter_map(Weak::upgrade).collect());
        self.per_lane.iter().for_each(|cache| closing.extend(cache.begin_close()));
        closing
    }

    /// Closes the idle connections of a lane that has ended. A later lane may get its number, and this cache.
    pub(in crate::client) fn close_idle(&self) {
        for mut connection in self.take_idle() {
            connection.close();
        }
        let multiplexed = {
            let mut state = self.state();
            let multiplexed = self.take_multiplexed();
            state.open -= multiplexed.len();
            multiplexed
        };
        multiplexed.iter().for_each(|connection| connection.close());
        self.pending.close();
    }

    /// Takes the multiplexed connections; the caller has locked the state, as all who change the list do.
    pub(super) fn take_multiplexed(&self) -> Arc<Vec<Arc<MultiplexedConnection>>> {
        self.multiplexed.as_ref().map(MultiplexedConnections::take).unwrap_or_default()
    }

    /// Makes `queue` close with this cache, or now if the cache has been closed meanwhile.
    pub(in crate::client) fn add_queue(&self, queue: &Arc<MessageQueue>) {
        {
            let mut queues = self.queues.lock();
            queues.retain(|known| known.strong_count() > 0);
            queues.push(Arc::downgrade(queue));
        }
        if self.state().closed {
            Closing::of(vec![Arc::clone(queue)]).finish();
        }
    }

    /// Takes all idle connections; `recall` makes those that are released later go to the cache.
    #[allow(clippy::vec_box)]
    pub(super) fn take_all_idle(
        &self,
        state: &mut CacheState,
        recall: bool,
    ) -> Vec<Box<ExclusiveConnection>> {
        let mut idle = std::mem::take(&mut state.idle);
        for slot in &self.slots {
            if recall {
                slot.set_recalled(true);
            }
            idle.extend(slot.take());
        }
        idle
    }

    /// Drops the idle connections of the caller's lane, or of this cache: the server has closed one, and probably
    /// all.
    #[cold]
    pub(crate) fn drop_idle(&self) {
        let (cache, _) = self.for_caller();
        drop(cache.take_idle());
    }

    /// Takes the idle connections and counts them as closed.
    #[allow(clippy::vec_box)]
    pub(super) fn take_idle(&self) -> Vec<Box<ExclusiveConnection>> {
        let mut state = self.state();
        let idle = self.take_all_idle(&mut state, false);
        state.open -= idle.len();
        let next = state.waiting.next_caller();
        drop(state);
        next.wake();
        idle
    }
}

impl Drop for EndpointCache {
    /// Readers would keep their connections, also those of an ORB that was not shut down.
    fn drop(&mut self) {
        self.take_multiplexed().iter().for_each(|connection| connection.end_reader());
        self.pending.end_reader();
    }
}
