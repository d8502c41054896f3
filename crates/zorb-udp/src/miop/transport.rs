//! The transport of MIOP.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use socket2::{Domain, Socket, Type};
use zorb_transport::socket::set_buffers;
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, ConnectPhase, Endpoint, EndpointError, ListenError,
    ListenOptions, PublishRules, PublishVerdict, Stream, Transport, strip_scheme,
};

use super::client::client_to;
use super::receive::Packets;
use super::{MIOP_SCHEME, Shared, group};
use crate::acceptor::UdpAcceptor;

/// UDP multicast as a [`Transport`] of MIOP's packets.
#[derive(Clone, Debug)]
pub struct MiopTransport {
    shared: Arc<Shared>,
}

pub(super) fn endpoint_of(address: SocketAddr) -> Result<Endpoint, EndpointError> {
    Endpoint::new(MIOP_SCHEME, &address.to_string())
}

impl MiopTransport {
    pub(super) fn new(shared: Shared) -> Self {
        Self { shared: Arc::new(shared) }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// A socket that has joined the group. Several processes of the machine may have one.
    fn bind(&self, group: SocketAddr) -> io::Result<UdpSocket> {
        let socket = Socket::new(Domain::for_address(group), Type::DGRAM, None)?;
        socket.set_reuse_address(true)?;
        let how = self.shared.settings();
        // Bound to the group's own address it receives only packets to the group, not others to the
        // port.
        match group.ip() {
            IpAddr::V4(ip) => {
                socket.bind(&group.into())?;
                let interface = how.interface.unwrap_or(Ipv4Addr::UNSPECIFIED);
                socket.join_multicast_v4(&ip, &interface)?;
            }
            IpAddr::V6(ip) => {
                socket.set_only_v6(true)?;
                socket.bind(&group.into())?;
                socket.join_multicast_v6(&ip, how.interface_index)?;
            }
        }
        Ok(socket.into())
    }
}

/// Checks that no rule excludes the address of a group. Rules that allow addresses are about those of servers.
fn check_published(group: SocketAddr, rules: &PublishRules) -> io::Result<()> {
    let PublishVerdict::Excluded { by: Some(rule) } = rules.check(group.ip(), &[]) else {
        return Ok(());
    };
    let why = format!("the rule {rule} of the option PublishRules excludes the group's address");
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

impl Transport for MiopTransport {
    fn scheme(&self) -> &str {
        MIOP_SCHEME
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        endpoint_of(group::parse_address(strip_scheme(MIOP_SCHEME, text)?)?)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let fail = |phase| move |error| ConnectError::single(endpoint, phase, error);
        let address = strip_scheme(MIOP_SCHEME, endpoint.as_str()).and_then(group::parse_address);
        let address = address.map_err(|error| {
            let error = io::Error::new(io::ErrorKind::InvalidInput, error.reason());
            fail(ConnectPhase::Address)(error)
        })?;
        let client = client_to(address, &options.stream, &self.shared.settings());
        Ok(Arc::new(client.map_err(fail(ConnectPhase::Connect))?))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let address = group::parse_address(strip_scheme(MIOP_SCHEME, url)?)?;
        let fail = |error| ListenError::new(url, error);
        check_published(address, &options.publish_rules).map_err(fail)?;
        let socket = self.bind(address).map_err(fail)?;
        set_buffers(&socket, &options.stream).map_err(fail)?;
        let endpoint = endpoint_of(address)?;
        let shared = Arc::clone(&self.shared);
        let unpack = Box::new(move || Box::new(Packets::new(&shared)) as Box<_>);
        let acceptor = UdpAcceptor::new(socket, endpoint.clone(), vec![endpoint], unpack);
        Ok(Arc::new(acceptor.map_err(fail)?))
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        acceptor.endpoint().as_str().to_owned()
    }
}
