//! UDP: DIOP, which is GIOP in datagrams as TAO has it, and [MIOP](miop) by multicast.
//!
//! A request is a datagram. So it is one that is not answered, of at most 65,507 octets with all that
//! belongs to it; it may be lost, and come after one that was sent later. What is in a datagram and is
//! not such a request is dropped and counted, and nothing else comes of it.
//!
//! | | connecting | listening |
//! |---|---|---|
//! | `diop://host:2809` | a name or IPv4 address | the address of one interface |
//! | `diop://[2001:db8::1]:2809` | IPv6 goes in brackets | the same |
//! | `diop://:2809`, `diop://` | - | all IPv4 interfaces; without a port one that the system chooses |
//!
//! There are no connections. A server has one [`Stream`] for its socket, out of which the requests of
//! all clients come as if one had sent them; a client's stream takes what fits a datagram and brings
//! nothing back. Two-way calls take another profile of the reference, or fail
//! ([`Protocol::carries_replies`](zorb_transport::Protocol::carries_replies)).
//!
//! [`miop`] sends such calls to groups of objects, by multicast.
//!
//! This crate is for Zorb itself and its facade crate `zorb`, which registers it.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod client;
mod counters;
mod datagram;
mod diop;
mod listen;
pub mod miop;
mod server;

use std::io;
use std::net::ToSocketAddrs;
use std::sync::Arc;

use counters::Counters;
use zorb_giop::{Form, GiopVersion, Messaging};
use zorb_tcp::address::HostPort;
use zorb_transport::{
    Acceptor, ConnectAttempt, ConnectError, ConnectOptions, ConnectPhase, Endpoint, EndpointError,
    ListenError, ListenOptions, Stream, Transport, strip_scheme,
};

pub use datagram::{Datagram, MAX_DATAGRAM};
pub use diop::DiopProtocol;

/// The scheme of URLs that mean UDP under GIOP.
pub const DIOP_SCHEME: &str = "diop";

/// The port where none is given, as for IIOP.
pub const DEFAULT_PORT: u16 = 2809;

/// UDP as a [`Transport`]. Clones are the same one: they count together.
#[derive(Clone, Debug)]
pub struct UdpTransport {
    counters: Arc<Counters>,
    /// What frames the requests; `None` for GIOP.
    messaging: Option<&'static dyn Messaging>,
}

impl Default for UdpTransport {
    fn default() -> Self {
        Self { counters: Arc::new(Counters::new(&datagram::NAMES)), messaging: None }
    }
}

impl UdpTransport {
    /// UDP with the scheme `diop`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// UDP for requests that another messaging protocol frames: datagrams with anything else in them are
    /// dropped.
    #[must_use]
    pub fn carrying(messaging: &'static dyn Messaging) -> Self {
        Self { messaging: Some(messaging), ..Self::default() }
    }

    /// What its sockets have received, each number with its name.
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
        let addresses = (host.as_str(), target.port).to_socket_addrs();
        let mut attempts = Vec::new();
        // Nobody answers, so the first address that there is a way to is the one.
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
        listen::listen(
            url,
            options,
            &self.counters,
            Form::new(self.messaging, GiopVersion::HIGHEST),
        )
    }
}
