//! How many requests for connections a server's socket handles in a time.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

use super::settings::Micros;

/// Requests of one peer per second on average, and at once.
const OF_PEER: Micros = 256;
/// Those of all peers.
const OF_ALL: Micros = 1024;
/// The number of rates of peers.
const SLOTS: usize = 1024;
/// Rates are per second.
const SECOND: Micros = 1_000_000;

/// The rates of the requests for connections: of all peers together, and of each. Handling one takes far longer than
/// receiving it, so that a flood would delay the established connections of the socket.
///
/// Requests beyond a rate are lost. Clients repeat theirs.
#[derive(Debug)]
pub(super) struct OpeningRates {
    all: Rate,
    /// By the hash of the peer's address, so that a flood from many addresses takes no more memory. Peers with the same
    /// hash have one rate; nobody knows which these are.
    by_peer: Box<[Rate]>,
    hashes: RandomState,
}

impl Default for OpeningRates {
    fn default() -> Self {
        let by_peer = vec![Rate::default(); SLOTS].into_boxed_slice();
        Self { all: Rate::default(), by_peer, hashes: RandomState::new() }
    }
}

impl OpeningRates {
    /// Counts a request of this peer that arrives now, if both rates permit it.
    pub(super) fn take(&mut self, peer: IpAddr, now: Micros) -> bool {
        let slot = self.hashes.hash_one(peer) % SLOTS as u64;
        let Some(of_peer) = usize::try_from(slot).ok().and_then(|slot| self.by_peer.get_mut(slot))
        else {
            return false;
        };
        // A peer that exceeds its own rate takes nothing from others.
        of_peer.permits(now) && self.all.take(OF_ALL, now) && of_peer.take(OF_PEER, now)
    }
}

/// A token bucket that holds the tokens of a second, as the time at which it is full.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    full: Micros,
}

impl Rate {
    fn permits(self, now: Micros) -> bool {
        self.full < now.saturating_add(SECOND)
    }

    fn take(&mut self, per_second: Micros, now: Micros) -> bool {
        let permits = self.permits(now);
        if permits {
            self.full = self.full.max(now) + SECOND / per_second;
        }
        permits
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn peer(number: u32) -> IpAddr {
        Ipv4Addr::from(0x0a00_0000 + number).into()
    }

    /// Two peers with rates of their own.
    fn two(rates: &OpeningRates) -> [IpAddr; 2] {
        let slot = |number| rates.hashes.hash_one(peer(number)) % SLOTS as u64;
        let other = (2..).find(|&number| slot(number) != slot(1));
        [1, other.unwrap()].map(peer)
    }

    #[test]
    fn a_flood_from_one_address_is_limited_and_leaves_requests_for_others() {
        let mut rates = OpeningRates::default();
        let [hostile, other] = two(&rates);
        // 9,000 requests a second for ten seconds, and one a second of another peer.
        let mut handled = 0;
        for number in 0..90_000 {
            let now = 1 + number * SECOND / 9000;
            handled += u64::from(rates.take(hostile, now));
            if number % 9000 == 8999 {
                assert!(rates.take(other, now), "request {number}");
            }
        }
        assert!((10 * OF_PEER..=11 * OF_PEER + 11).contains(&handled), "{handled}");
    }

    #[test]
    fn a_flood_from_many_addresses_is_limited() {
        let mut rates = OpeningRates::default();
        let mut handled = 0;
        for number in 0..90_000 {
            let now = 1 + Micros::from(number) * SECOND / 9000;
            handled += u64::from(rates.take(peer(number), now));
        }
        assert!((10 * OF_ALL..=12 * OF_ALL).contains(&handled), "{handled}");
        assert_eq!(rates.by_peer.len(), SLOTS);
    }

    #[test]
    fn as_many_as_in_a_second_may_come_at_once() {
        let mut rates = OpeningRates::default();
        for begun in [1, 7 * SECOND] {
            let at_once = (0..1000).filter(|_| rates.take(peer(1), begun)).count() as Micros;
            assert!((OF_PEER..=OF_PEER + 1).contains(&at_once), "{at_once}");
        }
    }
}
