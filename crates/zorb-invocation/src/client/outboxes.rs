//! The queues of one policy.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::orb_core::OrbCore;
use zorb_base::upcall_thread::about_to_block;
use zorb_os::lock::{Condition, Lock, Locked};

use super::endpoint_cache::{EndpointCache, NoConnection};
use super::outbox::{NewOutbox, NoThread, Outbox};
use crate::flow::FlowCounts;

/// The queues of one policy, one for each endpoint cache.
#[derive(Debug, Default)]
pub(crate) struct Outboxes {
    slots: Lock<Vec<Arc<Slot>>>,
    /// The counts of slots that were removed.
    removed: Lock<FlowCounts>,
}

/// The queue of an endpoint cache. A thread that connects holds no lock: only callers of the same endpoint
/// wait for it.
#[derive(Debug)]
struct Slot {
    cache: Arc<EndpointCache>,
    state: Lock<State>,
    opened: Condition,
}

#[derive(Debug, Default)]
struct State {
    outbox: Option<Arc<Outbox>>,
    /// The counts of queues that have ended.
    ended: FlowCounts,
    /// Whether a thread is connecting.
    opening: bool,
}

impl Outboxes {
    /// The slot of a cache. Creating one removes those without a queue.
    fn slot(&self, cache: &Arc<EndpointCache>) -> Arc<Slot> {
        let mut slots = self.slots.lock();
        if let Some(known) = slots.iter().find(|slot| Arc::ptr_eq(&slot.cache, cache)) {
            return Arc::clone(known);
        }
        slots.retain(|slot| {
            // No other thread has the slot, and none can get it while this list is locked.
            let is_used = Arc::strong_count(slot) > 1 || slot.state.lock().outbox.is_some();
            if !is_used {
                sum_up(&mut self.removed.lock(), slot.counts());
            }
            is_used
        });
        let slot = Arc::new(Slot {
            cache: Arc::clone(cache),
            state: Lock::default(),
            opened: Condition::new(),
        });
        slots.push(Arc::clone(&slot));
        slot
    }

    /// The queue of a cache; `new` opens one if none accepts calls. Other threads that open one are waited for until
    /// `deadline`.
    pub(super) fn queue<'n>(
        &self,
        core: &OrbCore,
        cache: &Arc<EndpointCache>,
        deadline: Option<Instant>,
        new: impl FnOnce() -> NewOutbox<'n>,
    ) -> Result<Result<Arc<Outbox>, NoThread>, NoConnection> {
        let slot = self.slot(cache);
        let mut state = slot.state.lock();
        loop {
            if state.opening {
                about_to_block();
                state = slot.wait(state, deadline)?;
                continue;
            }
            let Some(known) = state.outbox.clone() else { break };
            drop(state);
            if known.is_good() {
                return Ok(Ok(known));
            }
            known.queue.messages.end();
            slot.forget(&known);
            state = slot.state.lock();
        }
        state.opening = true;
        drop(state);
        let weak = Arc::downgrade(&slot);
        let on_end = move |ended: &Arc<Outbox>| {
            if let Some(slot) = weak.upgrade() {
                slot.forget(ended);
            }
        };
        let opened = Outbox::open(core, &slot.cache, new(), on_end);
        let mut state = slot.state.lock();
        state.opening = false;
        if let Ok(Ok(opened)) = &opened
            && !opened.is_broken()
        {
            state.outbox = Some(Arc::clone(opened));
        }
        slot.opened.notify_all();
        opened
    }

    fn all(&self) -> Vec<Arc<Outbox>> {
        let slots = self.slots.lock();
        slots.iter().filter_map(|slot| slot.state.lock().outbox.clone()).collect()
    }

    pub(crate) fn waiting(&self) -> (usize, usize) {
        let all = self.all();
        let each = all.iter().map(|outbox| outbox.queue.messages.waiting());
        each.fold((0, 0), |sum, more| (sum.0 + more.0, sum.1.saturating_add(more.1)))
    }

    pub(crate) fn counts(&self) -> FlowCounts {
        let slots = self.slots.lock();
        let mut sum = *self.removed.lock();
        slots.iter().for_each(|slot| sum_up(&mut sum, slot.counts()));
        sum
    }

    pub(crate) fn flush(&self, limit: Duration) -> bool {
        let end = Instant::now().checked_add(limit);
        let left = || end.map_or(limit, |end| end.saturating_duration_since(Instant::now()));
        let all = self.all();
        all.iter().for_each(|outbox| outbox.queue.messages.release());
        let done = all.iter().filter(|outbox| outbox.queue.messages.wait_until_done(left()));
        done.count() == all.len()
    }
}

fn sum_up(sum: &mut FlowCounts, more: FlowCounts) {
    sum.sent += more.sent;
    sum.lost += more.lost;
    sum.refused += more.refused;
}

impl Drop for Outboxes {
    fn drop(&mut self) {
        self.all().iter().for_each(|outbox| outbox.queue.messages.end());
    }
}

impl Slot {
    /// Drops a queue that has ended, with its connection.
    fn forget(&self, outbox: &Arc<Outbox>) {
        let mut state = self.state.lock();
        let forgotten = state.outbox.take_if(|known| Arc::ptr_eq(known, outbox));
        if forgotten.is_some() {
            sum_up(&mut state.ended, outbox.queue.messages.counts());
        }
        drop(state);
    }

    fn counts(&self) -> FlowCounts {
        let state = self.state.lock();
        let mut sum = state.ended;
        if let Some(outbox) = &state.outbox {
            sum_up(&mut sum, outbox.queue.messages.counts());
        }
        sum
    }

    /// Waits for the thread that connects, until the call's deadline.
    fn wait<'s>(
        &self,
        state: Locked<'s, State>,
        deadline: Option<Instant>,
    ) -> Result<Locked<'s, State>, NoConnection> {
        let Some(deadline) = deadline else { return Ok(self.opened.wait(state)) };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(NoConnection::Busy);
        }
        Ok(self.opened.wait_for(state, left))
    }
}
