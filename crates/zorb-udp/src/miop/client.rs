//! The way to a group: each request in as many packets as it takes.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, IoSlice};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, UdpSocket};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use socket2::SockRef;
use zorb_transport::socket::set_buffers;
use zorb_transport::{Stream, StreamOptions};

use super::Settings;
use super::packet::packets;
use super::request::for_group;
use crate::client::{sent, too_large};

/// Octets of payload in a packet: with its header, 32 octets, and those of UDP and IPv6 it fits a frame
/// of Ethernet, so that the network loses packets and not pieces of them.
const PAYLOAD: usize = 1416;

/// A socket that sends to one group.
#[derive(Debug)]
pub(crate) struct MiopClient {
    socket: UdpSocket,
    most: usize,
    sending: Mutex<Sending>,
    local: Box<str>,
    peer: Box<str>,
}

#[derive(Debug, Default)]
struct Sending {
    /// What tells this socket from all others that may have its address.
    sender: u64,
    /// Messages sent.
    number: u32,
    whole: Vec<u8>,
    request: Vec<u8>,
    header: Vec<u8>,
}

impl MiopClient {
    pub(crate) fn to(
        group: SocketAddr,
        options: &StreamOptions,
        settings: &Settings,
    ) -> io::Result<Self> {
        let any = match group {
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        let socket = UdpSocket::bind(any)?;
        set_buffers(&socket, options)?;
        let hops = SockRef::from(&socket);
        match group {
            SocketAddr::V4(_) => {
                socket.set_multicast_ttl_v4(settings.hops.into())?;
                if let Some(interface) = settings.interface {
                    hops.set_multicast_if_v4(&interface)?;
                }
            }
            SocketAddr::V6(_) => {
                hops.set_multicast_hops_v6(settings.hops.into())?;
                if settings.interface_index != 0 {
                    hops.set_multicast_if_v6(settings.interface_index)?;
                }
            }
        }
        socket.connect(group)?;
        let local = socket.local_addr()?.to_string().into();
        let sender = RandomState::new().hash_one(std::process::id());
        let sending = Mutex::new(Sending { sender, ..Sending::default() });
        let most = settings.limits.message;
        Ok(Self { socket, most, sending, local, peer: group.to_string().into() })
    }

    /// Sends the request that `parts` are.
    fn send(&self, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let mut sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let Sending { sender, number, whole, request, header } = &mut *sending;
        whole.clear();
        parts.iter().for_each(|part| whole.extend_from_slice(part));
        if for_group(whole, request).is_none() {
            let what = "only one-way requests in GIOP 1.2 go to groups";
            return Err(io::Error::new(io::ErrorKind::Unsupported, what));
        }
        if request.len() > self.most {
            return Err(too_large());
        }
        *number = number.wrapping_add(1);
        let mut id = [0; 12];
        let (first, second) = id.split_at_mut(8);
        first.copy_from_slice(&sender.to_be_bytes());
        second.copy_from_slice(&number.to_be_bytes());
        for packet in packets(request, &id, PAYLOAD) {
            packet.write_header(header);
            let octets = header.len() + packet.payload.len();
            let parts = [IoSlice::new(header), IoSlice::new(packet.payload)];
            sent(octets, || SockRef::from(&self.socket).send_vectored(&parts))?;
        }
        Ok(())
    }
}

impl Stream for MiopClient {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "nothing comes back from a group"))
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.send(&[IoSlice::new(bytes)])
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send(parts)
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
