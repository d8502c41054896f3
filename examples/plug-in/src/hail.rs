//! A transport, and the protocol of GIOP over it: `hail://host:port`.
//!
//! It is TCP with a greeting from the server, so that a client detects at once when another program
//! owns the port.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use zorb::cdr::ByteOrder;
use zorb::giop::{GiopVersion, IiopProfile, ProfileTag, TaggedComponent, TaggedProfile};
use zorb::options::{OptionSet, OptionSets, StreamOptions};
use zorb::transport::socket::{ListeningSocket, SocketAcceptor, SocketStream, set_buffers};
use zorb::transport::{
    Acceptor, ConnectError, ConnectOptions, ConnectPhase, Endpoint, EndpointError, ListenError,
    ListenOptions, ProfileError, Protocol, ResolvedProfile, Stream, Transport, strip_scheme,
};

const SCHEME: &str = "hail";
/// The server's greeting.
const HAIL: &[u8; 8] = b"HAIL/1\r\n";

zorb::transport::options! {
    /// The options of an ORB with the protocol: `-ORBHailTimeout 500`, a variable, or a line of a file.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HailOptions of "hail", set by (trait SetHailOptions) {
        /// Maximum time that a client waits for the server's greeting.
        "HailTimeout" hail_timeout: Duration = Duration::from_secs(5), 1..=3_600_000, "ms";
    }
}

/// The transport.
#[derive(Debug, Default)]
pub struct HailTransport {
    options: RwLock<HailOptions>,
}

impl HailTransport {
    fn timeout(&self) -> Duration {
        self.options.read().unwrap_or_else(PoisonError::into_inner).hail_timeout
    }
}

/// An error that truncates the address, which may come from an untrusted peer.
fn refused(address: &str, why: &str) -> EndpointError {
    let shown: String = address.chars().take(80).collect();
    EndpointError::new(&shown, why)
}

/// `host:port` in canonical form, with a numeric port.
fn endpoint(address: &str) -> Result<Endpoint, EndpointError> {
    let bad = |why| refused(address, why);
    let (host, port) = address.rsplit_once(':').ok_or_else(|| bad("host:port is wanted"))?;
    let port: u16 = port.parse().map_err(|_| bad("the port is a number up to 65535"))?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
    if host.is_empty() || !host.chars().all(is_name) {
        return Err(bad("the host is a name or an IPv4 address"));
    }
    Endpoint::new(SCHEME, &format!("{}:{port}", host.to_ascii_lowercase()))
}

impl Transport for HailTransport {
    fn scheme(&self) -> &str {
        SCHEME
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        let endpoint = endpoint(strip_scheme(SCHEME, text)?)?;
        if endpoint.address().ends_with(":0") {
            return Err(refused(text, "nobody listens at port 0"));
        }
        Ok(endpoint)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let fail = |phase| move |error| ConnectError::single(endpoint, phase, error);
        if let Err(error) = self.parse_endpoint(endpoint.as_str()) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, error.reason());
            return Err(fail(ConnectPhase::Address)(error));
        }
        let addresses = endpoint.address().to_socket_addrs();
        let addresses = addresses.map_err(fail(ConnectPhase::Resolve))?;
        let timeout = self.timeout();
        let limit = options.timeout.unwrap_or(timeout).max(Duration::from_millis(1));
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in addresses {
            match TcpStream::connect_timeout(&address, limit) {
                Ok(socket) => {
                    let stream = await_hail(&socket, limit.min(timeout))
                        .and_then(|()| stream(socket, address, &options.stream));
                    return Ok(Arc::new(stream.map_err(fail(ConnectPhase::Setup))?));
                }
                Err(error) => failure = error,
            }
        }
        Err(fail(ConnectPhase::Connect)(failure))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let asked = endpoint(strip_scheme(SCHEME, url)?)?;
        let fail = |error| ListenError::new(url, error);
        let listener = TcpListener::bind(asked.address()).map_err(fail)?;
        set_buffers(&listener, &options.stream).map_err(fail)?;
        let bound = listener.local_addr().map_err(fail)?;
        let host = asked.address().rsplit_once(':').map_or("", |(host, _)| host);
        let host = options.published_host.as_deref().unwrap_or(host);
        let published = endpoint(&format!("{host}:{}", bound.port()))?;
        let socket = Listening { listener, options: options.stream.clone() };
        Ok(Arc::new(SocketAcceptor::new(socket, endpoint(&bound.to_string())?, vec![published])))
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        let address = acceptor.endpoint().address();
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        format!("{SCHEME}://{host}:0")
    }
}

/// Waits for the server's greeting.
fn await_hail(mut socket: &TcpStream, limit: Duration) -> io::Result<()> {
    let mut said = [0; HAIL.len()];
    socket.set_read_timeout(Some(limit))?;
    socket.read_exact(&mut said).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => {
            io::Error::new(io::ErrorKind::TimedOut, format!("no hail within {limit:?}"))
        }
        _ => error,
    })?;
    socket.set_read_timeout(None)?;
    if &said != HAIL {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the server speaks otherwise"));
    }
    Ok(())
}

/// A connected socket as a stream; `SocketStream` fits every kind of socket.
fn stream(
    socket: TcpStream,
    peer: SocketAddr,
    options: &StreamOptions,
) -> io::Result<SocketStream> {
    socket.set_nodelay(options.no_delay)?;
    let local = socket.local_addr()?.to_string();
    Ok(SocketStream::new(socket, local, peer.to_string()))
}

/// A listening socket; `SocketAcceptor` adds the rest.
#[derive(Debug)]
struct Listening {
    listener: TcpListener,
    options: StreamOptions,
}

impl AsFd for Listening {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl ListeningSocket for Listening {
    type Connection = (TcpStream, SocketAddr);
    type Stream = SocketStream;

    fn accept(&self) -> io::Result<Self::Connection> {
        self.listener.accept()
    }

    fn set_up(&self, (mut socket, peer): Self::Connection) -> io::Result<SocketStream> {
        // Never blocks: a new connection's send buffer has room for eight octets.
        socket.write_all(HAIL)?;
        stream(socket, peer, &self.options)
    }
}

/// The tag of the protocol's profiles: any number that is not in use.
const PROFILE_TAG: ProfileTag = ProfileTag(0x706c_7501);

/// GIOP over the transport. Its profiles have the layout of IIOP's.
#[derive(Debug, Default)]
pub struct HailProtocol {
    transport: HailTransport,
}

impl Protocol for HailProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn profile_tag(&self) -> ProfileTag {
        PROFILE_TAG
    }

    fn options(&self) -> Option<Box<dyn OptionSet>> {
        Some(Box::new(HailOptions::default()))
    }

    fn configure(
        &self,
        options: &OptionSets,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if let Some(own) = options.get::<HailOptions>() {
            *self.transport.options.write().unwrap_or_else(PoisonError::into_inner) = own.clone();
        }
        Ok(())
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(PROFILE_TAG, profile)?;
        let IiopProfile { version, host, port, object_key, components } =
            IiopProfile::decode(&profile.data)?;
        let endpoint = self.transport.parse_endpoint(&format!("{host}:{port}"))?;
        Ok(ResolvedProfile { version, endpoints: vec![endpoint], object_key, components })
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        let endpoint = endpoints.first().ok_or(ProfileError::NoEndpoint)?;
        let endpoint = self.transport.parse_endpoint(endpoint.as_str())?;
        let (host, port) = endpoint.address().rsplit_once(':').ok_or(ProfileError::NoEndpoint)?;
        let profile = IiopProfile {
            version,
            host: host.to_owned(),
            port: port.parse().map_err(|_| ProfileError::NoEndpoint)?,
            object_key: object_key.to_vec(),
            components: components.to_vec(),
        };
        let data = profile.encode(ByteOrder::NATIVE)?.data;
        Ok(TaggedProfile { tag: PROFILE_TAG, data })
    }
}
