//! The order in which callers that wait for a connection get one.

use std::collections::VecDeque;
use std::sync::Arc;

use zorb_os::lock::{Condition, Locked};
use zorb_os::priority;

use super::wait_limit::WaitLimit;

/// The callers that wait for a connection: by the priorities that their threads have set, and among equals first
/// come, first served. It is part of the state that the callers wait for, and behind its lock.
#[derive(Debug, Default)]
pub(super) struct WaitQueue(VecDeque<Arc<Ticket>>);

/// The position of a caller in the queue.
#[derive(Debug)]
pub(super) struct Ticket {
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
    pub(super) fn is_next(&self, ticket: Option<&Arc<Ticket>>) -> bool {
        self.0.front().is_none_or(|first| ticket.is_some_and(|ticket| Arc::ptr_eq(ticket, first)))
    }

    /// Adds the calling thread.
    pub(super) fn join(&mut self) -> Arc<Ticket> {
        self.join_with(priority::last_set())
    }

    fn join_with(&mut self, priority: u8) -> Arc<Ticket> {
        let ticket = Arc::new(Ticket { priority, wake: Condition::new() });
        let behind = self.0.partition_point(|other| other.priority >= priority);
        self.0.insert(behind, Arc::clone(&ticket));
        ticket
    }

    /// Removes a caller, and wakes the next: there may be more than one connection.
    pub(super) fn leave(&mut self, ticket: &Arc<Ticket>) {
        self.0.retain(|other| !Arc::ptr_eq(other, ticket));
        self.wake_next();
    }

    /// Wakes the next caller.
    pub(super) fn wake_next(&self) {
        if let Some(first) = self.0.front() {
            first.wake.notify_one();
        }
    }

    /// Wakes all callers.
    pub(super) fn wake_all(&self) {
        self.0.iter().for_each(|ticket| ticket.wake.notify_one());
    }
}

impl Ticket {
    /// Waits until the caller is woken, or until the limit.
    pub(super) fn wait<'s, T>(&self, state: Locked<'s, T>, limit: &WaitLimit) -> Locked<'s, T> {
        match limit.left() {
            None => self.wake.wait(state),
            Some(left) => self.wake.wait_for(state, left),
        }
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
}
