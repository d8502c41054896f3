//! The transport of DIOP.

use std::io;
use std::sync::Arc;

use zorb_giop::{GiopVersion, MessageFormat, Messaging};
use zorb_os::clock::MonotonicTime;
use zorb_tcp::address::{HostPort, url_beside};
use zorb_tcp::datagrams::{self, Bound};
use zorb_transport::socket::set_buffers;
use zorb_transport::{
    Acceptor, ConnectAttempt, ConnectError, ConnectOptions, ConnectPhase, Endpoint, EndpointError,
    ListenError, ListenOptions, Stream, Transport, resolve, strip_scheme,
};

use crate::acceptor::UdpAcceptor;
use crate::client;
use crate::counters::Counters;
use crate::datagram::{NAMES, Requests};

/// The scheme of DIOP URLs.
pub const DIOP_SCHEME: &str = "diop";

/// The default port, as for IIOP.
pub const DEFAULT_PORT: u16 = 2809;

/// UDP as a [`Transport`]. Clones share their counters.
#[derive(Clone, Debug)]
pub struct UdpTransport {
    counters: Arc<Counters>,
    /// The messaging protocol of the requests; `None` for GIOP.
    messaging: Option<&'static dyn Messaging>,
}

impl Default for UdpTransport {
    fn default() -> Self {
        Self { counters: Arc::new(Counters::new(&NAMES)), messaging: None }
    }
}

impl UdpTransport {
    /// UDP with the scheme `diop`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// UDP for requests of another messaging protocol: other datagrams are dropped.
    #[must_use]
    pub fn carrying(messaging: &'static dyn Messaging) -> Self {
        Self { messaging: Some(messaging), ..Self::default() }
    }

    /// The counters of received datagrams by name.
    #[must_use]
    pub fn counters(&self) -> Vec<(&'static str, u64)> {
        self.counters.all()
    }
}

impl Transport for UdpTransport {
    fn scheme(&self) -> &str {
        DIOP_SCHEME
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        let address = strip_scheme(DIOP_SCHEME, text)?;
        HostPort::parse_remote(address, DEFAULT_PORT)?.to_endpoint(DIOP_SCHEME)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let fail = |phase| move |error| ConnectError::single(endpoint, phase, error);
        let bad_address = |error: EndpointError| {
            let error = io::Error::new(io::ErrorKind::InvalidInput, error.reason());
            fail(ConnectPhase::Address)(error)
        };
        let address = strip_scheme(DIOP_SCHEME, endpoint.as_str()).map_err(bad_address)?;
        let target = HostPort::parse_remote(address, DEFAULT_PORT).map_err(bad_address)?;
        let host = target.host.to_profile_host();
        let deadline = options.timeout.map(|timeout| MonotonicTime::now() + timeout);
        let addresses = resolve(&host, target.port, deadline);
        let mut attempts = Vec::new();
        // There is no answer to wait for, so the first address with a route is used.
        for address in addresses.map_err(fail(ConnectPhase::Resolve))? {
            match client::UdpClient::to(address, client::Whole, &options.stream, |_| Ok(())) {
                Ok(stream) => return Ok(Arc::new(stream)),
                Err(error) => attempts.push(ConnectAttempt { address: address.to_string(), error }),
            }
        }
        if attempts.is_empty() {
            let error = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
            return Err(fail(ConnectPhase::Resolve)(error));
        }
        Err(ConnectError::new(endpoint.clone(), ConnectPhase::Connect, attempts))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let Bound { socket, endpoint, published } = datagrams::bind(DIOP_SCHEME, url, options)?;
        let fail = |error| ListenError::new(url, error);
        set_buffers(&socket, &options.stream).map_err(fail)?;
        let counters = Arc::clone(&self.counters);
        let form = MessageFormat::new(self.messaging, GiopVersion::HIGHEST);
        let unpack = Box::new(move || Box::new(Requests::new(&counters, form)) as Box<_>);
        Ok(Arc::new(UdpAcceptor::new(socket, endpoint, published, unpack).map_err(fail)?))
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        url_beside(DIOP_SCHEME, acceptor)
    }
}
