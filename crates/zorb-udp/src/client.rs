//! The client's side: a socket that only sends.

use std::fmt;
use std::io::{self, IoSlice};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, UdpSocket};
use std::time::Duration;

use socket2::SockRef;
use zorb_transport::socket::{change_traffic, set_buffers, set_traffic};
use zorb_transport::{Stream, StreamOptions};

use crate::datagram::MAX_DATAGRAM;

/// Converts a request to datagrams.
pub(crate) trait Pack: Send + Sync + fmt::Debug {
    /// The error for a thread that waits for a reply.
    const NO_ANSWER: &'static str;

    /// Sends the request made of `parts`.
    fn send(&self, socket: &UdpSocket, parts: &[IoSlice<'_>]) -> io::Result<()>;
}

/// A socket that sends to one address.
#[derive(Debug)]
pub(crate) struct UdpClient<P> {
    socket: UdpSocket,
    pack: P,
    local: Box<str>,
    peer: Box<str>,
}

impl<P: Pack> UdpClient<P> {
    /// A socket that sends to `peer`; `set_up` sets further options.
    pub(crate) fn to(
        peer: SocketAddr,
        pack: P,
        options: &StreamOptions,
        set_up: impl FnOnce(&UdpSocket) -> io::Result<()>,
    ) -> io::Result<Self> {
        let any = match peer {
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        let socket = UdpSocket::bind(any)?;
        set_buffers(&socket, options)?;
        set_traffic(&socket, options)?;
        set_up(&socket)?;
        socket.connect(peer)?;
        let local = socket.local_addr()?.to_string().into();
        Ok(Self { socket, pack, local, peer: peer.to_string().into() })
    }
}

#[cfg(test)]
impl<P> UdpClient<P> {
    pub(crate) fn into_socket(self) -> UdpSocket {
        self.socket
    }
}

/// The result of sending a datagram. Refusal is treated as loss: the system may report it for an
/// earlier datagram.
pub(crate) fn send(socket: &UdpSocket, parts: &[IoSlice<'_>]) -> io::Result<()> {
    let octets: usize = parts.iter().map(|part| part.len()).sum();
    if octets > MAX_DATAGRAM {
        return Err(too_large());
    }
    for _ in 0..2 {
        match SockRef::from(socket).send_vectored(parts) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The path's MTU is smaller than the datagram.
            Err(error) if error.raw_os_error() == Some(libc::EMSGSIZE) => return Err(too_large()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(crate) fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "the request does not fit into a datagram")
}

/// One datagram per request.
#[derive(Debug)]
pub(crate) struct Whole;

impl Pack for Whole {
    const NO_ANSWER: &'static str = "UDP carries no replies";

    fn send(&self, socket: &UdpSocket, parts: &[IoSlice<'_>]) -> io::Result<()> {
        send(socket, parts)
    }
}

impl<P: Pack> Stream for UdpClient<P> {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::Unsupported, P::NO_ANSWER))
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.pack.send(&self.socket, &[IoSlice::new(bytes)])
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.pack.send(&self.socket, parts)
    }

    /// Sends everything: datagrams do not wait for their receivers.
    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.send_all(bytes).map(|()| bytes.len())
    }

    /// As one datagram, or those of one message.
    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send_vectored_all(std::mem::take(parts))
    }

    fn set_options(&self, options: &StreamOptions) -> io::Result<()> {
        set_buffers(&self.socket, options)?;
        change_traffic(&self.socket, options)
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        let least = Duration::from_millis(1);
        self.socket.set_write_timeout(timeout.map(|timeout| timeout.max(least)))
    }

    fn is_readable(&self) -> bool {
        false
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &str {
        &self.peer
    }

    fn local(&self) -> &str {
        &self.local
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::fd::AsFd;

    use zorb_os::socket::{dont_route, pacing_rate};

    use super::*;
    use crate::miop::client::sender_to;

    fn whole_to(peer: SocketAddr, options: &StreamOptions) -> io::Result<UdpSocket> {
        Ok(UdpClient::to(peer, Whole, options, |_| Ok(()))?.into_socket())
    }

    /// The options of the sockets of both protocols, over IPv4 and IPv6 where there is a route.
    #[test]
    fn socket_options_are_set() {
        type Connect = fn(SocketAddr, &StreamOptions) -> io::Result<UdpSocket>;
        let protocols: [(&str, Connect); 4] = [
            ("127.0.0.1:9", whole_to),
            ("[::1]:9", whole_to),
            ("239.255.80.1:5000", sender_to),
            ("[ff15::5a:1]:5000", sender_to),
        ];
        for (peer, connect) in protocols {
            let peer: SocketAddr = peer.parse().unwrap();
            let Ok(plain) = connect(peer, &StreamOptions::default()) else {
                assert!(peer.is_ipv6(), "there always is a way to {peer}");
                continue;
            };
            let class = |socket: &UdpSocket| match peer {
                SocketAddr::V4(_) => SockRef::from(socket).tos_v4().unwrap(),
                SocketAddr::V6(_) => SockRef::from(socket).tclass_v6().unwrap(),
            };
            let priority = |socket: &UdpSocket| SockRef::from(socket).priority().unwrap();
            assert_eq!((class(&plain), priority(&plain)), (0, 0), "{peer}");
            let options = StreamOptions {
                no_delay: false,
                keep_alive: true,
                send_buffer: Some(40_000),
                receive_buffer: Some(30_000),
                // Other hosts may be reachable only through a router.
                dont_route: peer.ip().is_loopback(),
                dscp: Some(46),
                socket_priority: Some(5),
                pacing_rate: Some(1 << 20),
            };
            let told = connect(peer, &options).unwrap();
            assert_eq!((class(&told), priority(&told)), (46 << 2, 5), "{peer}");
            assert_eq!(pacing_rate(told.as_fd()).unwrap(), Some(1 << 20), "{peer}");
            assert_eq!(dont_route(told.as_fd()).unwrap(), peer.ip().is_loopback(), "{peer}");
            // The system doubles it for its own overhead.
            assert_eq!(SockRef::from(&told).send_buffer_size().unwrap(), 80_000, "{peer}");
            assert_eq!(SockRef::from(&told).recv_buffer_size().unwrap(), 60_000, "{peer}");
        }
    }

    /// A stream would take a message in parts.
    #[test]
    fn a_message_in_parts_is_one_datagram() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (address, options) = (server.local_addr().unwrap(), StreamOptions::default());
        let client = UdpClient::to(address, Whole, &options, |_| Ok(())).unwrap();
        let (beginning, end) = ([1; 30], [2; 30_000]);
        let mut parts = [IoSlice::new(&beginning), IoSlice::new(&end)];
        let mut left = &mut parts[..];
        client.try_send_vectored(&mut left).unwrap();
        assert!(left.is_empty());
        assert_eq!(server.recv(&mut [0; 40_000]).unwrap(), 30_030);
    }
}
