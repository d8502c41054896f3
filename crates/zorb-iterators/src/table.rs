//! The iterators of a service, by the time of their last use.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use zorb_os::random;

/// Whose an iterator is: the clients at an IP address, or those of this machine and process.
pub(super) type Peer = Option<IpAddr>;

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
    /// Those of each peer, in the same order.
    by_peer: HashMap<Peer, BTreeMap<u64, u64>>,
    /// The peers, the one with most iterators last.
    by_count: BTreeSet<(usize, Peer)>,
}

#[derive(Clone, Copy, Debug)]
struct Used {
    number: u64,
    at: Instant,
    peer: Peer,
}

impl<C> Table<C> {
    pub(super) fn new(limit: usize, lifetime: Duration) -> Self {
        Self {
            limit: limit.max(1),
            lifetime,
            uses: 0,
            cursors: HashMap::new(),
            order: BTreeMap::new(),
            by_peer: HashMap::new(),
            by_count: BTreeSet::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.cursors.len()
    }

    /// Adds an iterator of a peer. Those that have expired end. If there are as many as may be, so does one of the peer that
    /// has most, the one not used for longest: whoever creates many ends its own.
    pub(super) fn add(&mut self, cursor: C, peer: Peer, now: Instant) -> u64 {
        self.expire(now);
        while self.cursors.len() >= self.limit {
            let most = self.by_count.last().and_then(|(_, peer)| self.by_peer.get(peer));
            let Some(oldest) = most.and_then(|of_peer| of_peer.first_key_value()) else { break };
            let id = *oldest.1;
            self.remove(id);
        }
        // Random, so that other clients cannot guess it.
        let id = random::number();
        self.uses += 1;
        let used = Used { number: self.uses, at: now, peer };
        self.cursors.insert(id, (cursor, used));
        self.order.insert(used.number, id);
        self.change(peer, |of_peer| of_peer.insert(used.number, id));
        id
    }

    /// The iterator `id`, which is being used.
    pub(super) fn get(&mut self, id: u64, now: Instant) -> Option<&mut C> {
        self.expire(now);
        let (cursor, used) = self.cursors.get_mut(&id)?;
        self.uses += 1;
        let before = std::mem::replace(&mut used.number, self.uses);
        used.at = now;
        self.order.remove(&before);
        self.order.insert(used.number, id);
        if let Some(of_peer) = self.by_peer.get_mut(&used.peer) {
            of_peer.remove(&before);
            of_peer.insert(used.number, id);
        }
        Some(cursor)
    }

    /// Ends an iterator; `false` if there is none.
    pub(super) fn remove(&mut self, id: u64) -> bool {
        let Some((_, used)) = self.cursors.remove(&id) else { return false };
        self.order.remove(&used.number);
        self.change(used.peer, |of_peer| of_peer.remove(&used.number));
        true
    }

    fn expire(&mut self, now: Instant) {
        while let Some((_, oldest)) = self.order.first_key_value() {
            let id = *oldest;
            let used = self.cursors.get(&id).map(|(_, used)| used.at);
            if used.is_some_and(|used| now.saturating_duration_since(used) < self.lifetime) {
                return;
            }
            self.remove(id);
        }
    }

    /// Changes the iterators of a peer.
    fn change(&mut self, peer: Peer, change: impl FnOnce(&mut BTreeMap<u64, u64>) -> Option<u64>) {
        let of_peer = self.by_peer.entry(peer).or_default();
        self.by_count.remove(&(of_peer.len(), peer));
        change(of_peer);
        match of_peer.len() {
            0 => drop(self.by_peer.remove(&peer)),
            count => drop(self.by_count.insert((count, peer))),
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
        let ids: Vec<u64> = (0..3).map(|context| table.add(context, None, now)).collect();
        table.get(ids[0], now).unwrap();
        let fourth = table.add(3, None, now);
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
        let (first, second) = (table.add(0, None, now), table.add(1, None, now));
        let later = now + minute / 2;
        table.get(first, later).unwrap();
        assert_eq!(table.get(second, now + minute), None);
        assert!(table.get(first, now + minute).is_some());
        assert_eq!(table.get(first, now + minute * 3), None);
        assert_eq!((table.len(), table.order.len()), (0, 0));
        assert!(table.by_peer.is_empty() && table.by_count.is_empty());
    }

    /// Otherwise a client ends the iterators of others by creating many.
    #[test]
    fn the_peer_with_most_loses_one() {
        let now = Instant::now();
        let peer = |last: u8| Some(IpAddr::from([192, 0, 2, last]));
        let mut table = Table::new(4, Duration::from_secs(60));
        let mine = table.add(0, peer(1), now);
        let first = table.add(1, peer(2), now);
        for context in 2..1000 {
            table.add(context, peer(2), now);
        }
        assert!(table.get(mine, now).is_some() && table.get(first, now).is_none());
        let second = table.add(1000, peer(1), now);
        assert!(table.get(mine, now).is_some() && table.get(second, now).is_some());
        // Both have half now.
        let third = table.add(1001, None, now);
        assert_eq!(table.len(), 4);
        assert!(table.get(third, now).is_some());
        let counts: usize = table.by_count.iter().map(|(count, _)| count).sum();
        assert_eq!((counts, table.order.len()), (4, 4));
    }

    #[test]
    fn many_iterators_leave_as_many_as_the_limit() {
        let now = Instant::now();
        let mut table = Table::new(1_000, Duration::from_secs(60));
        let last = (0..100_000).map(|context| table.add(context, None, now)).last();
        assert_eq!((table.len(), table.order.len()), (1_000, 1_000));
        assert!(table.remove(last.unwrap()));
        assert!(!table.remove(last.unwrap()));
        assert_eq!((table.len(), table.order.len()), (999, 999));
    }
}
