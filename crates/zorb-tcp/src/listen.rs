//! Listening.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use socket2::{Domain, Protocol, Socket, Type};
use zorb_transport::socket::{self, SocketAcceptor, lacks_address, set_buffers};
use zorb_transport::{Acceptor, ListenError, ListenOptions, resolve, strip_scheme};

use crate::acceptor::ListeningTcp;
use crate::address::{Host, HostPort, ListenAddress};
use crate::publish;

pub(crate) fn listen(
    scheme: &str,
    url: &str,
    options: &ListenOptions,
) -> Result<Arc<dyn Acceptor>, ListenError> {
    let address = ListenAddress::parse(strip_scheme(scheme, url)?)?;
    let fail = |error| ListenError::new(url, error);
    let socket = bind(&address, options).map_err(fail)?;
    let published = publish::endpoints(scheme, url, &address, &socket, options)?;
    let listener = std::net::TcpListener::from(socket);
    let bound = listener.local_addr().map_err(fail)?;
    let endpoint = HostPort { host: Host::Ip(bound.ip()), port: bound.port() };
    let endpoint = endpoint.to_endpoint(scheme)?;
    let socket = ListeningTcp { listener, options: options.stream.clone() };
    Ok(Arc::new(SocketAcceptor::new(socket, endpoint, published).with_options(options)))
}

/// Binds to the first address of the host that this machine has. If its port is in use there, that is an error: at
/// another address, two servers would share the host's name, and clients would reach either of them.
fn bind(address: &ListenAddress, options: &ListenOptions) -> io::Result<Socket> {
    let port = address.port;
    let Some(host) = &address.host else {
        // An IPv6 socket also accepts IPv4; without IPv6 on the machine, IPv4 is sufficient.
        return match bind_to((Ipv6Addr::UNSPECIFIED, port).into(), options) {
            Err(error) if lacks_address(&error) => {
                bind_to((Ipv4Addr::UNSPECIFIED, port).into(), options)
            }
            done => done,
        };
    };
    let addresses = resolve(&host.to_profile_host(), port, None)?;
    // If a name stands for both, peers are more likely to use IPv4.
    let (v4, v6): (Vec<_>, Vec<_>) = addresses.into_iter().partition(SocketAddr::is_ipv4);
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in v4.into_iter().chain(v6) {
        match bind_to(address, options) {
            Err(error) if lacks_address(&error) => failure = error,
            done => return done,
        }
    }
    Err(failure)
}

fn bind_to(address: SocketAddr, options: &ListenOptions) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if options.reuse_address {
        socket.set_reuse_address(true)?;
    }
    if address.is_ipv6() {
        socket.set_only_v6(!address.ip().is_unspecified())?;
    }
    // Accepted sockets inherit them.
    set_buffers(&socket, &options.stream)?;
    socket.bind(&address.into())?;
    socket::listen(&socket, options)?;
    Ok(socket)
}
