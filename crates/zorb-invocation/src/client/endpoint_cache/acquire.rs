//! Acquiring exclusive connections for calls, and releasing them.

use std::time::Duration;

use zorb_base::buffers::{trim_inbound, trim_request};
use zorb_base::calling_lane::caller;
use zorb_base::counters::{Count, count};
use zorb_base::upcall_thread::in_upcall;
use zorb_os::lock::Locked;

use super::super::exclusive::ExclusiveConnection;
use super::super::needed_thread::receives;
use super::super::wait_queue::Waiter;
use super::admission::{Admission, wait_for_admission};
use super::exclusive_call::ExclusiveCall;
use super::thread_slot::ThreadSlot;
use super::{CacheState, EndpointCache, NoConnection, Wanted};

impl EndpointCache {
    /// The calling thread's idle connection; `None` if it has none, has to check it first, or callers wait for one.
    #[inline]
    pub(in crate::client) fn acquire_idle(&self) -> Option<ExclusiveCall<'_>> {
        let (cache, slot) = match self.slots.get(caller()) {
            Some(slot) => (self, slot),
            None => self.slot_of_lane()?,
        };
        let mut connection = slot.take()?;
        if !connection.begin_call() || slot.is_recalled() {
            cache.put_back(connection, slot);
            return None;
        }
        Some(ExclusiveCall::new(connection, cache, slot))
    }

    /// The cache and the slot of a thread that calls for a lane, has not called before, or shares its slot.
    #[inline(never)]
    fn slot_of_lane(&self) -> Option<(&Self, &ThreadSlot)> {
        let (cache, thread) = self.for_caller();
        Some((cache, cache.slot(thread)?))
    }

    /// The slot of the thread with this number; `None` if connections are multiplexed.
    pub(super) fn slot(&self, thread: usize) -> Option<&ThreadSlot> {
        // The number of slots is a power of two, or none.
        self.slots.get(thread & self.slots.len().wrapping_sub(1))
    }

    /// A connection for a call: the thread's own, another idle one, a new one, or one that is released before
    /// the deadline. A caller in an upcall gets a new one in excess of the limit, because the calls that it
    /// would wait for may wait for the upcall; so does a waker on a thread that receives.
    #[inline]
    pub(in crate::client) fn acquire(
        &self,
        thread: usize,
        wanted: Wanted<'_>,
    ) -> Result<ExclusiveCall<'_>, NoConnection> {
        // There is one, because connections are exclusive.
        let Some(slot) = self.slot(thread) else { return Err(NoConnection::Busy) };
        let mut idle = slot.take();
        // A thread that releases its connection may not have looked yet whether the slot is recalled: callers that wait
        // come first.
        let connection = match idle.take_if(|it| !slot.is_recalled() && is_usable(it)) {
            Some(connection) => connection,
            None => self.acquire_other(slot, idle, wanted)?,
        };
        Ok(ExclusiveCall::new(connection, self, slot))
    }

    /// A connection for a thread whose slot is empty or has the connection `unchecked`. Threads that wait get one
    /// in the order of the queue; a thread that has just released one goes to its end. A caller that waits for no others
    /// uses its own first: otherwise it would open one in excess of the limit.
    #[cold]
    fn acquire_other(
        &self,
        slot: &ThreadSlot,
        unchecked: Option<Box<ExclusiveConnection>>,
        wanted: Wanted<'_>,
    ) -> Result<Box<ExclusiveConnection>, NoConnection> {
        let mut state = self.state();
        // A thread that closes unused connections may have looked into the slot meanwhile.
        let mut own = unchecked.or_else(|| slot.take());
        let is_unlimited = in_upcall() || receives();
        if !is_unlimited {
            state.idle.extend(own.take());
            // A thread that recalled the slot has not found it there.
            state.waiting.wake_next();
        }
        let mut waiter = Waiter::new(self.wait_limits(wanted));
        let found = loop {
            if state.closed {
                state.idle.extend(own.take());
                break Err(NoConnection::Closed);
            }
            let idle = match waiter.is_next(&state.waiting) {
                true => own.take().or_else(|| state.idle.pop()).or_else(|| self.long_idle()),
                false => own.take(),
            };
            if let Some(connection) = idle {
                // Checking and closing it are system calls, during which the cache is not locked.
                drop(state);
                let usable = Some(connection).take_if(is_usable);
                state = self.state();
                if usable.is_some() {
                    break Ok(usable);
                }
                state.open -= 1;
                state.waiting.wake_next();
                continue;
            }
            let back_off = match self.admission(&mut state, &waiter, wanted, is_unlimited) {
                Ok(Admission::Now) => {
                    state.open += 1;
                    // So that a call allocates nothing when it returns its connection to the cache.
                    let (open, idle) = (state.open, state.idle.len());
                    state.idle.reserve(open.saturating_sub(idle));
                    break Ok(None);
                }
                Ok(Admission::NoneFree) => None,
                Ok(Admission::BackOff(left)) => Some(left),
                Err(reason) => break Err(reason),
            };
            if !waiter.join(&mut state.waiting) || (back_off.is_none() && waiter.is_late()) {
                break Err(NoConnection::Busy);
            }
            state = self.wait(state, &waiter, back_off, wanted);
        };
        if waiter.leave(&mut state.waiting) {
            self.stop_recalling(&mut state);
        }
        match found {
            Ok(Some(connection)) => Ok(connection),
            Ok(None) => {
                let beyond_limit = state.open > self.max_open;
                drop(state);
                let mut connection = self.open(wanted).inspect_err(|_| self.lost_one())?;
                connection.beyond_limit = beyond_limit;
                connection.watched = self.watch(&*connection.stream);
                Ok(connection)
            }
            Err(reason) => {
                drop(state);
                if matches!(reason, NoConnection::Closed) {
                    // Closes the connection `unchecked`, too.
                    self.close();
                }
                Err(reason)
            }
        }
    }

    /// A connection that has been in another thread's slot for long. Threads keep those that they use all the
    /// time.
    fn long_idle(&self) -> Option<Box<ExclusiveConnection>> {
        let is_long_idle = |it: &ExclusiveConnection| !it.last_received.is_recent();
        self.slots.iter().find_map(|slot| slot.take_if(is_long_idle))
    }

    /// Waits until a connection may be released for the caller, or until it may open one.
    fn wait<'s>(
        &self,
        mut state: Locked<'s, CacheState>,
        waiter: &Waiter,
        back_off: Option<Duration>,
        wanted: Wanted<'_>,
    ) -> Locked<'s, CacheState> {
        // From now on threads return them to the cache; one that was released just before is in its slot.
        let idle = self.take_all_idle(&mut state, true);
        let found = !idle.is_empty();
        state.idle.extend(idle);
        if found {
            if waiter.is_next(&state.waiting) {
                return state;
            }
            state.waiting.wake_next();
        }
        count(Count::ThreadSwitches);
        wait_for_admission(state, waiter, back_off, wanted)
    }

    /// Takes a connection back after a call.
    #[inline]
    pub(super) fn release(&self, mut connection: Box<ExclusiveConnection>, slot: &ThreadSlot) {
        connection.used = true;
        connection.machine.finish_all();
        trim_request(&mut connection.outgoing);
        trim_inbound(&mut connection.inbound);
        if connection.discarded || connection.beyond_limit {
            return self.release_unusual(connection, slot);
        }
        self.put_back(connection, slot);
    }

    /// Takes a connection back after a large request, or one that cannot stay in the thread's slot.
    #[cold]
    fn release_unusual(&self, mut connection: Box<ExclusiveConnection>, slot: &ThreadSlot) {
        if let Some(large) = connection.large_request.take() {
            connection.beyond_limit = large.beyond_limit;
        }
        match connection.discarded || connection.beyond_limit {
            true => self.release_to_cache(connection),
            false => self.put_back(connection, slot),
        }
    }

    /// Puts a connection into the thread's slot, unless that is recalled.
    #[inline]
    fn put_back(&self, connection: Box<ExclusiveConnection>, slot: &ThreadSlot) {
        let other = slot.put(connection);
        if other.is_some() || slot.is_recalled() {
            self.empty_slot(slot, other);
        }
    }

    /// Takes `other`, and the connection in a recalled slot, back to the cache.
    #[cold]
    fn empty_slot(&self, slot: &ThreadSlot, other: Option<Box<ExclusiveConnection>>) {
        let recalled = slot.is_recalled().then(|| slot.take()).flatten();
        other.into_iter().chain(recalled).for_each(|connection| self.release_to_cache(connection));
    }

    /// Takes a connection back that cannot stay in the thread's slot. One in excess of the limit is closed, unless
    /// another caller waits for a connection.
    #[cold]
    fn release_to_cache(&self, mut connection: Box<ExclusiveConnection>) {
        if connection.discarded {
            drop(connection);
            return self.lost_one();
        }
        let mut state = self.state();
        if connection.has_hung_up() {
            drop(state);
            drop(connection);
            return self.lost_one();
        }
        let beyond_limit = state.open > self.max_open;
        if state.closed || (beyond_limit && state.waiting.is_empty()) {
            state.open -= 1;
            drop(state);
            connection.close();
            return;
        }
        connection.beyond_limit = beyond_limit;
        state.idle.push(connection);
        let next = state.waiting.next_caller();
        self.stop_recalling(&mut state);
        drop(state);
        next.wake();
    }
}

/// Begins a call over an idle connection; `false` if its server has closed it.
fn is_usable(connection: &mut Box<ExclusiveConnection>) -> bool {
    (connection.begin_call() && !connection.has_hung_up()) || connection.check()
}
