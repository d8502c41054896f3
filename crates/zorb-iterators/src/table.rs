//! The iterators of a service, by the time of their last use.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use zorb_os::random;

/// A limited number of iterators, each with a cursor. It does not read the clock.
#[derive(Debug)]
pub(super) struct Table<C> {
    limit: usize,
    lifetime: Duration,
    /// The number of uses so far.
    uses: u64,
    cursors: HashMap<u64, (C, Used)>,
    /// The iterators, the one not used for longest first.
    order: BTreeMap<u64, u64>,
}

#[derive(Debug)]
struct Used {
    number: u64,
    at: Instant,
}

impl<C> Table<C> {
    pub(super) fn new(limit: usize, lifetime: Duration) -> Self {
        Self {
            limit: limit.max(1),
            lifetime,
            uses: 0,
            cursors: HashMap::new(),
            order: BTreeMap::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.cursors.len()
    }

    /// Adds an iterator; those that have expired, and the ones that exceed the limit, end.
    pub(super) fn add(&mut self, cursor: C, now: Instant) -> u64 {
        self.expire(now);
        while self.cursors.len() >= self.limit {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            self.cursors.remove(&oldest);
        }
        // Random, so that other clients cannot guess it.
        let id = random::number();
        self.uses += 1;
        self.order.insert(self.uses, id);
        self.cursors.insert(id, (cursor, Used { number: self.uses, at: now }));
        id
    }

    /// The iterator `id`, which is being used.
    pub(super) fn get(&mut self, id: u64, now: Instant) -> Option<&mut C> {
        self.expire(now);
        let (cursor, used) = self.cursors.get_mut(&id)?;
        self.order.remove(&used.number);
        self.uses += 1;
        self.order.insert(self.uses, id);
        *used = Used { number: self.uses, at: now };
        Some(cursor)
    }

    /// Ends an iterator; `false` if there is none.
    pub(super) fn remove(&mut self, id: u64) -> bool {
        let removed = self.cursors.remove(&id);
        removed.is_some_and(|(_, used)| self.order.remove(&used.number).is_some())
    }

    fn expire(&mut self, now: Instant) {
        while let Some(oldest) = self.order.first_entry() {
            let used = self.cursors.get(oldest.get()).map(|(_, used)| used.at);
            if used.is_some_and(|used| now.saturating_duration_since(used) < self.lifetime) {
                return;
            }
            let id = oldest.remove();
            self.cursors.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_not_used_for_longest_ends_first() {
        let now = Instant::now();
        let mut table = Table::new(3, Duration::from_secs(60));
        let ids: Vec<u64> = (0..3).map(|context| table.add(context, now)).collect();
        table.get(ids[0], now).unwrap();
        let fourth = table.add(3, now);
        assert_eq!(table.get(ids[1], now), None);
        for id in [ids[0], ids[2], fourth] {
            assert!(table.get(id, now).is_some());
        }
        assert_eq!(table.len(), 3);
    }

    #[test]
    fn unused_iterators_expire() {
        let (now, minute) = (Instant::now(), Duration::from_secs(60));
        let mut table = Table::new(10, minute);
        let (first, second) = (table.add(0, now), table.add(1, now));
        let later = now + minute / 2;
        table.get(first, later).unwrap();
        assert_eq!(table.get(second, now + minute), None);
        assert!(table.get(first, now + minute).is_some());
        assert_eq!(table.get(first, now + minute * 3), None);
        assert_eq!((table.len(), table.order.len()), (0, 0));
    }

    #[test]
    fn a_million_iterators_leave_as_many_as_the_limit() {
        let now = Instant::now();
        let mut table = Table::new(1_000, Duration::from_secs(60));
        let last = (0..1_000_000).map(|context| table.add(context, now)).last();
        assert_eq!((table.len(), table.order.len()), (1_000, 1_000));
        assert!(table.remove(last.unwrap()));
        assert!(!table.remove(last.unwrap()));
        assert_eq!((table.len(), table.order.len()), (999, 999));
    }
}
