//! Connecting and listening.

use std::sync::Arc;

use zorb_tcp::address::HostPort;
use zorb_tcp::datagrams::{self, Bound};
use zorb_transport::driven::Driver;
use zorb_transport::socket::set_traffic;
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    Stream, StreamOptions, Transport, strip_scheme,
};

use crate::connection::{Connection, Settings};

/// The scheme of URLs.
pub const RUDP_SCHEME: &str = "rudp";

/// The port where none is given, as for IIOP.
pub const DEFAULT_PORT: u16 = 2809;

/// A reliable stream over UDP as a [`Transport`]: `rudp://host:port`.
///
/// | | connecting | listening |
/// |---|---|---|
/// | `rudp://host:2809` | a name or address | the address of one interface |
/// | `rudp://[2001:db8::1]:2809` | IPv6 goes in brackets | the same |
/// | `rudp://:2809`, `rudp://` | - | all IPv4 interfaces; without a port one that the system chooses |
///
/// A client's connection has a socket and a thread of its own; those of a server share both. One thread
/// more keeps the time for the connections of an endpoint, and one for those of all clients of a
/// transport and its clones.
#[derive(Clone, Debug, Default)]
pub struct RudpTransport {
    driver: Driver<Connection>,
    settings: Settings,
}

impl RudpTransport {
    /// The transport as it is by default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The transport with other settings.
    #[must_use]
    pub fn with(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    fn settings(&self, options: &StreamOptions) -> Settings {
        let Settings { send_buffer, receive_buffer, .. } = self.settings;
        Settings {
            send_buffer: options.send_buffer.unwrap_or(send_buffer),
            receive_buffer: options.recv_buffer.unwrap_or(receive_buffer),
            ..self.settings
        }
    }
}

impl Transport for RudpTransport {
    fn scheme(&self) -> &str {
        RUDP_SCHEME
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        let address = strip_scheme(RUDP_SCHEME, text)?;
        HostPort::parse_remote(address, DEFAULT_PORT)?.to_endpoint(RUDP_SCHEME)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let target = datagrams::remote(RUDP_SCHEME, endpoint, DEFAULT_PORT)?;
        let host = target.host.to_profile_host();
        let settings = self.settings(&options.stream);
        self.driver.connect(endpoint, (&host, target.port), settings, options)
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let Bound { socket, endpoint, published } = datagrams::bind(RUDP_SCHEME, url, options)?;
        let fail = |error| ListenError::new(url, error);
        set_traffic(&socket, &options.stream).map_err(fail)?;
        let settings = self.settings(&options.stream);
        let listening = self.driver.listen(socket, settings, options, (endpoint, published));
        listening.map_err(fail)
    }
}
