//! Where sockets of datagrams listen, for authors of transports over them.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs, UdpSocket};

use zorb_os::interface;

use crate::EndpointError;

/// The host and port of what is listened at: `host:port`, `[address]:port`, `:port`, `host` or nothing.
///
/// # Errors
/// A port that is no number up to 65535.
pub fn split(address: &str) -> Result<(&str, u16), EndpointError> {
    let shown: String = address.chars().take(80).collect();
    let bad = |why| EndpointError::new(&shown, why);
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => {
            (host, port.parse().map_err(|_| bad("the port is a number up to 65535"))?)
        }
        _ => (address, 0),
    };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    Ok((bare.unwrap_or(host), port))
}

/// A socket at a port of the host, or of all IPv4 interfaces where it is empty.
///
/// # Errors
/// What the system says.
pub fn bind(host: &str, port: u16) -> io::Result<UdpSocket> {
    if host.is_empty() {
        return UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port));
    }
    let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
    UdpSocket::bind(&addresses[..])
}

/// What references say: the address bound, or the machine's first reachable one.
///
/// # Errors
/// When the system does not list its interfaces.
pub fn reachable(bound: SocketAddr) -> io::Result<IpAddr> {
    if !bound.ip().is_unspecified() {
        return Ok(bound.ip());
    }
    let interfaces = interface::addresses()?;
    let first = interface::first_reachable_v4(&interfaces);
    Ok(first.unwrap_or(Ipv4Addr::LOCALHOST).into())
}
