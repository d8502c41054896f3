//! Periodic releases.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Time;

/// Periodic releases, ordered by time. The caller provides the clock.
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

/// A periodic release that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due<'t, T> {
    /// Its arrival, which deadlines are relative to.
    pub arrival: Time,
    /// The number of skipped releases, whose whole periods have passed.
    pub skipped: u64,
    /// Its value.
    pub what: &'t T,
}

impl<T> Timers<T> {
    /// Creates timers without entries.
    #[must_use]
    pub fn new() -> Self {
        Self { entries: Vec::new(), next: BinaryHeap::new() }
    }

    /// Adds a periodic entry that is first due at `first`, and again after each `period`, which is
    /// at least a nanosecond.
    pub fn add(&mut self, first: Time, period: Time, what: T) {
        let period = period.max(Time::from_nanos(1));
        self.next.push(Reverse((first, self.entries.len())));
        self.entries.push(Periodic { period, what });
    }

    /// The time of the next release.
    #[must_use]
    pub fn next(&self) -> Option<Time> {
        self.next.peek().map(|Reverse((at, _))| *at)
    }

    /// An entry that is due at `now`: the earliest, and among equals the one added first. Each is
    /// due once, however late this is called: releases whose successor is due too are skipped and
    /// counted.
    pub fn pop(&mut self, now: Time) -> Option<Due<'_, T>> {
        let mut first = self.next.peek_mut()?;
        let Reverse((at, index)) = *first;
        let entry = self.entries.get(index).filter(|_| at <= now)?;
        let skipped = (now - at).whole(entry.period);
        let arrival = at + entry.period.times(skipped);
        *first = Reverse((arrival + entry.period, index));
        drop(first);
        Some(Due { arrival, skipped, what: &entry.what })
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
