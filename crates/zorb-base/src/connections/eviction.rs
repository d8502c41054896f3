//! Which connection makes room for another one.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::Connections;
use crate::progress::Progress;

/// A connection that may be closed to make room for another one.
pub trait Evictable {
    /// A time.
    type Time: Ord;

    /// Its messages.
    fn progress(&self) -> &Progress;

    /// Whether no request is in progress.
    fn is_idle(&self) -> bool;

    /// Whether its requests in progress are all held: none runs.
    fn is_held(&self) -> bool {
        false
    }

    /// Since when its client has left replies unread, if it has.
    fn unread_since(&self) -> Option<Self::Time>;

    /// The address of its client, if it has one.
    fn peer(&self) -> Option<IpAddr>;
}

/// The connection to close.
#[derive(Debug)]
pub enum Evicted<C> {
    /// It is idle, for longest.
    Idle(Arc<C>),
    /// Its client has left replies unread for longest.
    Unread(Arc<C>),
}

/// Who needs room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newcomer {
    /// A connection from this address, or a local one, which is counted already.
    From(Option<IpAddr>),
    /// One that is not counted yet.
    Uncounted(Option<IpAddr>),
    /// The process itself, for a connection that it opens.
    Process,
}

/// How many connections each address has, and who needs room. Local peers count as one address.
#[derive(Debug)]
pub struct Shares {
    newcomer: Newcomer,
    counts: HashMap<Option<IpAddr>, usize>,
}

impl Shares {
    /// Without connections but the newcomer, until they are [added](Self::with).
    pub fn new(newcomer: Newcomer) -> Self {
        let mut counts = HashMap::new();
        if let Newcomer::Uncounted(peer) = newcomer {
            counts.insert(peer, 1);
        }
        Self { newcomer, counts }
    }

    /// Adds the connections of a lane.
    #[must_use]
    pub fn with<C>(mut self, connections: &Connections<C>) -> Self {
        connections.add_counts(&mut self.counts);
        self
    }

    /// How many connections an address has, if one of them may close for the newcomer: it has more than the newcomer's
    /// address had before, or is the same.
    fn evictable_count(&self, peer: Option<IpAddr>) -> Option<usize> {
        let count = |peer| self.counts.get(&peer).copied().unwrap_or_default();
        let of_peer = count(peer);
        match self.newcomer {
            Newcomer::From(newcomer) | Newcomer::Uncounted(newcomer)
                if newcomer != peer && of_peer < count(newcomer) =>
            {
                None
            }
            _ => Some(of_peer),
        }
    }
}

impl<C: Evictable> Connections<C> {
    /// The connection, among those for which `is_meant`, that is to make room for another one: an idle one, else one whose
    /// client does not read. `accepted` is the number of connections accepted so far.
    pub fn to_evict(&self, accepted: u64, is_meant: impl Fn(&C) -> bool) -> Option<Evicted<C>> {
        let idle = self.first_by(|connection| {
            // Asked of all connections: the stamp is exact only then.
            let last_used = connection.progress().last_used(accepted);
            (connection.is_idle() && is_meant(connection)).then_some(last_used)
        });
        let unread = || {
            self.first_by(|connection| connection.unread_since().filter(|_| is_meant(connection)))
        };
        idle.map(|(_, idle)| Evicted::Idle(idle))
            .or_else(|| unread().map(|(_, unread)| Evicted::Unread(unread)))
    }

    /// The connection whose requests are all held that is to make room: of those to the address that has most, the one
    /// that has sent no request for longest. Returns the number of connections to its address, too.
    ///
    /// So an address that takes many connections loses its own: whoever waits on few of them keeps these.
    pub fn held_to_evict(
        &self,
        accepted: u64,
        shares: &Shares,
        is_meant: impl Fn(&C) -> bool,
    ) -> Option<(usize, Arc<C>)> {
        let found = self.first_by(|connection| {
            let last_used = connection.progress().last_used(accepted);
            let is_one = connection.is_held() && is_meant(connection);
            let count = shares.evictable_count(connection.peer()).filter(|_| is_one)?;
            Some((Reverse(count), last_used))
        });
        found.map(|((Reverse(count), _), connection)| (count, connection))
    }

    /// The connection with the least key.
    fn first_by<K: Ord>(&self, key: impl Fn(&C) -> Option<K>) -> Option<(K, Arc<C>)> {
        let mut first: Option<(K, Arc<C>)> = None;
        self.each(|connection| {
            if let Some(key) = key(connection)
                && first.as_ref().is_none_or(|(least, _)| key < *least)
            {
                first = Some((key, Arc::clone(connection)));
            }
        });
        first
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::connections::ConnectionLimits;

    /// A connection whose requests are all held.
    struct Waiting {
        peer: Option<IpAddr>,
        progress: Progress,
    }

    impl Evictable for Waiting {
        type Time = u64;

        fn progress(&self) -> &Progress {
            &self.progress
        }

        fn is_idle(&self) -> bool {
            false
        }

        fn is_held(&self) -> bool {
            true
        }

        fn unread_since(&self) -> Option<u64> {
            None
        }

        fn peer(&self) -> Option<IpAddr> {
            self.peer
        }
    }

    fn address(last: u8) -> Option<IpAddr> {
        (last > 0).then(|| Ipv4Addr::new(10, 0, 0, last).into())
    }

    /// A table of connections from these addresses, longest waiting first. 0 is a local peer.
    fn table(peers: &[u8]) -> Connections<Waiting> {
        let connections = Connections::new(ConnectionLimits { total: 16, per_peer: 16 });
        for (accepted, last) in (1..).zip(peers) {
            let peer = address(*last);
            let reserved = connections.reserve(peer).unwrap();
            connections
                .put(reserved.slot, &Arc::new(Waiting { peer, progress: Progress::new(accepted) }));
        }
        connections
    }

    /// The stamp of the connection that makes room for a newcomer.
    fn evicted(connections: &Connections<Waiting>, newcomer: Newcomer) -> Option<u64> {
        if let Newcomer::From(peer) = newcomer {
            connections.reserve(peer).unwrap();
        }
        let shares = Shares::new(newcomer).with(connections);
        let evicted = connections.held_to_evict(100, &shares, |_| true);
        evicted.map(|(_, connection)| connection.progress.last_used(100))
    }

    #[test]
    fn the_address_with_most_connections_makes_room() {
        let from = |last| Newcomer::From(address(last));
        // Whoever waits on one connection keeps it, although it has waited for longest.
        assert_eq!(evicted(&table(&[1, 2, 2, 3, 2]), from(4)), Some(2));
        assert_eq!(evicted(&table(&[1, 2, 2, 3, 2]), Newcomer::Process), Some(2));
        assert_eq!(evicted(&table(&[1, 0, 0]), from(4)), Some(2), "local peers are one");
        // A further connection of that address replaces one of its own.
        assert_eq!(evicted(&table(&[1, 2, 2, 3, 2]), from(2)), Some(2));
        assert_eq!(evicted(&table(&[1, 1, 2, 2]), from(2)), Some(3));
        // Of equals, the newcomer included, that which has waited for longest.
        assert_eq!(evicted(&table(&[1, 2, 2]), from(1)), Some(1));
        assert_eq!(evicted(&table(&[2, 2, 1]), from(1)), Some(1));
        assert_eq!(evicted(&table(&[3, 1, 2]), from(4)), Some(1));
    }

    #[test]
    fn a_newcomer_counts_before_it_has_a_slot() {
        for newcomer in [Newcomer::From, Newcomer::Uncounted] {
            let connections = table(&[1]);
            // This one is in an upcall.
            assert!(connections.reserve(address(2)).is_some());
            assert_eq!(evicted(&connections, newcomer(address(2))), None, "it has one already");
            assert_eq!(evicted(&connections, newcomer(address(3))), Some(1));
        }
    }

    #[test]
    fn an_address_that_has_as_many_as_any_other_that_waits_is_refused() {
        let connections = table(&[1, 2]);
        // These are in upcalls.
        (0..3).for_each(|_| assert!(connections.reserve(address(3)).is_some()));
        assert_eq!(evicted(&connections, Newcomer::From(address(3))), None);
        assert_eq!(evicted(&connections, Newcomer::From(address(4))), Some(1));
    }

    #[test]
    fn the_lanes_of_a_process_count_together() {
        let [one, other] = [table(&[1, 1, 2]), table(&[2, 2])];
        let shares = Shares::new(Newcomer::Process).with(&one).with(&other);
        let evicted = [&one, &other].map(|lane| lane.held_to_evict(100, &shares, |_| true));
        let counts = evicted.map(|evicted| evicted.map(|(count, it)| (count, it.peer)));
        assert_eq!(counts, [Some((3, address(2))); 2]);
    }
}
