//! Addresses of datagram sockets, for authors of transports: hosts and ports as in TCP.

mod driven;

use std::io;
use std::net::{IpAddr, UdpSocket};

use zorb_transport::socket::datagram;
use zorb_transport::{
    ConnectError, ConnectPhase, Endpoint, EndpointError, ListenError, ListenOptions, strip_scheme,
};

use crate::address::HostPort;

pub use driven::DrivenTransport;

/// A bound socket.
#[derive(Debug)]
pub struct Bound {
    /// The socket.
    pub socket: UdpSocket,
    /// Its address.
    pub endpoint: Endpoint,
    /// The endpoint for references: the published host of the options, otherwise the name in the
    /// URL, otherwise a reachable address.
    pub published: Endpoint,
}

/// Binds a socket at the address of a URL `scheme://host:port`, by default at all IPv4 interfaces
/// and a port that the system chooses.
///
/// # Errors
/// The URL has another scheme or form, or a system call fails.
pub fn bind(scheme: &str, url: &str, options: &ListenOptions) -> Result<Bound, ListenError> {
    let fail = |error| ListenError::new(url, error);
    let (host, port) = datagram::split(strip_scheme(scheme, url)?)?;
    let socket = datagram::bind(host, port).map_err(fail)?;
    let bound = socket.local_addr().map_err(fail)?;
    let endpoint = HostPort::new(&bound.ip().to_string(), bound.port())?;
    let published = match &options.published_host {
        Some(name) => HostPort::new(name, bound.port())?,
        None if !host.is_empty() && host.parse::<IpAddr>().is_err() => {
            HostPort::new(host, bound.port())?
        }
        None => {
            HostPort::new(&datagram::reachable(bound).map_err(fail)?.to_string(), bound.port())?
        }
    };
    let (endpoint, published) = (endpoint.to_endpoint(scheme)?, published.to_endpoint(scheme)?);
    Ok(Bound { socket, endpoint, published })
}

/// The host and port of an endpoint.
///
/// # Errors
/// The endpoint has another scheme or form; the phase is `Address`.
pub fn remote(
    scheme: &str,
    endpoint: &Endpoint,
    default_port: u16,
) -> Result<HostPort, ConnectError> {
    let address = strip_scheme(scheme, endpoint.as_str());
    address.and_then(|address| HostPort::parse_remote(address, default_port)).map_err(
        |error: EndpointError| {
            let error = io::Error::new(io::ErrorKind::InvalidInput, error.reason());
            ConnectError::single(endpoint, ConnectPhase::Address, error)
        },
    )
}
