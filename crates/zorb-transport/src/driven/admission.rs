//! How many connections a server's socket has, of each peer too.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_giop::MessageBudget;

use super::rates::OpeningRates;
use super::settings::Micros;
use crate::{PeerShares, peer_network, process_budget};

/// The maximum number of connections to unvalidated addresses; a new one evicts the oldest.
const MAX_UNVALIDATED: usize = 1024;
/// Those of one peer, of which a new one evicts the oldest.
const MAX_UNVALIDATED_OF_PEER: usize = 16;
/// The maximum number of connections of all sockets of the process, those included whose peers have not ended yet.
const MAX_CONNECTIONS: usize = 65_536;
/// Those of one peer at a socket.
const MAX_OF_PEER: usize = 4096;

/// The connections of all servers' sockets of the process.
static CONNECTIONS: AtomicUsize = AtomicUsize::new(0);

/// The connections of a socket, by peer.
#[derive(Debug)]
pub(super) struct Admission {
    /// How many each peer has.
    by_peer: HashMap<IpAddr, usize>,
    /// Those to unvalidated addresses, oldest first.
    unvalidated: VecDeque<(u64, IpAddr)>,
    rates: OpeningRates,
    /// What their buffers are charged to.
    shares: PeerShares,
}

impl Default for Admission {
    fn default() -> Self {
        let (by_peer, unvalidated) = (HashMap::new(), VecDeque::new());
        let shares = PeerShares::new(process_budget(), 0);
        Self { by_peer, unvalidated, rates: OpeningRates::default(), shares }
    }
}

impl Admission {
    /// Whether the request for a connection that arrives now from this address is to be handled, also if it repeats an
    /// earlier one.
    pub(super) fn takes_request(&mut self, from: SocketAddr, now: Micros) -> bool {
        self.rates.take(peer_network(from.ip()), now)
    }

    /// What the buffers of a connection to this address are charged to.
    pub(super) fn share(&self, from: SocketAddr) -> Arc<MessageBudget> {
        self.shares.share_of_address(from.ip())
    }

    /// Whether there is room for one more connection to this address.
    pub(super) fn has_room(&self, from: SocketAddr) -> bool {
        let of_peer = self.by_peer.get(&peer_network(from.ip())).copied().unwrap_or(0);
        of_peer < MAX_OF_PEER && CONNECTIONS.load(Ordering::Relaxed) < MAX_CONNECTIONS
    }

    /// Adds a connection whose address is not validated. Returns one that it evicts.
    pub(super) fn add(&mut self, id: u64, from: SocketAddr) -> Option<u64> {
        CONNECTIONS.fetch_add(1, Ordering::Relaxed);
        let peer = peer_network(from.ip());
        *self.by_peer.entry(peer).or_default() += 1;
        let of_peer = self.unvalidated.iter().filter(|(_, other)| *other == peer).count();
        let evicted = if of_peer >= MAX_UNVALIDATED_OF_PEER {
            let oldest = self.unvalidated.iter().position(|(_, other)| *other == peer);
            oldest.and_then(|index| self.unvalidated.remove(index))
        } else if self.unvalidated.len() >= MAX_UNVALIDATED {
            self.unvalidated.pop_front()
        } else {
            None
        };
        self.unvalidated.push_back((id, peer));
        evicted.map(|(id, _)| id)
    }

    /// The address of this connection is validated.
    pub(super) fn validated(&mut self, id: u64) {
        self.unvalidated.retain(|(unvalidated, _)| *unvalidated != id);
    }

    /// Removes a connection.
    pub(super) fn remove(&mut self, id: u64, from: SocketAddr) {
        self.validated(id);
        let peer = peer_network(from.ip());
        if let Some(count) = self.by_peer.get_mut(&peer) {
            CONNECTIONS.fetch_sub(1, Ordering::Relaxed);
            *count -= 1;
            if *count == 0 {
                self.by_peer.remove(&peer);
            }
        }
    }

    /// Takes the connections whose addresses are not validated.
    pub(super) fn take_unvalidated(&mut self) -> Vec<u64> {
        self.unvalidated.drain(..).map(|(id, _)| id).collect()
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let left = self.by_peer.values().sum();
        CONNECTIONS.fetch_sub(left, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: u32, port: u16) -> SocketAddr {
        SocketAddr::from((std::net::Ipv4Addr::from(0x0a00_0000 + peer), port))
    }

    #[test]
    fn a_flood_from_one_address_evicts_its_own_handshakes() {
        let mut admission = Admission::default();
        assert_eq!(admission.add(1, client(1, 7)), None);
        for id in 2..10_000 {
            let evicted = admission.add(id, client(2, id as u16));
            let oldest = id.checked_sub(MAX_UNVALIDATED_OF_PEER as u64).filter(|id| *id >= 2);
            assert_eq!(evicted, oldest, "of the flood");
            if let Some(id) = evicted {
                admission.remove(id, client(2, id as u16));
            }
        }
        assert!(admission.unvalidated.contains(&(1, client(1, 7).ip())));
        assert_eq!(admission.by_peer[&client(2, 7).ip()], MAX_UNVALIDATED_OF_PEER);
        admission.remove(1, client(1, 7));
        assert!(!admission.by_peer.contains_key(&client(1, 7).ip()));
    }

    #[test]
    fn connections_over_datagrams_have_the_share_of_their_address() {
        let [one, other] = [(); 2].map(|()| Admission::default());
        let share = one.share(client(9, 7));
        assert!(Arc::ptr_eq(&share, &other.share(client(9, 8))));
        assert!(!Arc::ptr_eq(&share, &one.share(client(8, 7))));
        // It grows with the budget of the process, also while it is in use.
        process_budget().raise_limit(process_budget().limit() + 2);
        assert_eq!(one.share(client(9, 7)).limit(), process_budget().limit() / 2);
        assert_eq!(share.limit(), process_budget().limit() / 2);
    }

    #[test]
    fn one_address_leaves_connections_for_others() {
        let mut admission = Admission::default();
        let mut id = 0;
        while admission.has_room(client(1, 7)) {
            id += 1;
            admission.add(id, client(1, 7));
            admission.validated(id);
        }
        assert_eq!(id, MAX_OF_PEER as u64);
        assert!(admission.has_room(client(2, 7)));
        admission.remove(id, client(1, 7));
        assert!(admission.has_room(client(1, 7)));
    }
}
