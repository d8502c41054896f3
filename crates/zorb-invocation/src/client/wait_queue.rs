//! The order in which callers that wait for a connection get one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_os::lock::{Condition, Locked};
use zorb_os::priority;

use super::wait_limit::WaitLimit;

/// The callers that wait for a connection: by the priorities that their threads have set, and among equals first
/// come, first served. It is part of the state that the callers wait for, and behind its lock.
#[derive(Debug, Default)]
pub(super) struct WaitQueue(VecDeque<Arc<Ticket>>);

/// The position of a caller in the queue.
#[derive(Debug)]
struct Ticket {
    priority: u8,
    wake: Condition,
}

impl WaitQueue {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a caller with this ticket, or without one, is the next.
    fn is_next(&self, ticket: Option<&Arc<Ticket>>) -> bool {
        self.0.front().is_none_or(|first| ticket.is_some_and(|ticket| Arc::ptr_eq(ticket, first)))
    }

    fn join_with(&mut self, priority: u8) -> Arc<Ticket> {
        let ticket = Arc::new(Ticket { priority, wake: Condition::new() });
        let behind = self.0.partition_point(|other| other.priority >= priority);
        self.0.insert(behind, Arc::clone(&ticket));
        ticket
    }

    /// Removes a caller, and wakes the next: there may be more than one connection.
    fn leave(&mut self, ticket: &Arc<Ticket>) {
        self.0.retain(|other| !Arc::ptr_eq(other, ticket));
        self.wake_next();
    }

    /// Wakes the next caller.
    pub(super) fn wake_next(&self) {
        if let Some(first) = self.0.front() {
            first.wake.notify_one();
        }
    }

    /// The next caller, to [wake](NextCaller::wake) it when the state is unlocked: it locks that at once.
    #[inline]
    pub(super) fn next_caller(&self) -> NextCaller {
        NextCaller(self.0.front().map(Arc::clone))
    }

    /// All callers, to [wake](AllCallers::wake) them when the state is unlocked.
    pub(super) fn all_callers(&self) -> AllCallers {
        AllCallers(self.0.iter().map(Arc::clone).collect())
    }

    /// Wakes all callers.
    pub(super) fn wake_all(&self) {
        self.0.iter().for_each(|ticket| ticket.wake.notify_one());
    }
}

/// The next caller of a queue, if there is one.
#[derive(Debug)]
#[must_use]
pub(super) struct NextCaller(Option<Arc<Ticket>>);

impl NextCaller {
    #[inline]
    pub(super) fn wake(self) {
        if let Some(ticket) = self.0 {
            ticket.wake.notify_one();
        }
    }
}

/// The callers of a queue.
#[derive(Debug)]
#[must_use]
pub(super) struct AllCallers(Vec<Arc<Ticket>>);

impl AllCallers {
    pub(super) fn wake(self) {
        self.0.iter().for_each(|ticket| ticket.wake.notify_one());
    }
}

/// How long a caller waits, and with how many others.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitLimits {
    /// The deadline of the call.
    pub(super) deadline: Option<Instant>,
    /// The maximum number of callers that wait.
    pub(super) max_waiting: usize,
    /// The maximum time to wait; `None` for no limit.
    pub(super) max_wait: Option<Duration>,
}

/// A caller that needs a connection, and waits in the queue when there is none.
#[derive(Debug)]
pub(super) struct Waiter {
    limits: WaitLimits,
    /// Its position and the end of its wait, once it waits.
    waits: Option<(Arc<Ticket>, WaitLimit)>,
}

impl Waiter {
    pub(super) const fn new(limits: WaitLimits) -> Self {
        Self { limits, waits: None }
    }

    /// Whether no other caller comes before it.
    pub(super) fn is_next(&self, queue: &WaitQueue) -> bool {
        queue.is_next(self.waits.as_ref().map(|(ticket, _)| ticket))
    }

    /// Takes its position in the queue, if it has none yet; `false` if too many callers wait.
    pub(super) fn join(&mut self, queue: &mut WaitQueue) -> bool {
        self.join_before_room(queue, 0)
    }

    /// The same if there will be room for `room` of those in the queue.
    pub(super) fn join_before_room(&mut self, queue: &mut WaitQueue, room: usize) -> bool {
        if self.waits.is_none() {
            if queue.0.len() >= self.limits.max_waiting.saturating_add(room) {
                return false;
            }
            let limit = WaitLimit::start(self.limits.deadline, self.limits.max_wait);
            self.waits = Some((queue.join_with(priority::last_set()), limit));
        }
        true
    }

    /// Whether it has waited as long as it may.
    pub(super) fn is_late(&self) -> bool {
        self.waits.as_ref().is_some_and(|(_, limit)| limit.is_over())
    }

    /// Waits until it is woken, or for at most `most`; `None` until its limit. `most` may exceed the limit: a caller that
    /// waits for the next attempt at an endpoint has compared it with its deadline.
    pub(super) fn wait<'s, T>(
        &self,
        state: Locked<'s, T>,
        most: Option<Duration>,
    ) -> Locked<'s, T> {
        let Some((ticket, _)) = &self.waits else { return state };
        match self.left(most) {
            None => ticket.wake.wait(state),
            Some(left) => ticket.wake.wait_for(state, left),
        }
    }

    /// How long it waits; `None` for no limit.
    fn left(&self, most: Option<Duration>) -> Option<Duration> {
        most.or_else(|| self.waits.as_ref().and_then(|(_, limit)| limit.left()))
    }

    /// Leaves the queue; returns whether it was in it.
    pub(super) fn leave(self, queue: &mut WaitQueue) -> bool {
        self.waits.inspect(|(ticket, _)| queue.leave(ticket)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_served_by_priority_and_in_order() {
        let mut queue = WaitQueue::default();
        assert!(queue.is_next(None));
        let tickets = [3, 0, 7, 3, 7, 0].map(|priority| queue.join_with(priority));
        assert!(!queue.is_next(None));
        let mut served = Vec::new();
        while !queue.is_empty() {
            let next = tickets.iter().position(|ticket| queue.is_next(Some(ticket))).unwrap();
            served.push(next);
            queue.leave(&tickets[next]);
        }
        assert_eq!(served, [2, 4, 0, 3, 1, 5]);
    }

    #[test]
    fn waiting_for_the_next_attempt_does_not_end_with_the_wait_for_others() {
        let hour = Duration::from_secs(3600);
        let max_wait = Some(Duration::ZERO);
        let mut waiter = Waiter::new(WaitLimits { deadline: None, max_waiting: 1, max_wait });
        assert!(waiter.join(&mut WaitQueue::default()));
        assert!(waiter.is_late());
        assert_eq!(waiter.left(None), max_wait);
        assert_eq!(waiter.left(Some(hour)), Some(hour));
    }
}
