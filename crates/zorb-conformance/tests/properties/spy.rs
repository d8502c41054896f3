//! A protocol that keeps the streams of another one, and what is sent over them.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb::giop::{GiopVersion, Messaging, ProfileTag, TaggedComponent, TaggedProfile};
use zorb::transport::{
    AcceptError, Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, Groups,
    ListenError, ListenOptions, PeerIdentity, ProfileError, Protocol, ReceivedBuffer,
    ResolvedProfile, SendBuffer, Stream, StreamOptions, Transport,
};

type Streams = Arc<Mutex<Vec<Arc<SpyStream>>>>;

/// A protocol whose streams are kept.
#[derive(Debug)]
pub(crate) struct Spied {
    inner: Arc<dyn Protocol>,
    transport: SpyTransport,
}

impl Spied {
    pub(crate) fn new(inner: Arc<dyn Protocol>) -> Self {
        let transport = SpyTransport {
            inner: Arc::clone(&inner),
            connected: Streams::default(),
            accepted: Streams::default(),
        };
        Self { inner, transport }
    }

    /// The stream that was connected last.
    pub(crate) fn connected(&self) -> Arc<SpyStream> {
        Arc::clone(self.transport.connected.lock().unwrap().last().unwrap())
    }

    /// How many were accepted.
    pub(crate) fn count(&self) -> usize {
        self.transport.accepted.lock().unwrap().len()
    }

    /// The stream that was accepted last.
    pub(crate) fn accepted(&self) -> Arc<SpyStream> {
        Arc::clone(self.transport.accepted.lock().unwrap().last().unwrap())
    }
}

impl Protocol for Spied {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn messaging(&self) -> Option<&'static dyn Messaging> {
        self.inner.messaging()
    }

    fn carries_replies(&self) -> bool {
        self.inner.carries_replies()
    }

    fn groups(&self) -> Option<&dyn Groups> {
        self.inner.groups()
    }

    fn also_reached_by(&self, profile: &ResolvedProfile) -> Vec<TaggedProfile> {
        self.inner.also_reached_by(profile)
    }

    fn priority_component(&self, endpoints: &[Endpoint], priority: i16) -> Option<TaggedComponent> {
        self.inner.priority_component(endpoints, priority)
    }

    fn endpoint_priority(&self, profile: &ResolvedProfile, endpoint: &Endpoint) -> Option<i16> {
        self.inner.endpoint_priority(profile, endpoint)
    }

    fn profile_tag(&self) -> ProfileTag {
        self.inner.profile_tag()
    }

    fn corbaloc_prefix(&self) -> &str {
        self.inner.corbaloc_prefix()
    }

    fn extends_profiles(&self) -> bool {
        self.inner.extends_profiles()
    }

    fn join_profile(&self, own: &TaggedProfile, other: &mut TaggedProfile) -> bool {
        self.inner.join_profile(own, other)
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.inner.decode_profile(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        self.inner.encode_profile(endpoints, version, object_key, components)
    }

    fn parse_corbaloc_address(&self, address: &str) -> Result<Endpoint, EndpointError> {
        self.inner.parse_corbaloc_address(address)
    }
}

#[derive(Debug)]
struct SpyTransport {
    inner: Arc<dyn Protocol>,
    connected: Streams,
    accepted: Streams,
}

fn keep(streams: &Streams, inner: Arc<dyn Stream>) -> Arc<dyn Stream> {
    let stream = Arc::new(SpyStream { inner, sent: Mutex::default() });
    streams.lock().unwrap().push(Arc::clone(&stream));
    stream
}

impl Transport for SpyTransport {
    fn scheme(&self) -> &str {
        self.inner.scheme()
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        self.inner.transport().parse_endpoint(text)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let stream = self.inner.transport().connect(endpoint, options)?;
        Ok(keep(&self.connected, stream))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let inner = self.inner.transport().listen(url, options)?;
        Ok(Arc::new(SpyAcceptor { inner, accepted: Arc::clone(&self.accepted) }))
    }
}

#[derive(Debug)]
struct SpyAcceptor {
    inner: Arc<dyn Acceptor>,
    accepted: Streams,
}

impl Acceptor for SpyAcceptor {
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        Ok(keep(&self.accepted, self.inner.accept()?))
    }

    fn close(&self) {
        self.inner.close();
    }

    fn endpoint(&self) -> &Endpoint {
        self.inner.endpoint()
    }

    fn published(&self) -> &[Endpoint] {
        self.inner.published()
    }
}

/// What was sent at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// In how many parts it lay.
    pub(crate) parts: usize,
    pub(crate) octets: Vec<u8>,
}

/// A stream that keeps what is sent over it.
#[derive(Debug)]
pub(crate) struct SpyStream {
    inner: Arc<dyn Stream>,
    sent: Mutex<Vec<Sent>>,
}

impl SpyStream {
    /// What was sent since this was asked last.
    pub(crate) fn take_sent(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.sent.lock().unwrap())
    }
}

impl Stream for SpyStream {
    fn establish(&self) -> io::Result<()> {
        self.inner.establish()
    }

    fn is_established(&self) -> bool {
        self.inner.is_established()
    }

    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.recv(buffer)
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.inner.try_recv(buffer)
    }

    fn gives_all(&self) -> bool {
        self.inner.gives_all()
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.sent.lock().unwrap().push(Sent { parts: 1, octets: bytes.to_vec() });
        self.inner.send_all(bytes)
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let octets = parts.iter().flat_map(|part| part.iter().copied()).collect();
        self.sent.lock().unwrap().push(Sent { parts: parts.len(), octets });
        self.inner.send_vectored_all(parts)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.inner.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.inner.set_send_timeout(timeout)
    }

    fn is_stale(&self) -> bool {
        self.inner.is_stale()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.inner.shutdown(how)
    }

    fn set_options(&self, options: &StreamOptions) -> io::Result<()> {
        self.inner.set_options(options)
    }

    fn peer(&self) -> &str {
        self.inner.peer()
    }

    fn local(&self) -> &str {
        self.inner.local()
    }

    fn loan(&self, len: usize) -> Option<SendBuffer> {
        self.inner.loan(len)
    }

    fn borrow(&self, len: usize) -> Option<ReceivedBuffer> {
        self.inner.borrow(len)
    }

    fn gathers_from(&self) -> Option<usize> {
        self.inner.gathers_from()
    }

    fn peer_identity(&self) -> Option<Arc<PeerIdentity>> {
        self.inner.peer_identity()
    }

    fn readiness_fd(&self) -> Option<BorrowedFd<'_>> {
        self.inner.readiness_fd()
    }
}
