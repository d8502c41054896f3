//! Which connection makes room for another one.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Connections, SlotKey};
use crate::progress::Progress;
use crate::steady_events::{Event, record};

/// A connection that may be closed to make room for another one.
pub trait Evictable {
    /// A time.
    type Time: Ord;

    /// Its messages.
    fn progress(&self) -> &Progress;

    /// Whether it closes already: then it makes room for no further one, unless its client does not read.
    fn is_closing(&self) -> bool;

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
    /// Puts a connection into its reserved slot: it begins, later than any other one was used.
    pub fn put(&self, slot: SlotKey, connection: &Arc<C>) {
        connection.progress().begin(self.next_use());
        if let Some(slot) = self.slots.get(slot.index()) {
            slot.connection.store(Some(Arc::clone(connection)));
            record(Event::TableWritten);
        }
    }

    /// The number of a beginning or a search, higher than all before.
    fn next_use(&self) -> u64 {
        self.uses.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The connection, among those for which `is_meant`, that is to make room for another one: an idle one, else one whose
    /// client does not read.
    pub fn to_evict(&self, is_meant: impl Fn(&C) -> bool) -> Option<Evicted<C>> {
        let now = self.next_use();
        let is_one = |connection: &C| !connection.is_closing() && is_meant(connection);
        let idle = self.first_by(|connection| {
            // Asked of all connections: it is exact only then.
            let last_used = connection.progress().last_used(now);
            (connection.is_idle() && is_one(connection)).then_some(last_used)
        });
        // Also one that closes: it does not end before its client has read.
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
        shares: &Shares,
        is_meant: impl Fn(&C) -> bool,
    ) -> Option<(usize, Arc<C>)> {
        let now = self.next_use();
        let found = self.first_by(|connection| {
            let last_used = connection.progress().last_used(now);
            let is_one = connection.is_held() && !connection.is_closing() && is_meant(connection);
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
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::connections::ConnectionLimits;

    #[derive(Default)]
    struct Connection {
        peer: Option<IpAddr>,
        progress: Progress,
        /// Otherwise its requests are all held.
        is_idle: bool,
        is_closing: AtomicBool,
        /// Since when its client does not read.
        unread_since: Option<u64>,
    }

    impl Evictable for Connection {
        type Time = u64;

        fn progress(&self) -> &Progress {
            &self.progress
        }

        fn is_closing(&self) -> bool {
            self.is_closing.load(Ordering::Relaxed)
        }

        fn is_idle(&self) -> bool {
            self.is_idle
        }

        fn is_held(&self) -> bool {
            !self.is_idle
        }

        fn unread_since(&self) -> Option<u64> {
            self.unread_since
        }

        fn peer(&self) -> Option<IpAddr> {
            self.peer
        }
    }

    fn address(last: u8) -> Option<IpAddr> {
        (last > 0).then(|| Ipv4Addr::new(10, 0, 0, last).into())
    }

    /// A table of connections from these addresses, longest waiting first. 0 is a local peer.
    fn table(peers: &[u8]) -> Connections<Connection> {
        let connections = Connections::new(ConnectionLimits { total: 16, per_peer: 16 });
        for peer in peers.iter().map(|last| address(*last)) {
            put(&connections, Connection { peer, ..Connection::default() });
        }
        connections
    }

    fn put(connections: &Connections<Connection>, connection: Connection) -> Arc<Connection> {
        let reserved = connections.reserve(connection.peer).unwrap();
        let connection = Arc::new(connection);
        connections.put(reserved.slot, &connection);
        connection
    }

    /// The number of the connection that makes room for a newcomer.
    fn evicted(connections: &Connections<Connection>, newcomer: Newcomer) -> Option<u64> {
        if let Newcomer::From(peer) = newcomer {
            connections.reserve(peer).unwrap();
        }
        let shares = Shares::new(newcomer).with(connections);
        let evicted = connections.held_to_evict(&shares, |_| true);
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
        let evicted = [&one, &other].map(|lane| lane.held_to_evict(&shares, |_| true));
        let counts = evicted.map(|evicted| evicted.map(|(count, it)| (count, it.peer)));
        assert_eq!(counts, [Some((3, address(2))); 2]);
    }

    #[test]
    fn the_one_that_was_used_least_recently_makes_room() {
        let connections = table(&[]);
        let idle = || put(&connections, Connection { is_idle: true, ..Connection::default() });
        let evicted = || match connections.to_evict(|_| true) {
            Some(Evicted::Idle(connection)) => Some(connection),
            _ => None,
        };
        let is = |connection: &Arc<Connection>| {
            evicted().is_some_and(|evicted| Arc::ptr_eq(&evicted, connection))
        };
        let [first, second] = [idle(), idle()];
        first.progress.count_message();
        assert!(is(&second), "the first one has been used since the second one began");
        let third = idle();
        second.progress.count_message();
        assert!(is(&first), "that was before the third one began");
        // Which makes room for one only.
        first.is_closing.store(true, Ordering::Relaxed);
        assert!(is(&third));
        third.is_closing.store(true, Ordering::Relaxed);
        assert!(is(&second));
        second.is_closing.store(true, Ordering::Relaxed);
        assert!(evicted().is_none());
    }

    /// It does not end by itself before its client has read.
    #[test]
    fn one_that_closes_makes_room_if_its_client_does_not_read() {
        let connections = table(&[]);
        let closing = Connection { unread_since: Some(1), is_idle: true, ..Connection::default() };
        closing.is_closing.store(true, Ordering::Relaxed);
        let closing = put(&connections, closing);
        let Some(Evicted::Unread(evicted)) = connections.to_evict(|_| true) else {
            panic!("none makes room");
        };
        assert!(Arc::ptr_eq(&evicted, &closing));
    }

    #[test]
    fn one_that_closes_is_not_counted_as_held() {
        let connections = table(&[1, 1]);
        let closing = connections.all().remove(0);
        closing.is_closing.store(true, Ordering::Relaxed);
        assert_eq!(evicted(&connections, Newcomer::Process), Some(2));
    }
}
