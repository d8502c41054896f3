//! A queue of ready work.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fmt;

use super::{Refusal, Refused, Urgency};
use crate::{Discipline, Time};

/// Ready work, ordered by a discipline. It has a fixed capacity, allocated at creation: later
/// operations do not allocate.
pub struct ReadyQueue<W> {
    discipline: Discipline,
    capacity: usize,
    /// The sequence number of the latest entry, for FIFO order among equals.
    sequence_number: u64,
    waiting: BinaryHeap<Waiting<W>>,
}

/// A queued entry. The greatest comes first.
struct Waiting<W> {
    /// The key of the discipline: the smaller the earlier.
    key: u64,
    subpriority: u32,
    sequence_number: u64,
    deadline: Time,
    work: W,
}

impl<W> Ord for Waiting<W> {
    fn cmp(&self, other: &Self) -> Ordering {
        let earlier = other.key.cmp(&self.key);
        let higher = self.subpriority.cmp(&other.subpriority);
        earlier.then(higher).then(other.sequence_number.cmp(&self.sequence_number))
    }
}

impl<W> PartialOrd for Waiting<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<W> PartialEq for Waiting<W> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<W> Eq for Waiting<W> {}

impl<W> ReadyQueue<W> {
    /// Creates a queue with this capacity.
    #[must_use]
    pub fn new(discipline: Discipline, capacity: usize) -> Self {
        Self {
            discipline,
            capacity,
            sequence_number: 0,
            waiting: BinaryHeap::with_capacity(capacity),
        }
    }

    /// Adds work.
    ///
    /// # Errors
    /// [`Refusal::Full`], with the work.
    pub fn push(&mut self, urgency: Urgency, work: W) -> Result<(), Refused<W>> {
        if self.waiting.len() >= self.capacity {
            return Err(Refused { why: Refusal::Full, work });
        }
        self.sequence_number += 1;
        let key = match self.discipline {
            Discipline::Static => Time::ZERO,
            Discipline::Deadline => urgency.deadline,
            // All laxities decrease at the same rate, so the order does not change.
            Discipline::Laxity => urgency.deadline - urgency.execution,
        };
        let Urgency { subpriority, deadline, .. } = urgency;
        self.waiting.push(Waiting {
            key: key.as_nanos(),
            subpriority,
            sequence_number: self.sequence_number,
            deadline,
            work,
        });
        Ok(())
    }

    /// Removes the first entry; returns it with its deadline.
    pub fn pop(&mut self) -> Option<(Time, W)> {
        self.waiting.pop().map(|first| (first.deadline, first.work))
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The capacity.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}

impl<W> fmt::Debug for ReadyQueue<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadyQueue")
            .field("discipline", &self.discipline)
            .field("capacity", &self.capacity)
            .field("len", &self.waiting.len())
            .finish_non_exhaustive()
    }
}
