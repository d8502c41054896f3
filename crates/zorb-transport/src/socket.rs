//! What the transports over the system's stream sockets share, for authors of transports.
//!
//! A transport brings the two things that are its own: connecting a socket, and listening on one
//! ([`ListeningSocket`]). From there on a connected socket of any family is a [`SocketStream`],
//! and a listening one is served by a [`SocketAcceptor`].

mod acceptor;
pub mod datagram;
mod stream;
mod timeout;

use std::io;
use std::os::fd::AsFd;

use socket2::{Domain, SockRef};

use crate::StreamOptions;

pub use acceptor::{ListeningSocket, SocketAcceptor};
pub use stream::SocketStream;
pub use timeout::Timeout;

/// Sets the sizes of `socket`'s buffers that `options` name. In TCP they count from the first
/// packet on, so they are set before there is one: on a socket that is not connected yet, or on
/// the listening one, whose connections inherit them.
///
/// # Errors
/// What the system says.
pub fn set_buffers(socket: impl AsFd, options: &StreamOptions) -> io::Result<()> {
    let socket = SockRef::from(&socket);
    if let Some(bytes) = options.send_buffer {
        socket.set_send_buffer_size(bytes)?;
    }
    if let Some(bytes) = options.receive_buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    Ok(())
}

/// Has what `socket`, of any family, sends be treated by this machine and by the network as `options`
/// say: routes, class of service, priority, pacing. Sockets without a network pass over all of them.
///
/// # Errors
/// What the system says.
pub fn set_traffic(socket: impl AsFd, options: &StreamOptions) -> io::Result<()> {
    let StreamOptions { dont_route, dscp, socket_priority, pacing_rate, .. } = *options;
    if !dont_route && dscp.is_none() && socket_priority.is_none() && pacing_rate.is_none() {
        return Ok(());
    }
    let fd = socket.as_fd();
    let socket = SockRef::from(&fd);
    let domain = socket.domain()?;
    if !is_of_a_network(domain) {
        return Ok(());
    }
    if dont_route {
        zorb_os::socket::set_dont_route(fd, true)?;
    }
    if let Some(dscp) = dscp {
        set_class(&socket, domain, dscp)?;
    }
    // After that: the system derives a priority from the class.
    if let Some(priority) = socket_priority {
        socket.set_priority(priority)?;
    }
    match pacing_rate {
        Some(rate) => zorb_os::socket::set_pacing_rate(fd, rate),
        None => Ok(()),
    }
}

/// The same of a socket that may have been set up otherwise before: what `options` leave to the system is
/// as if nothing had been said of it.
///
/// # Errors
/// What the system says.
pub fn change_traffic(socket: impl AsFd, options: &StreamOptions) -> io::Result<()> {
    let fd = socket.as_fd();
    let known = SockRef::from(&fd);
    let domain = known.domain()?;
    if !is_of_a_network(domain) {
        return Ok(());
    }
    if !options.dont_route {
        zorb_os::socket::set_dont_route(fd, false)?;
    }
    if options.socket_priority.is_none() {
        // The system derives one when the class changes.
        set_class(&known, domain, 0)?;
        known.set_priority(0)?;
    }
    let pacing_rate = options.pacing_rate.or(Some(u64::MAX));
    let dscp = options.dscp.or(Some(0));
    set_traffic(fd, &StreamOptions { dscp, pacing_rate, ..options.clone() })
}

fn is_of_a_network(domain: Domain) -> bool {
    domain == Domain::IPV4 || domain == Domain::IPV6
}

fn set_class(socket: &SockRef<'_>, domain: Domain, dscp: u8) -> io::Result<()> {
    let class = u32::from(octet_of(dscp));
    if domain == Domain::IPV6 {
        socket.set_tclass_v6(class)?;
    }
    // An IPv6 socket may talk IPv4, which has a class of its own.
    if domain == Domain::IPV4 || !socket.only_v6()? {
        socket.set_tos_v4(class)?;
    }
    Ok(())
}

/// The octet of headers whose upper six bits are the class; the others are the network's.
fn octet_of(dscp: u8) -> u8 {
    dscp.min(63) << 2
}
