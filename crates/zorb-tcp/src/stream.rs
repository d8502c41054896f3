//! The stream of a TCP connection.

use std::io;
use std::net::{SocketAddr, TcpStream};

use socket2::SockRef;
use zorb_transport::StreamOptions;
use zorb_transport::socket::SocketStream;

/// Sets the options of a connected, blocking socket, except for its traffic options.
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

/// IPv4 addresses as IPv4, also on an IPv6 socket.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use zorb_os::socket::dont_route;
    use zorb_transport::{ConnectOptions, ListenOptions, Transport as _};

    use super::*;
    use crate::TcpTransport;

    fn connected(listener: &TcpListener) -> (TcpStream, SocketAddr) {
        let peer = listener.local_addr().unwrap();
        (TcpStream::connect(peer).unwrap(), peer)
    }

    /// The class is set before connecting, so that it applies to the first segment.
    #[test]
    fn traffic_options_are_set() {
        let tcp = TcpTransport::new();
        for address in ["127.0.0.1:0", "[::1]:0"] {
            for (asked, class) in [(None, 0), (Some(46), 46 << 2), (Some(255), 63 << 2)] {
                let stream = StreamOptions {
                    dscp: asked,
                    dont_route: asked.is_some(),
                    socket_priority: Some(5),
                    pacing_rate: Some(1 << 20),
                    ..StreamOptions::default()
                };
                let options = ListenOptions::with_stream(stream.clone());
                // Some machines lack IPv6.
                let Ok(acceptor) = tcp.listen(address, &options) else { continue };
                let options = ConnectOptions::with_stream(stream);
                let client = tcp.connect(acceptor.endpoint(), &options).unwrap();
                for stream in [client, acceptor.accept().unwrap()] {
                    let fd = stream.readiness_fd().unwrap();
                    let seen = SockRef::from(&fd);
                    let is_v4 = address.starts_with("127");
                    let found = if is_v4 { seen.tos_v4() } else { seen.tclass_v6() };
                    assert_eq!(found.unwrap(), class);
                    assert_eq!(seen.priority().unwrap(), 5, "whatever the class would make it");
                    assert_eq!(dont_route(fd).unwrap(), asked.is_some());
                }
            }
        }
    }

    #[test]
    fn options_of_a_connected_stream_can_change() {
        use zorb_transport::Stream as _;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (socket, peer) = connected(&listener);
        let seen = socket.try_clone().unwrap();
        let stream = set_up(socket, peer, &StreamOptions::default()).unwrap();
        let seen = SockRef::from(&seen);
        assert!(seen.tcp_nodelay().unwrap());
        assert!(!seen.keepalive().unwrap());
        let options = StreamOptions {
            no_delay: false,
            keep_alive: true,
            dscp: Some(10),
            ..StreamOptions::default()
        };
        stream.set_options(&options).unwrap();
        assert!(!seen.tcp_nodelay().unwrap());
        assert!(seen.keepalive().unwrap());
        assert_eq!(seen.tos_v4().unwrap(), 10 << 2);
    }
}
