//! The addresses that the peer of a connection may be called at over it.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};

use zorb_giop::{ListenPoints, MAX_LISTEN_POINTS};

use crate::Endpoint;

/// The number of claims of the process.
static CLAIMS: AtomicU64 = AtomicU64::new(0);

/// The listen points of a peer. Only those at its own IP address count: otherwise it would get the calls for others.
#[derive(Debug)]
pub(super) struct Claims {
    /// The address that the connection comes from.
    peer: Option<IpAddr>,
    /// Ports, and how many claims of the process were older.
    ports: Vec<(u16, u64)>,
}

impl Claims {
    /// None yet. `peer` is the peer as its stream names it.
    pub(super) fn of(peer: &str) -> Self {
        let peer = peer.parse().ok().map(|peer: SocketAddr| peer.ip().to_canonical());
        Self { peer, ports: Vec::new() }
    }

    /// Adds the listen points at the peer's address. Those beyond [`MAX_LISTEN_POINTS`] have no effect.
    pub(super) fn add(&mut self, ListenPoints(points): &ListenPoints) {
        for (host, port) in points {
            let address = host.parse().ok().map(|address: IpAddr| address.to_canonical());
            let is_own = address.is_some() && address == self.peer;
            let is_known = || self.ports.iter().any(|(known, _)| known == port);
            if is_own && self.ports.len() < MAX_LISTEN_POINTS && !is_known() {
                self.ports.push((*port, CLAIMS.fetch_add(1, Ordering::Relaxed)));
            }
        }
    }

    /// The number of the peer's claim to listen there: the smaller, the older. `None` if it has none.
    pub(super) fn at(&self, (address, port): (IpAddr, u16)) -> Option<u64> {
        let mut claims = self.ports.iter().filter(|_| self.peer == Some(address));
        claims.find(|(known, _)| *known == port).map(|(_, number)| *number)
    }
}

/// The IP address and port of an endpoint of TCP; `None` if its host is a name.
pub(super) fn address_of(endpoint: &Endpoint) -> Option<(IpAddr, u16)> {
    let address: SocketAddr = endpoint.address().parse().ok()?;
    Some((address.ip().to_canonical(), address.port()))
}

/// The host, as in profiles, and the port of an endpoint of TCP.
pub(super) fn listen_point(endpoint: &Endpoint) -> Option<(String, u16)> {
    let (host, port) = endpoint.address().rsplit_once(':')?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    Some((host.to_owned(), port.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> (IpAddr, u16) {
        address_of(&Endpoint::new("iiop", address).unwrap()).unwrap()
    }

    fn points(points: &[(&str, u16)]) -> ListenPoints {
        ListenPoints(points.iter().map(|(host, port)| ((*host).to_owned(), *port)).collect())
    }

    #[test]
    fn a_peer_claims_only_its_own_address() {
        let mut claims = Claims::of("192.0.2.7:40122");
        let hosts = ["192.0.2.7", "192.0.2.8", "127.0.0.1", "0.0.0.0", "localhost", "", "::"];
        claims.add(&points(&hosts.map(|host| (host, 2809))));
        assert!(claims.at(at("192.0.2.7:2809")).is_some());
        for other in
            ["192.0.2.7:2810", "192.0.2.8:2809", "127.0.0.1:2809", "0.0.0.0:2809", "[::]:2809"]
        {
            assert!(claims.at(at(other)).is_none(), "{other}");
        }
        assert_eq!(claims.ports.len(), 1);
    }

    #[test]
    fn addresses_have_one_form() {
        let mut claims = Claims::of("[::ffff:192.0.2.7]:40122");
        claims.add(&points(&[("::ffff:192.0.2.7", 1), ("192.0.2.7", 2)]));
        assert!(
            claims.at(at("192.0.2.7:1")).is_some()
                && claims.at(at("[::ffff:192.0.2.7]:2")).is_some()
        );
    }

    #[test]
    fn a_peer_without_an_address_claims_nothing() {
        let mut claims = Claims::of("a socket");
        claims.add(&points(&[("127.0.0.1", 1), ("a socket", 1), ("", 1)]));
        assert_eq!(claims.ports.len(), 0);
    }

    #[test]
    fn the_number_of_claims_is_limited() {
        let mut claims = Claims::of("192.0.2.7:40122");
        for port in 0..1000 {
            claims.add(&points(&[("192.0.2.7", port)]));
        }
        assert_eq!(claims.ports.len(), MAX_LISTEN_POINTS);
        assert!(claims.at(at("192.0.2.7:63")).is_some() && claims.at(at("192.0.2.7:64")).is_none());
    }

    #[test]
    fn endpoints_are_listen_points_without_brackets() {
        let point = |address| listen_point(&Endpoint::new("iiop", address).unwrap()).unwrap();
        assert_eq!(point("[::1]:9"), ("::1".to_owned(), 9));
        assert_eq!(point("host.example:2809"), ("host.example".to_owned(), 2809));
    }
}
