//! Connecting and listening.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use socket2::SockRef;
use zorb_tcp::address::HostPort;
use zorb_transport::socket::datagram;
use zorb_transport::{
    Acceptor, ConnectAttempt, ConnectError, ConnectOptions, ConnectPhase, Endpoint, EndpointError,
    ListenError, ListenOptions, Stream, StreamOptions, Transport, strip_scheme,
};

use crate::acceptor::{Listener, RudpAcceptor};
use crate::connection::{Connection, Settings};
use crate::link::{Link, Way};
use crate::stream::{RudpStream, connected};
use crate::timers::{Timers, now};

/// The scheme of URLs.
pub const RUDP_SCHEME: &str = "rudp";

/// The port where none is given, as for IIOP.
pub const DEFAULT_PORT: u16 = 2809;

/// How much the system is asked to keep for a socket that nobody has received yet.
const SOCKET_BUFFER: usize = 1 << 20;

/// A reliable stream over UDP as a [`Transport`]: `rudp://host:port`.
///
/// | | connecting | listening |
/// |---|---|---|
/// | `rudp://host:2809` | a name or address | the address of one interface |
/// | `rudp://[2001:db8::1]:2809` | IPv6 goes in brackets | the same |
/// | `rudp://:2809`, `rudp://` | - | all IPv4 interfaces; without a port one that the system chooses |
///
/// A client's connection has a socket and a thread of its own; those of a server share both. One thread
/// more keeps the time for all of a transport and its clones.
#[derive(Clone, Debug, Default)]
pub struct RudpTransport {
    timers: Arc<Timers>,
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

    fn connect_to(
        &self,
        to: SocketAddr,
        options: &StreamOptions,
        deadline: Option<Instant>,
    ) -> io::Result<RudpStream> {
        let any: IpAddr = match to {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = UdpSocket::bind((any, 0))?;
        socket.connect(to)?;
        // The system may give less, which is no error.
        let _ = SockRef::from(&socket).set_recv_buffer_size(SOCKET_BUFFER);
        let local = socket.local_addr()?.to_string();
        let connection = Connection::connect(random(), self.settings(options), now());
        let link = Link::new(Way::Own(socket), connection, &self.timers);
        let receiving = Arc::clone(&link);
        let receiver = thread::Builder::new().name("zorb-rudp".to_owned());
        receiver.spawn(move || receiving.run())?;
        let stream = RudpStream::new(Arc::clone(&link), to.to_string(), local);
        link.change(|_| {});
        if let Err(error) = connected(&link, deadline) {
            link.change(Connection::abort);
            return Err(error);
        }
        Ok(stream)
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
        let fail = |phase| move |error| ConnectError::single(endpoint, phase, error);
        let bad_address = |error: EndpointError| {
            let error = io::Error::new(io::ErrorKind::InvalidInput, error.reason());
            fail(ConnectPhase::Address)(error)
        };
        let address = strip_scheme(RUDP_SCHEME, endpoint.as_str()).map_err(bad_address)?;
        let target = HostPort::parse_remote(address, DEFAULT_PORT).map_err(bad_address)?;
        let host = target.host.to_profile_host();
        let addresses = (host.as_str(), target.port).to_socket_addrs();
        let deadline = options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut attempts = Vec::new();
        for address in addresses.map_err(fail(ConnectPhase::Resolve))? {
            match self.connect_to(address, &options.stream, deadline) {
                Ok(stream) => return Ok(Arc::new(stream)),
                Err(error) => attempts.push(ConnectAttempt { address: address.to_string(), error }),
            }
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                break;
            }
        }
        if attempts.is_empty() {
            let error = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
            return Err(fail(ConnectPhase::Resolve)(error));
        }
        Err(ConnectError::new(endpoint.clone(), ConnectPhase::Connect, attempts))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let address = strip_scheme(RUDP_SCHEME, url)?;
        let fail = |error| ListenError::new(url, error);
        let (host, port) = datagram::split(address)?;
        let socket = datagram::bind(host, port).map_err(fail)?;
        let _ = SockRef::from(&socket).set_recv_buffer_size(SOCKET_BUFFER);
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
        let backlog = usize::try_from(options.backlog).unwrap_or(usize::MAX);
        let settings = self.settings(&options.stream);
        let listener = Listener::new(socket, settings, backlog, &self.timers).map_err(fail)?;
        let acceptor = RudpAcceptor {
            listener: Arc::clone(&listener),
            endpoint: endpoint.to_endpoint(RUDP_SCHEME)?,
            published: [published.to_endpoint(RUDP_SCHEME)?],
        };
        let receiver = thread::Builder::new().name("zorb-rudp-in".to_owned());
        receiver.spawn(move || listener.run()).map_err(fail)?;
        Ok(Arc::new(acceptor))
    }
}

/// A number that nobody can guess: what the standard library's hash tables are seeded with.
pub(crate) fn random() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(now());
    hasher.finish()
}
