//! Connecting over all addresses of a host.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use zorb_os::clock::MonotonicTime;
use zorb_transport::socket::{SocketStream, set_buffers, set_traffic};
use zorb_transport::{
    ConnectAttempt, ConnectError, ConnectOptions, ConnectPhase, Endpoint, Stream, StreamOptions,
    resolve,
};

use crate::address::HostPort;
use crate::stream::set_up;

/// Replaces a missing timeout; the system gives up earlier.
const NO_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) fn connect(
    scheme: &str,
    endpoint: &Endpoint,
    default_port: u16,
    options: &ConnectOptions,
) -> Result<Arc<dyn Stream>, ConnectError> {
    let bad_address = |reason: &str| {
        let error = io::Error::new(io::ErrorKind::InvalidInput, reason);
        ConnectError::single(endpoint, ConnectPhase::Address, error)
    };
    if endpoint.scheme() != scheme {
        return Err(bad_address(&format!("this transport's scheme is {scheme}")));
    }
    let target = HostPort::parse_remote(endpoint.address(), default_port)
        .map_err(|error| bad_address(error.reason()))?;
    let deadline = options.timeout.map(|timeout| MonotonicTime::now() + timeout);
    let addresses = resolve(&target.host.to_profile_host(), target.port, deadline)
        .map_err(|error| ConnectError::single(endpoint, ConnectPhase::Resolve, error))?;
    if addresses.is_empty() {
        let error = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        return Err(ConnectError::single(endpoint, ConnectPhase::Resolve, error));
    }

    let mut attempts = Vec::new();
    for (tried, address) in addresses.iter().enumerate() {
        // The remaining time is divided, so that an unresponsive address leaves some for the
        // others.
        let still_to_try = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        let timeout = deadline.map_or(NO_TIMEOUT, |at| at.time_left() / still_to_try);
        match connect_to(*address, timeout, &options.stream) {
            Ok(stream) => return Ok(Arc::new(stream)),
            Err(error) => attempts.push(ConnectAttempt { address: address.to_string(), error }),
        }
    }
    Err(ConnectError::new(endpoint.clone(), ConnectPhase::Connect, attempts))
}

fn connect_to(
    address: SocketAddr,
    timeout: Duration,
    options: &StreamOptions,
) -> io::Result<SocketStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    set_buffers(&socket, options)?;
    set_traffic(&socket, options)?;
    if timeout.is_zero() {
        return Err(io::ErrorKind::TimedOut.into());
    }
    socket.connect_timeout(&address.into(), timeout)?;
    let socket = std::net::TcpStream::from(socket);
    // A socket that connects to an unused ephemeral port can connect to itself.
    if socket.local_addr()? == address {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    set_up(socket, address, options)
}
