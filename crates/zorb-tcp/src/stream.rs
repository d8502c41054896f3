//! A TCP connection as a stream.

use std::io;
use std::net::{SocketAddr, TcpStream};

use socket2::SockRef;
use zorb_transport::StreamOptions;
use zorb_transport::socket::SocketStream;

/// Sets up a connected, blocking socket.
pub(crate) fn set_up(
    socket: TcpStream,
    peer: SocketAddr,
    options: &StreamOptions,
) -> io::Result<SocketStream> {
    if options.no_delay {
        socket.set_nodelay(true)?;
    }
    if options.keep_alive {
        SockRef::from(&socket).set_keepalive(true)?;
    }
    if let Some(dscp) = options.dscp {
        set_dscp(&socket, peer, dscp)?;
    }
    if let Some(priority) = options.priority {
        // After the class, of which the system makes a priority itself.
        SockRef::from(&socket).set_priority(priority)?;
    }
    let local = canonical(socket.local_addr()?);
    Ok(SocketStream::new(socket, local.to_string(), canonical(peer).to_string()))
}

/// Sets the class of service: the upper six bits of an octet whose others are the network's.
fn set_dscp(socket: &TcpStream, peer: SocketAddr, dscp: u8) -> io::Result<()> {
    let class = u32::from(dscp.min(63)) << 2;
    let socket = SockRef::from(socket);
    // An IPv6 socket may talk IPv4, which has a class of its own.
    if peer.is_ipv6() {
        socket.set_tclass_v6(class)?;
    }
    if peer.ip().to_canonical().is_ipv4() {
        socket.set_tos_v4(class)?;
    }
    Ok(())
}

/// IPv4 as IPv4, also where it came in over an IPv6 socket.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_class_of_service_is_set_where_it_is_asked_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let peer = listener.local_addr().unwrap();
        for (asked, class) in [(None, 0), (Some(46), 46 << 2), (Some(255), 63 << 2)] {
            let socket = TcpStream::connect(peer).unwrap();
            let seen = socket.try_clone().unwrap();
            let options = StreamOptions { dscp: asked, ..StreamOptions::default() };
            let _stream = set_up(socket, peer, &options).unwrap();
            assert_eq!(SockRef::from(&seen).tos_v4().unwrap(), class);
        }
    }

    #[test]
    fn a_queue_of_the_interface_is_asked_for_beside_the_class() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let peer = listener.local_addr().unwrap();
        let socket = TcpStream::connect(peer).unwrap();
        let seen = socket.try_clone().unwrap();
        let options =
            StreamOptions { dscp: Some(46), priority: Some(6), ..StreamOptions::default() };
        let _stream = set_up(socket, peer, &options).unwrap();
        assert_eq!(SockRef::from(&seen).tos_v4().unwrap(), 46 << 2);
        assert_eq!(SockRef::from(&seen).priority().unwrap(), 6);
    }
}
