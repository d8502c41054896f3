//! Which addresses count as one peer.

use std::net::{IpAddr, Ipv6Addr};

/// The address by which limits for each peer count: of an IPv6 address that is valid beyond its link it is the
/// network, the first 64 bits, because a host has all its addresses.
#[must_use]
pub fn peer_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() && !v6.is_unicast_link_local() => {
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_of_an_ipv6_network_are_one_peer() {
        let network = |address: &str| peer_network(address.parse().unwrap());
        let same = |one, other| network(one) == network(other);
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
        assert!(same("fd00:1:2:3::1", "fd00:1:2:3::2"));
        assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(!same("fe80::1", "fe80::2") && !same("::1", "::2"));
        assert!(same("::ffff:10.0.0.1", "10.0.0.1") && !same("10.0.0.1", "10.0.0.2"));
    }
}
