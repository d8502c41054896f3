//! The in-process transport with somebody who writes down what is done with its streams.
#![allow(unreachable_pub, missing_debug_implementations, clippy::unwrap_used)]

use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{
    AcceptError, Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError,
    ListenOptions, ProfileError, Protocol, ResolvedProfile, Stream, Transport,
};

/// Whom a stream leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Toward {
    Client,
    Server,
}

/// Octets in memory: where, and how many.
pub type Place = (usize, usize);

/// Something that was done with a stream.
#[derive(Clone, Debug)]
pub struct Done {
    pub thread: ThreadId,
    pub toward: Toward,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    /// Octets came, into a space of so many.
    Received(Place, usize),
    /// Octets were sent from these places.
    Sent(Vec<Place>),
}

/// What was done, in its order.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<Done>>>);

impl Log {
    fn note(&self, toward: Toward, what: What) {
        let thread = thread::current().id();
        self.0.lock().unwrap().push(Done { thread, toward, what });
    }

    pub fn all(&self) -> Vec<Done> {
        self.0.lock().unwrap().clone()
    }
}

/// GIOP over streams that are watched.
#[derive(Debug)]
pub struct WatchedProtocol {
    plain: InprocProtocol,
    watched: Watched,
}

#[derive(Debug)]
struct Watched {
    plain: InprocTransport,
    log: Log,
}

impl WatchedProtocol {
    pub fn new(transport: InprocTransport, log: Log) -> Self {
        let plain = InprocProtocol::new(transport.clone());
        Self { plain, watched: Watched { plain: transport, log } }
    }
}

impl Protocol for WatchedProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.watched
    }

    fn profile_tag(&self) -> ProfileTag {
        self.plain.profile_tag()
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.plain.decode_profile(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        self.plain.encode_profile(endpoints, version, object_key, components)
    }
}

impl Transport for Watched {
    fn scheme(&self) -> &str {
        self.plain.scheme()
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        self.plain.parse_endpoint(text)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let plain = self.plain.connect(endpoint, options)?;
        Ok(Arc::new(WatchedStream { plain, toward: Toward::Server, log: self.log.clone() }))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let plain = self.plain.listen(url, options)?;
        Ok(Arc::new(WatchedAcceptor { plain, log: self.log.clone() }))
    }
}

#[derive(Debug)]
struct WatchedAcceptor {
    plain: Arc<dyn Acceptor>,
    log: Log,
}

impl Acceptor for WatchedAcceptor {
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        let plain = self.plain.accept()?;
        Ok(Arc::new(WatchedStream { plain, toward: Toward::Client, log: self.log.clone() }))
    }

    fn close(&self) {
        self.plain.close();
    }

    fn endpoint(&self) -> &Endpoint {
        self.plain.endpoint()
    }

    fn published(&self) -> &[Endpoint] {
        self.plain.published()
    }
}

struct WatchedStream {
    plain: Arc<dyn Stream>,
    toward: Toward,
    log: Log,
}

impl fmt::Debug for WatchedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.plain, f)
    }
}

fn place(octets: &[u8]) -> Place {
    (octets.as_ptr().addr(), octets.len())
}

impl Stream for WatchedStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.plain.recv(buffer)?;
        let (at, space) = place(buffer);
        self.log.note(self.toward, What::Received((at, count), space));
        Ok(count)
    }

    // Written down before, for the peer may read it before this returns.
    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.log.note(self.toward, What::Sent(vec![place(bytes)]));
        self.plain.send_all(bytes)
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let places = parts.iter().map(|part| place(part)).collect();
        self.log.note(self.toward, What::Sent(places));
        self.plain.send_vectored_all(parts)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.plain.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.plain.set_send_timeout(timeout)
    }

    fn is_stale(&self) -> bool {
        self.plain.is_stale()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.plain.shutdown(how)
    }

    fn peer(&self) -> &str {
        self.plain.peer()
    }

    fn local(&self) -> &str {
        self.plain.local()
    }
}
