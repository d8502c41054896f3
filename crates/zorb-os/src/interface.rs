//! The addresses of the machine's network interfaces.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::sys;

/// An address of a network interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceAddress {
    /// The interface's name: `eth0`.
    pub name: String,
    /// The address.
    pub address: IpAddr,
    /// Whether the interface is up.
    pub is_up: bool,
    /// Whether it is the loopback interface.
    pub is_loopback: bool,
}

impl InterfaceAddress {
    /// Whether another machine may be able to reach it: the interface is up and not the loopback
    /// interface, and the address is valid beyond the link (unlike IPv6 `fe80::/10` and IPv4
    /// `169.254/16`).
    #[must_use]
    pub fn is_reachable(&self) -> bool {
        let beyond_link = match self.address {
            IpAddr::V4(v4) => !v4.is_loopback() && !v4.is_unspecified() && !v4.is_link_local(),
            IpAddr::V6(v6) => {
                !v6.is_loopback() && !v6.is_unspecified() && !v6.is_unicast_link_local()
            }
        };
        self.is_up && !self.is_loopback && beyond_link
    }
}

/// Every IPv4 and IPv6 address of every interface, in the system's order.
///
/// # Errors
/// The system call fails.
pub fn addresses() -> io::Result<Vec<InterfaceAddress>> {
    let to_public = |found: sys::interface::Address| {
        let flag = |bit: libc::c_int| found.flags & bit.cast_unsigned() != 0;
        InterfaceAddress {
            name: found.interface,
            address: found.address,
            is_up: flag(libc::IFF_UP),
            is_loopback: flag(libc::IFF_LOOPBACK),
        }
    };
    Ok(sys::interface::addresses()?.into_iter().map(to_public).collect())
}

/// The index of an interface, which IPv6 uses as scope id.
///
/// # Errors
/// There is no such interface.
pub fn index(name: &str) -> io::Result<u32> {
    sys::interface::index(name)
}

/// The first reachable IPv4 address of `addresses`.
#[must_use]
pub fn first_reachable_v4(addresses: &[InterfaceAddress]) -> Option<Ipv4Addr> {
    addresses.iter().filter(|a| a.is_reachable()).find_map(|a| match a.address {
        IpAddr::V4(v4) => Some(v4),
        IpAddr::V6(_) => None,
    })
}

/// The first reachable IPv6 address of `addresses`.
#[must_use]
pub fn first_reachable_v6(addresses: &[InterfaceAddress]) -> Option<Ipv6Addr> {
    addresses.iter().filter(|a| a.is_reachable()).find_map(|a| match a.address {
        IpAddr::V6(v6) => Some(v6),
        IpAddr::V4(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    fn interface(name: &str, address: &str, is_up: bool) -> InterfaceAddress {
        let address = address.parse().unwrap();
        InterfaceAddress { name: name.to_owned(), address, is_up, is_loopback: name == "lo" }
    }

    #[test]
    fn interfaces_have_numbers() {
        for interface in addresses().unwrap() {
            // Aliases such as eth0:1 do not have an index on every system.
            assert!(interface.name.contains(':') || index(&interface.name).unwrap() > 0);
        }
        assert!(index("no such").is_err() && index("a\0b").is_err());
    }

    #[test]
    fn the_first_reachable_address_is_chosen() {
        let mut list = vec![
            interface("lo", "127.0.0.1", true),
            interface("lo", "192.0.2.9", true),
            interface("eth0", "192.0.2.1", false),
            interface("eth1", "169.254.3.4", true),
            interface("eth1", "fe80::1", true),
        ];
        assert_eq!(first_reachable_v4(&list), None);
        assert_eq!(first_reachable_v6(&list), None);
        list.push(interface("eth2", "2001:db8::7", true));
        list.push(interface("eth2", "192.0.2.7", true));
        list.push(interface("eth3", "192.0.2.8", true));
        assert_eq!(first_reachable_v4(&list), Some(Ipv4Addr::new(192, 0, 2, 7)));
        assert_eq!(first_reachable_v6(&list), Some("2001:db8::7".parse().unwrap()));
    }

    #[test]
    fn every_listed_ipv4_address_can_be_bound() {
        let list = addresses().unwrap();
        for found in list.iter().filter(|found| found.is_up && found.address.is_ipv4()) {
            UdpSocket::bind((found.address, 0)).unwrap();
        }
        let loopback = list.iter().find(|found| found.is_loopback && found.address.is_ipv4());
        assert!(loopback.is_some_and(|l| l.address.is_loopback() && l.name == "lo"), "{list:?}");
    }
}
