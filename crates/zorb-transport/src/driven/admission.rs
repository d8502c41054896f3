//! How many connections a server's socket has, of each peer too.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_giop::MessageBudget;

use crate::{peer_network, process_budget};

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
#[derive(Debug, Default)]
pub(super) struct Admission {
    by_peer: HashMap<IpAddr, OfPeer>,
    /// Those to unvalidated addresses, oldest first.
    unvalidated: VecDeque<(u64, IpAddr)>,
}

/// The connections of one peer.
#[derive(Debug)]
struct OfPeer {
    count: usize,
    /// What their buffers are charged to: half of the memory for messages.
    share: Arc<MessageBudget>,
}

impl Default for OfPeer {
    fn default() -> Self {
        let whole = process_budget();
        let share = MessageBudget::part_of(Arc::clone(whole), whole.limit() / 2);
        Self { count: 0, share: Arc::new(share) }
    }
}

impl Admission {
    /// What the buffers of a connection to this address, which is about to be [added](Self::add), are charged to.
    pub(super) fn share(&mut self, from: SocketAddr) -> Arc<MessageBudget> {
        Arc::clone(&self.by_peer.entry(peer_network(from.ip())).or_default().share)
    }

    /// Whether there is room for one more connection to this address.
    pub(super) fn has_room(&self, from: SocketAddr) -> bool {
        let of_peer = self.by_peer.get(&peer_network(from.ip())).map_or(0, |it| it.count);
        of_peer < MAX_OF_PEER && CONNECTIONS.load(Ordering::Relaxed) < MAX_CONNECTIONS
    }

    /// Adds a connection whose address is not validated. Returns one that it evicts.
    pub(super) fn add(&mut self, id: u64, from: SocketAddr) -> Option<u64> {
        CONNECTIONS.fetch_add(1, Ordering::Relaxed);
        let peer = peer_network(from.ip());
        self.by_peer.entry(peer).or_default().count += 1;
        let of_peer = self.unvalidated.iter().filter(|(_, other)| *other == peer).count();
        let evicted = if of_peer >= MAX_UNVALIDATED_OF_PEER {
            let oldest = self.unvalidated.iter().position(|(_, other)| *other == peer);
            oldest.and_then(|place| self.unvalidated.remove(place))
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
        if let Some(of_peer) = self.by_peer.get_mut(&peer) {
            CONNECTIONS.fetch_sub(1, Ordering::Relaxed);
            of_peer.count -= 1;
            if of_peer.count == 0 {
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
        let left = self.by_peer.values().map(|it| it.count).sum();
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
        assert_eq!(admission.by_peer[&client(2, 7).ip()].count, MAX_UNVALIDATED_OF_PEER);
        admission.remove(1, client(1, 7));
        assert!(!admission.by_peer.contains_key(&client(1, 7).ip()));
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
