//! The common code of transports over stream sockets, for authors of transports.
//!
//! A transport only connects a socket and creates a listening one ([`ListeningSocket`]).
//! [`SocketStream`] is a stream over a connected socket of any family, and [`SocketAcceptor`] an
//! acceptor over a listening socket.

mod acceptor;
pub mod datagram;
mod stream;
mod timed_waits;
mod timeout;

use std::io;
use std::os::fd::AsFd;

use socket2::{Domain, SockRef};

use crate::{ListenOptions, StreamOptions};

pub use acceptor::{ListeningSocket, SocketAcceptor};
pub use stream::SocketStream;
pub use timed_waits::TimedWaits;
pub use timeout::Timeout;

/// Sets the buffer sizes of `options`. TCP uses them from the first packet on, so set them before:
/// on a socket that is not connected yet, or on a listening socket, whose connections inherit them.
///
/// # Errors
/// The system call fails.
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

/// Listens on a bound socket, unless the options want it [only bound](ListenOptions::bind_only).
///
/// # Errors
/// The system call fails.
pub fn listen(socket: impl AsFd, options: &ListenOptions) -> io::Result<()> {
    if options.bind_only {
        return Ok(());
    }
    SockRef::from(&socket).listen(backlog(options))
}

/// Whether a socket could not be bound because the machine has no such address, or none of its family.
#[must_use]
pub fn lacks_address(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAFNOSUPPORT | libc::EADDRNOTAVAIL))
}

fn backlog(options: &ListenOptions) -> i32 {
    i32::try_from(options.backlog).unwrap_or(i32::MAX)
}

/// Sets routing, class of service, priority and pacing of a new socket of any family. Sockets
/// without a network ignore all of them.
///
/// # Errors
/// The system call fails.
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
    // After the class, from which the system derives a priority.
    if let Some(priority) = socket_priority {
        socket.set_priority(priority)?;
    }
    match pacing_rate {
        Some(rate) => zorb_os::socket::set_pacing_rate(fd, rate),
        None => Ok(()),
    }
}

/// Like [`set_traffic`], for a socket that may have other settings: options that are not set get
/// the system's defaults.
///
/// # Errors
/// The system call fails.
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
        // The system derives a priority when the class changes.
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
    // An IPv6 socket may use IPv4, which has its own class.
    if domain == Domain::IPV4 || !socket.only_v6()? {
        socket.set_tos_v4(class)?;
    }
    Ok(())
}

/// The octet of IP headers that contains the class in the upper six bits; the network uses the
/// others.
fn octet_of(dscp: u8) -> u8 {
    dscp.min(63) << 2
}
