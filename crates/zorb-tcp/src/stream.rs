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
    let local = canonical(socket.local_addr()?);
    Ok(SocketStream::new(socket, local.to_string(), canonical(peer).to_string()))
}

/// IPv4 as IPv4, also where it came in over an IPv6 socket.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}
