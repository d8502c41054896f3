//! The share of each peer in the memory for messages.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock, Weak};

use zorb_giop::MessageBudget;
use zorb_os::lock::Lock;

use crate::{Stream, peer_network, process_budget};

/// How many shares there may be before those are looked for that nothing uses any more.
const LEAST: usize = 64;

/// Divides a budget among peers, so that none uses it up: the connections to one IP address have one share, those to
/// local peers together one, and so have the unknown senders of datagrams.
#[derive(Clone, Debug)]
pub struct PeerShares {
    budget: Arc<MessageBudget>,
    /// The octets of a share; 0 for half of the budget.
    limit: usize,
    by_peer: Arc<Lock<ByPeer>>,
}

#[derive(Debug, Default)]
struct ByPeer {
    shares: HashMap<Peer, Weak<MessageBudget>>,
    /// The number of shares at which unused ones are removed.
    remove_at: usize,
}

/// The holder of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Peer {
    Address(IpAddr),
    Local,
    /// All senders of datagrams together: one stream receives the datagrams of all of them.
    Datagrams,
}

impl PeerShares {
    /// Shares of at most `limit` octets of `budget`. If `limit` is 0, a share is half of the budget, and the ORBs that use
    /// that of the process have their shares in common.
    pub fn new(budget: &Arc<MessageBudget>, limit: usize) -> Self {
        static OF_PROCESS: OnceLock<Arc<Lock<ByPeer>>> = OnceLock::new();
        let by_peer = match limit == 0 && Arc::ptr_eq(budget, process_budget()) {
            true => Arc::clone(OF_PROCESS.get_or_init(Arc::default)),
            false => Arc::default(),
        };
        Self { budget: Arc::clone(budget), limit, by_peer }
    }

    /// The account that the messages of a connection are charged to.
    pub fn share(&self, stream: &dyn Stream) -> Arc<MessageBudget> {
        self.share_of(ip_address(stream).map_or(Peer::Local, Peer::Address))
    }

    /// What memory for the connections of local peers is charged to.
    pub fn share_of_local_peers(&self) -> Arc<MessageBudget> {
        self.share_of(Peer::Local)
    }

    /// What the messages of a stream are charged to that receives the datagrams of all peers.
    pub fn share_of_datagrams(&self) -> Arc<MessageBudget> {
        self.share_of(Peer::Datagrams)
    }

    /// What the buffers of a connection to this address are charged to.
    pub(crate) fn share_of_address(&self, address: IpAddr) -> Arc<MessageBudget> {
        self.share_of(Peer::Address(peer_network(address)))
    }

    fn share_of(&self, peer: Peer) -> Arc<MessageBudget> {
        let limit = if self.limit == 0 { self.budget.limit() / 2 } else { self.limit };
        let mut by_peer = self.by_peer.lock();
        if let Some(share) = by_peer.shares.get(&peer).and_then(Weak::upgrade) {
            share.raise_limit(limit);
            return share;
        }
        if by_peer.shares.len() >= by_peer.remove_at.max(LEAST) {
            by_peer.shares.retain(|_, share| share.strong_count() > 0);
            by_peer.remove_at = by_peer.shares.len() * 2;
        }
        let share = Arc::new(MessageBudget::part_of(Arc::clone(&self.budget), limit));
        by_peer.shares.insert(peer, Arc::downgrade(&share));
        share
    }
}

/// The IP address of the peer, if it has one: not over Unix-domain sockets, shared memory, and within the process.
///
/// Of an IPv6 address that is valid beyond its link it is the network, the first 64 bits: a host has all its addresses.
pub fn ip_address(stream: &dyn Stream) -> Option<IpAddr> {
    stream.peer().parse().ok().map(|address: SocketAddr| peer_network(address.ip()))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use zorb_giop::Charge;

    use super::*;

    fn address(last: u32) -> Peer {
        Peer::Address(Ipv4Addr::from(0x0a00_0000 + last).into())
    }

    #[test]
    fn no_peer_uses_more_than_its_share() {
        let budget = Arc::new(MessageBudget::new(100));
        let shares = PeerShares::new(&budget, 0);
        let charge = |peer, octets| {
            let mut charge = Charge::to(shares.share_of(peer));
            charge.set(octets).then_some(charge)
        };
        let hostile: Vec<_> = (0..60).map_while(|_| charge(address(1), 10)).collect();
        assert_eq!((hostile.len(), budget.used()), (5, 50));
        let others = [charge(address(2), 20), charge(Peer::Local, 20), charge(Peer::Local, 10)];
        assert!(others.iter().all(Option::is_some));
        assert!(charge(address(3), 1).is_none(), "the budget is used up");
        drop(hostile);
        assert!(charge(address(1), 50).is_some());
        assert_eq!(budget.used(), 50);
    }

    #[test]
    fn a_share_may_have_a_limit_of_its_own() {
        let budget = Arc::new(MessageBudget::new(100));
        let mut charge = Charge::to(PeerShares::new(&budget, 70).share_of(Peer::Local));
        assert!(!charge.set(71) && charge.set(70));
    }

    #[test]
    fn orbs_that_use_the_budget_of_the_process_have_shares_in_common() {
        let [one, other, own] = [0, 0, 10].map(|limit| PeerShares::new(process_budget(), limit));
        let [one, other, own] = [one, other, own].map(|shares| shares.share_of(address(7)));
        assert!(Arc::ptr_eq(&one, &other) && one.limit() >= process_budget().limit() / 2);
        assert_eq!(own.limit(), 10);
    }

    #[test]
    fn senders_of_datagrams_do_not_use_the_share_of_local_peers() {
        let shares = PeerShares::new(&Arc::new(MessageBudget::new(100)), 0);
        let mut of_senders = Charge::to(shares.share_of_datagrams());
        assert!(of_senders.set(50));
        assert!(!Charge::to(shares.share_of_datagrams()).set(1));
        assert!(Charge::to(shares.share_of(Peer::Local)).set(50));
    }

    #[test]
    fn unused_shares_are_removed() {
        let shares = PeerShares::new(&Arc::new(MessageBudget::new(100)), 0);
        let used: Vec<_> = (0..100).map(|peer| shares.share_of(address(peer))).collect();
        for peer in 100..10_000 {
            let _ = shares.share_of(address(peer));
        }
        let count = shares.by_peer.lock().shares.len();
        assert!((100..=200).contains(&count), "{count}");
        assert!(Arc::ptr_eq(&used[0], &shares.share_of(address(0))));
    }
}
