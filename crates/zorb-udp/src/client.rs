//! A client's side: what is sent is a datagram each.

use std::io::{self, IoSlice};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, UdpSocket};
use std::time::Duration;

use socket2::SockRef;
use zorb_transport::socket::set_buffers;
use zorb_transport::{Stream, StreamOptions};

use crate::datagram::MAX_DATAGRAM;

/// A socket that sends to one server.
#[derive(Debug)]
pub(crate) struct UdpClient {
    socket: UdpSocket,
    local: Box<str>,
    peer: Box<str>,
}

impl UdpClient {
    pub(crate) fn to(server: SocketAddr, options: &StreamOptions) -> io::Result<Self> {
        let any = match server {
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        let socket = UdpSocket::bind(any)?;
        set_buffers(&socket, options)?;
        socket.connect(server)?;
        let local = socket.local_addr()?.to_string().into();
        Ok(Self { socket, local, peer: server.to_string().into() })
    }
}

/// What became of a datagram. That it was not taken is a loss like others: the system may say of an
/// earlier one that nobody was there.
pub(crate) fn sent(octets: usize, send: impl Fn() -> io::Result<usize>) -> io::Result<()> {
    if octets > MAX_DATAGRAM {
        return Err(too_large());
    }
    for _ in 0..2 {
        match send() {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The way is narrower than datagrams may be.
            Err(error) if error.raw_os_error() == Some(libc::EMSGSIZE) => return Err(too_large()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(crate) fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "the request does not fit a datagram")
}

impl Stream for UdpClient {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "nothing comes back over UDP"))
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        sent(bytes.len(), || self.socket.send(bytes))
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let octets = parts.iter().map(|part| part.len()).sum();
        sent(octets, || SockRef::from(&self.socket).send_vectored(parts))
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        let least = Duration::from_millis(1);
        self.socket.set_write_timeout(timeout.map(|timeout| timeout.max(least)))
    }

    fn is_stale(&self) -> bool {
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
