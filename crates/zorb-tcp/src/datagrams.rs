//! Addresses of datagram sockets, for authors of transports: hosts and ports as in TCP.

mod driven;

use std::io;
use std::net::UdpSocket;

use zorb_transport::socket::datagram;
use zorb_transport::{
    ConnectError, ConnectPhase, Endpoint, EndpointError, ListenError, ListenOptions, strip_scheme,
};

use crate::address::{Host, HostPort, ListenAddress};
use crate::publish;

pub use driven::DrivenTransport;

/// A bound socket.
#[derive(Debug)]
pub struct Bound {
    /// The socket.
    pub socket: UdpSocket,
    /// Its address.
    pub endpoint: Endpoint,
    /// The endpoints for references: `publish` or `hostname_in_ior` of the URL, otherwise the published host of the
    /// options, otherwise the host given by name, otherwise a reachable address or those that the rules allow.
    pub published: Vec<Endpoint>,
}

/// Binds a socket at the address of a URL `scheme://host:port`, by default at all IPv4 interfaces and a port that the
/// system chooses. The URL may have options as those of TCP.
///
/// # Errors
/// The URL has another scheme or form, the rules of the options exclude all addresses, or a system call fails.
pub fn bind(scheme: &str, url: &str, options: &ListenOptions) -> Result<Bound, ListenError> {
    let fail = |error| ListenError::new(url, error);
    let address = ListenAddress::parse(strip_scheme(scheme, url)?)?;
    let name = address.host.as_ref().map(Host::to_profile_host).unwrap_or_default();
    let socket = datagram::bind(&name, address.port).map_err(fail)?;
    let published = publish::endpoints(scheme, url, &address, &socket, options)?;
    let bound = socket.local_addr().map_err(fail)?;
    let endpoint = HostPort { host: Host::Ip(bound.ip()), port: bound.port() };
    let endpoint = endpoint.to_endpoint(scheme)?;
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
