//! What becomes ready when: periodic dispatches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Time;

/// Periodic dispatches, by the times at which they come. The clock is the caller's.
#[derive(Clone, Debug, Default)]
pub struct Timers<T> {
    entries: Vec<Periodic<T>>,
    next: BinaryHeap<Reverse<(Time, usize)>>,
}

#[derive(Clone, Debug)]
struct Periodic<T> {
    period: Time,
    what: T,
}

/// A periodic dispatch that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due<'t, T> {
    /// When it was to come: the arrival that deadlines count from.
    pub arrival: Time,
    /// How many of it were left out, because their whole periods are over.
    pub skipped: u64,
    /// What it is.
    pub what: &'t T,
}

impl<T> Timers<T> {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self { entries: Vec::new(), next: BinaryHeap::new() }
    }

    /// Adds one that comes first at `first`, and again after each `period`, which is at least a
    /// nanosecond.
    pub fn add(&mut self, first: Time, period: Time, what: T) {
        let period = period.max(Time::from_nanos(1));
        self.next.push(Reverse((first, self.entries.len())));
        self.entries.push(Periodic { period, what });
    }

    /// When the next one comes.
    #[must_use]
    pub fn next(&self) -> Option<Time> {
        self.next.peek().map(|Reverse((at, _))| *at)
    }

    /// One that is due at `now`; the earliest, and of those that come together, the one that was
    /// added first. Each comes once, however late it is asked for: those whose next one is due
    /// already are left out, and counted.
    pub fn pop(&mut self, now: Time) -> Option<Due<'_, T>> {
        let mut first = self.next.peek_mut()?;
        let Reverse((at, place)) = *first;
        let entry = self.entries.get(place).filter(|_| at <= now)?;
        let skipped = (now - at).whole(entry.period);
        let arrival = at + entry.period.times(skipped);
        *first = Reverse((arrival + entry.period, place));
        drop(first);
        Some(Due { arrival, skipped, what: &entry.what })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
