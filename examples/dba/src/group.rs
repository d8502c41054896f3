//! Multicast groups: the neighbors of each node are one, to which it sends.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};

use dba_algorithm::NodeId;
use socket2::{Domain, Socket, Type};

use crate::Failure;

/// The port of all groups of a run: that of its registry, which tells them from those of other runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupPort(pub(crate) u16);

impl GroupPort {
    /// Reads it from the URL of the registry.
    pub(crate) fn of(registry: &str) -> Result<Self, Failure> {
        let port = registry.rsplit_once(':').and_then(|(_, end)| end.split('/').next());
        let port = port.and_then(|port| port.parse().ok());
        Ok(Self(port.ok_or_else(|| format!("the registry's URL has no port: {registry}"))?))
    }

    /// The address of the group of a node's neighbors.
    pub(crate) fn address(self, id: NodeId) -> SocketAddrV4 {
        let [_, _, high, low] = id.to_be_bytes();
        SocketAddrV4::new(Ipv4Addr::new(239, 255, 128 | high, low), self.0)
    }
}

/// A socket that receives what a node sends to its group. Others of this machine may have one, too.
pub(crate) fn receiver(group: SocketAddrV4, host: Ipv4Addr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, None)?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    // Bound to the group's own address it receives only what is sent to the group.
    socket.bind(&group.into())?;
    socket.join_multicast_v4(group.ip(), &host)?;
    Ok(socket.into())
}

/// A socket that sends to a group, from the interface with the address.
pub(crate) fn sender(group: SocketAddrV4, host: Ipv4Addr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, None)?;
    socket.set_multicast_if_v4(&host)?;
    socket.connect(&group.into())?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_node_has_a_group_of_its_own() {
        let port = GroupPort::of("corbaloc::127.0.0.1:4711/dba").unwrap();
        assert_eq!(port.address(0), "239.255.128.0:4711".parse().unwrap());
        assert_eq!(port.address(1023), "239.255.131.255:4711".parse().unwrap());
        assert!(GroupPort::of("corbaloc::host/dba").is_err());
    }
}
