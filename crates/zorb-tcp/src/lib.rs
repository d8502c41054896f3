//! TCP, and IIOP: GIOP over TCP.
//!
//! [`TcpTransport`] implements [`Transport`] with blocking sockets: one system call to receive, one
//! to send, and no allocations. URLs:
//!
//! | | connecting | listening |
//! |---|---|---|
//! | `iiop://host:2809` | a name or IPv4 address | the address of an interface |
//! | `iiop://[2001:db8::1]:2809` | IPv6 in brackets | the same |
//! | `iiop://:2809` | this machine (`localhost`) | all interfaces, IPv6 and IPv4 |
//! | `iiop://host` | the default port, 2809 | a port that the system chooses, as with `:0` |
//! | `iiop://:2809/hostname_in_ior=name` | - | references contain `name` |
//! | `iiop://:2809/publish=name:5000` | - | references contain `name` and port 5000; may be repeated after a `&` |
//!
//! [`IiopProtocol`] is the protocol, with `TAG_INTERNET_IOP` profiles and `corbaloc:iiop:`
//! addresses.
//!
//! This crate is for Zorb itself and its facade crate `zorb`, which registers it.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod acceptor;
pub mod address;
mod connect;
pub mod datagrams;
mod iiop;
mod like;
mod listen;
mod publish;
mod stream;

use std::sync::Arc;

use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    Stream, Transport, strip_scheme,
};

use address::HostPort;

pub use iiop::{IiopProtocol, TCP_PROPERTIES};
pub use like::LikeIiop;

/// The scheme of IIOP URLs.
pub const IIOP_SCHEME: &str = "iiop";

/// The default port, as for `corbaloc`.
pub const DEFAULT_PORT: u16 = 2809;

/// TCP as a [`Transport`].
///
/// ```
/// use zorb_tcp::TcpTransport;
/// use zorb_transport::{ConnectOptions, ListenOptions, Transport};
///
/// let tcp = TcpTransport::new();
/// let acceptor = tcp.listen("iiop://127.0.0.1:0", &ListenOptions::default())?;
/// let client = tcp.connect(acceptor.endpoint(), &ConnectOptions::default())?;
/// let server = acceptor.accept()?;
/// client.send_all(b"ping")?;
/// let mut buffer = [0; 16];
/// assert_eq!(server.recv(&mut buffer)?, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TcpTransport {
    scheme: Arc<str>,
    default_port: u16,
}

impl TcpTransport {
    /// TCP with the scheme `iiop` and default port 2809.
    #[must_use]
    pub fn new() -> Self {
        Self { scheme: IIOP_SCHEME.into(), default_port: DEFAULT_PORT }
    }

    /// TCP for another protocol than GIOP, with its own scheme and default port.
    ///
    /// # Errors
    /// [`EndpointError`] if `scheme` is not a URL scheme.
    pub fn with_scheme(scheme: &str, default_port: u16) -> Result<Self, EndpointError> {
        let scheme = Endpoint::new(scheme, "")?.scheme().into();
        Ok(Self { scheme, default_port })
    }

    /// The endpoint at `host` (a name, or an address without brackets as in IIOP profiles) and
    /// `port`, in canonical form.
    ///
    /// # Errors
    /// [`EndpointError`] if `host` is neither a host name nor an IP address.
    pub fn endpoint(&self, host: &str, port: u16) -> Result<Endpoint, EndpointError> {
        HostPort::new(host, port)?.to_endpoint(&self.scheme)
    }
}

impl Default for TcpTransport {
    fn default() -> Self {
        Self::new()
    }
}

impl Transport for TcpTransport {
    fn scheme(&self) -> &str {
        &self.scheme
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        let address = strip_scheme(&self.scheme, text)?;
        HostPort::parse_remote(address, self.default_port)?.to_endpoint(&self.scheme)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        connect::connect(&self.scheme, endpoint, self.default_port, options)
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        listen::listen(&self.scheme, url, options)
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        address::url_beside(&self.scheme, acceptor)
    }

    fn has_readiness(&self) -> bool {
        true
    }
}
