//! The queues of one policy: which there are, and who opens one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_os::lock::{Condition, Lock, Locked};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::Outbox;
use crate::client::call::Call;
use crate::client::oneway_queue::OnewayQueue;
use crate::client::pool::{EndpointPool, NoConnection};
use crate::client::reach::{fitting, unreachable};
use crate::client::route::{Route, Routes};
use crate::flow::FlowCounts;
use crate::object::ObjectRef;
use crate::orb::OrbCore;
use crate::serving::about_to_block;

/// The queues of one policy, one for each endpoint pool.
#[derive(Debug, Default)]
pub(crate) struct Outboxes {
    places: Lock<Vec<Arc<Place>>>,
    /// What has become of the calls of those that have ended.
    before: Lock<FlowCounts>,
}

/// Where the queue of an endpoint pool is. Connecting takes a while, so whoever does holds no lock
/// meanwhile: only those wait whose calls go to the same endpoint.
#[derive(Debug)]
struct Place {
    pool: Arc<EndpointPool>,
    state: Lock<State>,
    opened: Condition,
}

#[derive(Debug, Default)]
struct State {
    outbox: Option<Arc<Outbox>>,
    /// Whether a thread is about to connect.
    opening: bool,
}

impl Outboxes {
    /// The queue of the first route that fits the call and connects.
    pub(super) fn reach<'t>(
        &self,
        policy: &OnewayQueue,
        object: &ObjectRef,
        routes: &'t Routes,
        call: &Call<'_>,
    ) -> Result<(&'t Route, Arc<Outbox>), SystemException> {
        let core = object.core();
        let mut failure = None;
        for route in fitting(routes, call.info)? {
            match self.reach_place(&self.place(&route.pool), policy, core, call)? {
                Ok(outbox) => return Ok((route, outbox)),
                Err(NoConnection::Unreachable(error)) => failure = Some(error),
                Err(NoConnection::Closed) => return Err(core.shut_down()),
                Err(NoConnection::Busy) => {
                    let code = minor::no_resources::THREADS;
                    return Err(SystemException::no_resources(code, CompletionStatus::No));
                }
            }
        }
        Err(unreachable(object, routes, failure))
    }

    /// The place for the queue of a pool. Those of queues that have ended are given up when a new one
    /// is made.
    fn place(&self, pool: &Arc<EndpointPool>) -> Arc<Place> {
        let mut places = self.places.lock();
        if let Some(known) = places.iter().find(|place| Arc::ptr_eq(&place.pool, pool)) {
            return Arc::clone(known);
        }
        places.retain(|place| {
            let state = place.state.lock();
            let ended = state.outbox.as_ref().filter(|outbox| outbox.is_broken());
            if let Some(ended) = ended {
                self.add(ended.queue.counts());
            }
            ended.is_none()
        });
        let place = Arc::new(Place {
            pool: Arc::clone(pool),
            state: Lock::default(),
            opened: Condition::new(),
        });
        places.push(Arc::clone(&place));
        place
    }

    /// The queue there, after opening it if there is none that calls may be put into.
    fn reach_place(
        &self,
        place: &Place,
        policy: &OnewayQueue,
        core: &Arc<OrbCore>,
        call: &Call<'_>,
    ) -> Result<Result<Arc<Outbox>, NoConnection>, SystemException> {
        let deadline = call.sending().deadline();
        let mut state = place.state.lock();
        loop {
            if state.opening {
                about_to_block();
                state = place.wait(state, deadline)?;
                continue;
            }
            let Some(known) = state.outbox.clone() else { break };
            drop(state);
            if known.is_good() {
                return Ok(Ok(known));
            }
            known.queue.end();
            state = place.state.lock();
            if state.outbox.take_if(|outbox| Arc::ptr_eq(outbox, &known)).is_some() {
                self.add(known.queue.counts());
            }
        }
        state.opening = true;
        drop(state);
        let opened = Outbox::open(
            core,
            &place.pool,
            policy.teller(),
            policy.limits_of(core.options()),
            call,
        );
        let mut state = place.state.lock();
        state.opening = false;
        if let Ok(opened) = &opened {
            state.outbox = Some(Arc::clone(opened));
        }
        place.opened.notify_all();
        Ok(opened)
    }

    fn add(&self, counts: FlowCounts) {
        sum_up(&mut self.before.lock(), counts);
    }

    fn all(&self) -> Vec<Arc<Outbox>> {
        let places = self.places.lock();
        places.iter().filter_map(|place| place.state.lock().outbox.clone()).collect()
    }

    pub(crate) fn waiting(&self) -> (usize, usize) {
        let all = self.all();
        let each = all.iter().map(|outbox| outbox.queue.waiting());
        each.fold((0, 0), |sum, more| (sum.0 + more.0, sum.1.saturating_add(more.1)))
    }

    pub(crate) fn counts(&self) -> FlowCounts {
        let all = self.all();
        let mut sum = *self.before.lock();
        all.iter().for_each(|outbox| sum_up(&mut sum, outbox.queue.counts()));
        sum
    }

    pub(crate) fn flush(&self, limit: Duration) -> bool {
        let end = Instant::now().checked_add(limit);
        let left = || end.map_or(limit, |end| end.saturating_duration_since(Instant::now()));
        self.all().iter().all(|outbox| outbox.queue.wait_until_done(left()))
    }
}

fn sum_up(sum: &mut FlowCounts, more: FlowCounts) {
    sum.sent += more.sent;
    sum.lost += more.lost;
    sum.refused += more.refused;
}

impl Drop for Outboxes {
    fn drop(&mut self) {
        self.all().iter().for_each(|outbox| outbox.queue.end());
    }
}

impl Place {
    /// Waits for the thread that connects, for no longer than the call may.
    fn wait<'s>(
        &self,
        state: Locked<'s, State>,
        deadline: Option<Instant>,
    ) -> Result<Locked<'s, State>, SystemException> {
        let Some(deadline) = deadline else { return Ok(self.opened.wait(state)) };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(SystemException::timeout(minor::timeout::CONNECT, CompletionStatus::No));
        }
        Ok(self.opened.wait_for(state, left))
    }
}
