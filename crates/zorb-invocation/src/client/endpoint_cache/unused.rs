//! Closing connections that no call uses.

use std::time::Duration;

use zorb_base::connection_count::ConnectionCount;

use super::super::connection::LastReceived;
use super::super::exclusive::ExclusiveConnection;
use super::{CacheState, EndpointCache};

impl EndpointCache {
    /// Closes the connections that no call uses and that their server has closed, or that have been idle for
    /// `limit`; `None` for no limit. Returns their number.
    pub(in crate::client) fn close_unused(&self, limit: Option<Duration>) -> usize {
        let mut unused = Vec::new();
        let mut ended = Vec::new();
        {
            let mut state = self.state();
            self.take_unused(&mut state, limit, &mut unused);
            state.open -= unused.len();
            if let Some(multiplexed) = &self.multiplexed {
                ended = multiplexed.end_unused(limit);
                state.open -= multiplexed.remove_ended();
            }
            let next = state.waiting.next_caller();
            drop(state);
            next.wake();
        }
        ended.extend(self.pending.take_unused(limit));
        unused.iter_mut().for_each(|connection| connection.close());
        ended.iter().for_each(|connection| connection.close());
        let of_lanes: usize = self.per_lane.iter().map(|cache| cache.close_unused(limit)).sum();
        unused.len() + ended.len() + of_lanes
    }

    /// Since when the connection of `count` that no call has used for longest has been idle; `None` if calls use all. Those
    /// of lanes are in caches of their own.
    pub(in crate::client) fn idle_since(
        &self,
        count: &'static ConnectionCount,
    ) -> Option<LastReceived> {
        if let Some(multiplexed) = &self.multiplexed {
            return multiplexed.idle_since(count);
        }
        let mut state = self.state();
        let mut since = self.pending.idle_since(count);
        for slot in &self.slots {
            // A thread whose slot is empty meanwhile looks into it again.
            let other = slot.take_if(|connection| {
                if connection.is_of(count) {
                    since = earlier(since, connection.last_used());
                }
                false
            });
            state.idle.extend(other);
        }
        // While its slot was recalled, a thread may have released its connection without finding it there: wake a waiter.
        state.waiting.wake_next();
        let idle = state.idle.iter().filter(|connection| connection.is_of(count));
        idle.fold(since, |since, idle| earlier(since, idle.last_used()))
    }

    /// Closes a connection of `count` that no call has used since then. Returns whether there was one.
    pub(in crate::client) fn close_idle_since(
        &self,
        count: &'static ConnectionCount,
        since: LastReceived,
    ) -> bool {
        let is_unused = |connection: &ExclusiveConnection| {
            connection.is_of(count)
                && connection.last_used() <= since
                && !connection.stream.is_used_otherwise()
        };
        let mut state = self.state();
        if let Some(multiplexed) = &self.multiplexed {
            let Some(unused) = multiplexed.end_idle(count, since) else { return false };
            state.open -= multiplexed.remove_ended();
            let next = state.waiting.next_caller();
            drop(state);
            next.wake();
            unused.close();
            return true;
        }
        let found = state.idle.iter().position(|connection| is_unused(connection));
        let unused = found
            .map(|at| state.idle.swap_remove(at))
            .or_else(|| self.slots.iter().find_map(|slot| slot.take_if(is_unused)));
        let Some(mut unused) = unused else {
            drop(state);
            let pending = self.pending.take_idle(count, since);
            pending.iter().for_each(|pending| pending.close());
            return pending.is_some();
        };
        state.open -= 1;
        let next = state.waiting.next_caller();
        drop(state);
        next.wake();
        unused.close();
        true
    }

    /// Whether a connection is open, also one of a lane.
    pub(in crate::client) fn has_connections(&self) -> bool {
        let is_open = {
            let state = self.state();
            state.open + state.separate > 0
        };
        is_open
            || self.pending.is_open()
            || self.per_lane.iter().any(|cache| cache.has_connections())
    }

    /// Moves the unused connections to `unused`. A thread whose slot is empty meanwhile waits for the lock, and then
    /// looks into its slot again.
    // Boxed, because slots contain boxes.
    #[allow(clippy::vec_box)]
    fn take_unused(
        &self,
        state: &mut CacheState,
        limit: Option<Duration>,
        unused: &mut Vec<Box<ExclusiveConnection>>,
    ) {
        let is_unused = |connection: &ExclusiveConnection| {
            limit.is_some_and(|limit| connection.last_received.is_older_than(limit))
                && !connection.stream.is_used_otherwise()
                || connection.stream.is_readable()
        };
        let (gone, idle): (Vec<_>, Vec<_>) =
            std::mem::take(&mut state.idle).into_iter().partition(|idle| is_unused(idle));
        state.idle = idle;
        unused.extend(gone);
        unused.extend(self.slots.iter().filter_map(|slot| slot.take_if(is_unused)));
    }
}

fn earlier(known: Option<LastReceived>, other: LastReceived) -> Option<LastReceived> {
    Some(known.map_or(other, |known| known.min(other)))
}
