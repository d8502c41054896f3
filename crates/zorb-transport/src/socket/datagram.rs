//! Listening on datagram sockets, and sharing one among several senders, for authors of transports.

use std::io::{self, IoSlice};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs, UdpSocket};

use socket2::{Domain, MsgHdr, Protocol, SockAddr, SockRef, Socket, Type};

use super::{lacks_address, octet_of};
use crate::StreamOptions;

/// Binds a socket at a port of the host, at its first address that this machine has, or of all IPv4 interfaces if
/// the host is empty. A socket that [gives its port up](give_port_up) does not prevent that.
///
/// # Errors
/// The system call fails.
pub fn bind(host: &str, port: u16) -> io::Result<UdpSocket> {
    let addresses: Vec<SocketAddr> = match host {
        "" => vec![(Ipv4Addr::UNSPECIFIED, port).into()],
        host => (host, port).to_socket_addrs()?.collect(),
    };
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in addresses {
        match bind_to(address) {
            Err(error) if lacks_address(&error) => failure = error,
            done => return done,
        }
    }
    Err(failure)
}

fn bind_to(address: SocketAddr) -> io::Result<UdpSocket> {
    match UdpSocket::bind(address) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            take_port(address).map_err(|_| error)
        }
        bound => bound,
    }
}

/// Lets another socket of the machine, also one of another user, [bind] the port of this one, which gets no datagrams from then on. For a
/// server that has ended, while its last connections linger.
///
/// # Errors
/// The system call fails.
pub fn give_port_up(socket: &UdpSocket) -> io::Result<()> {
    SockRef::from(socket).set_reuse_address(true)
}

/// Binds a port that another socket gives up. This one does not.
fn take_port(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.set_reuse_address(false)?;
    Ok(socket.into())
}

/// Traffic options of one sender on a shared socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrafficOptions {
    /// The control message with the class of service, unless it is the socket's.
    control: Vec<u8>,
    /// Whether routers are bypassed.
    dont_route: bool,
}

impl TrafficOptions {
    /// The traffic options of datagrams to `peer`: class of service and routing. Priority and
    /// pacing belong to the socket; but the system derives a priority from an IPv4 class.
    #[must_use]
    pub fn of(options: &StreamOptions, peer: SocketAddr) -> Self {
        // An IPv6 socket uses IPv4 with such addresses.
        let (level, kind) = match peer.ip().to_canonical() {
            IpAddr::V4(_) => (libc::IPPROTO_IP, libc::IP_TOS),
            IpAddr::V6(_) => (libc::IPPROTO_IPV6, libc::IPV6_TCLASS),
        };
        let control = options.dscp.map(|dscp| control_message(level, kind, octet_of(dscp)));
        Self { control: control.unwrap_or_default(), dont_route: options.dont_route }
    }

    /// Sends a datagram with these options.
    ///
    /// # Errors
    /// The system call fails.
    pub fn send_to(
        &self,
        socket: &UdpSocket,
        datagram: &[u8],
        to: SocketAddr,
    ) -> io::Result<usize> {
        if *self == Self::default() {
            return socket.send_to(datagram, to);
        }
        let (to, parts) = (SockAddr::from(to), [IoSlice::new(datagram)]);
        let message = MsgHdr::new().with_addr(&to).with_buffers(&parts).with_control(&self.control);
        let flags = if self.dont_route { libc::MSG_DONTROUTE } else { 0 };
        SockRef::from(socket).sendmsg(&message, flags)
    }
}

/// A control message for `sendmsg` with one number: length, level and type, then the number, padded
/// to a whole word.
fn control_message(level: i32, kind: i32, value: u8) -> Vec<u8> {
    const WORD: usize = size_of::<usize>();
    const LENGTH: usize = WORD + 3 * size_of::<i32>();
    let mut octets = LENGTH.to_ne_bytes().to_vec();
    for number in [level, kind, i32::from(value)] {
        octets.extend(number.to_ne_bytes());
    }
    octets.resize(LENGTH.next_multiple_of(WORD), 0);
    octets
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::fd::AsFd;

    use zorb_os::socket::recv_with_class;

    use super::*;

    #[test]
    fn a_port_that_is_given_up_is_taken_by_one_other_socket() {
        let first = bind("127.0.0.1", 0).unwrap();
        let port = first.local_addr().unwrap().port();
        let in_use = |bound: io::Result<UdpSocket>| bound.unwrap_err().kind();
        assert_eq!(in_use(bind("127.0.0.1", port)), io::ErrorKind::AddrInUse);
        give_port_up(&first).unwrap();
        let second = bind("127.0.0.1", port).unwrap();
        assert_eq!(in_use(bind("127.0.0.1", port)), io::ErrorKind::AddrInUse);
        let client = bind("127.0.0.1", 0).unwrap();
        client.send_to(b"new", ("127.0.0.1", port)).unwrap();
        let mut octets = [0; 8];
        assert_eq!(second.recv(&mut octets).unwrap(), 3);
        first.set_nonblocking(true).unwrap();
        assert_eq!(first.recv(&mut octets).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn a_port_in_use_at_one_address_of_a_name_is_in_use() {
        let addresses: Vec<_> = ("localhost", 0).to_socket_addrs().unwrap().collect();
        let taken = bind(&addresses[0].ip().to_string(), 0).unwrap();
        let port = taken.local_addr().unwrap().port();
        assert_eq!(bind("localhost", port).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    }

    /// One socket sends in several classes over IPv4, over IPv6, and from an IPv6 socket over IPv4.
    #[test]
    fn datagrams_of_one_socket_have_classes_of_their_own() {
        for (from, at) in
            [("127.0.0.1:0", "127.0.0.1:0"), ("[::1]:0", "[::1]:0"), ("[::]:0", "127.0.0.1:0")]
        {
            let Ok(socket) = UdpSocket::bind(from) else {
                assert!(from.starts_with('['), "IPv4 is always there");
                continue;
            };
            let receiver = UdpSocket::bind(at).unwrap();
            let mut to = receiver.local_addr().unwrap();
            let known = SockRef::from(&receiver);
            match to {
                SocketAddr::V4(_) => known.set_recv_tos_v4(true).unwrap(),
                SocketAddr::V6(_) => known.set_recv_tclass_v6(true).unwrap(),
            }
            if let (SocketAddr::V4(address), true) = (to, from.starts_with('[')) {
                to = (address.ip().to_ipv6_mapped(), address.port()).into();
            }
            let treated = |dscp, dont_route| {
                let options = StreamOptions { dscp, dont_route, ..StreamOptions::default() };
                TrafficOptions::of(&options, to)
            };
            for (traffic, class) in [
                (treated(Some(46), false), 46 << 2),
                (treated(None, false), 0),
                (treated(Some(10), true), 10 << 2),
                (treated(None, true), 0),
                (treated(Some(63), false), 63 << 2),
            ] {
                let sent = traffic.send_to(&socket, b"hello", to);
                if from == "[::]:0" && sent.is_err() {
                    break; // the system restricts such sockets to IPv6
                }
                assert_eq!(sent.unwrap(), 5);
                let mut buffer = [0; 16];
                let received = recv_with_class(receiver.as_fd(), &mut buffer).unwrap();
                assert_eq!(received, (5, Some(class)), "{from} to {at}");
                assert_eq!(&buffer[..5], b"hello");
            }
        }
    }
}
