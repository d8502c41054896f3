//! A protocol whose streams can be observed.

use std::fmt;
use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex};

use zorb_giop::{GiopVersion, Messaging, ProfileTag, TaggedComponent, TaggedProfile};

use zorb_transport::{
    AcceptError, Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, Groups,
    ListenError, ListenOptions, LocalSocket, ProfileError, PropertyField, Protocol,
    ResolvedProfile, Stream, Transport, forward_stream,
};

/// The peer of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Toward {
    /// A client: the stream was accepted.
    Client,
    /// A server: the stream was connected.
    Server,
}

/// Observes one stream.
pub trait Watch: fmt::Debug + Send + Sync + 'static {
    /// The first `count` octets of `space` were received. Default: does nothing.
    fn received(&self, space: &[u8], count: usize) {
        let _ = (space, count);
    }

    /// These parts are about to be sent. Called before, because the peer may have read them afterwards.
    fn sends(&self, parts: &[IoSlice<'_>]);
}

/// A stream that is observed. Otherwise it behaves like the inner one.
#[derive(Debug)]
pub struct WatchedStream<W> {
    inner: Arc<dyn Stream>,
    watch: W,
}

impl<W> WatchedStream<W> {
    /// Its observer.
    pub const fn watch(&self) -> &W {
        &self.watch
    }
}

/// A protocol whose streams are observed, and retained for its lifetime. Otherwise it behaves like the inner one, but
/// has no options: the inner one is configured already.
#[derive(Debug)]
pub struct Watched<W> {
    inner: Arc<dyn Protocol>,
    transport: WatchedTransport<W>,
}

#[derive(Debug)]
struct WatchedTransport<W> {
    inner: Arc<dyn Protocol>,
    connected: Streams<W>,
    accepted: Streams<W>,
}

/// Streams of one kind, with the function that creates their observers.
struct Streams<W> {
    toward: Toward,
    watch: Arc<dyn Fn(Toward) -> W + Send + Sync>,
    streams: Arc<Mutex<Vec<Arc<WatchedStream<W>>>>>,
}

impl<W> Clone for Streams<W> {
    fn clone(&self) -> Self {
        let (watch, streams) = (Arc::clone(&self.watch), Arc::clone(&self.streams));
        Self { toward: self.toward, watch, streams }
    }
}

impl<W: fmt::Debug> fmt::Debug for Streams<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Streams").field(&self.streams).finish()
    }
}

impl<W: Watch> Streams<W> {
    fn add(&self, inner: Arc<dyn Stream>) -> Arc<dyn Stream> {
        let stream = Arc::new(WatchedStream { inner, watch: (self.watch)(self.toward) });
        self.streams.lock().unwrap().push(Arc::clone(&stream));
        stream
    }

    fn last(&self) -> Arc<WatchedStream<W>> {
        Arc::clone(self.streams.lock().unwrap().last().expect("a stream"))
    }
}

impl<W: Watch> Watched<W> {
    /// The protocol `inner`, with an observer for each stream.
    pub fn new(
        inner: Arc<dyn Protocol>,
        watch: impl Fn(Toward) -> W + Send + Sync + 'static,
    ) -> Self {
        let watch: Arc<dyn Fn(Toward) -> W + Send + Sync> = Arc::new(watch);
        let streams =
            |toward| Streams { toward, watch: Arc::clone(&watch), streams: Arc::default() };
        let transport = WatchedTransport {
            inner: Arc::clone(&inner),
            connected: streams(Toward::Server),
            accepted: streams(Toward::Client),
        };
        Self { inner, transport }
    }

    /// The most recently connected stream.
    #[must_use]
    pub fn connected(&self) -> Arc<WatchedStream<W>> {
        self.transport.connected.last()
    }

    /// The most recently accepted stream.
    #[must_use]
    pub fn accepted(&self) -> Arc<WatchedStream<W>> {
        self.transport.accepted.last()
    }

    /// The number of accepted streams.
    #[must_use]
    pub fn count(&self) -> usize {
        self.transport.accepted.streams.lock().unwrap().len()
    }
}

impl<W: Watch> Protocol for Watched<W> {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn messaging(&self) -> Option<&'static dyn Messaging> {
        self.inner.messaging()
    }

    fn carries_replies(&self) -> bool {
        self.inner.carries_replies()
    }

    fn is_secured(&self) -> bool {
        self.inner.is_secured()
    }

    fn groups(&self) -> Option<&dyn Groups> {
        self.inner.groups()
    }

    fn contained_profiles(
        &self,
        profile: &ResolvedProfile,
    ) -> Result<Vec<TaggedProfile>, ProfileError> {
        self.inner.contained_profiles(profile)
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.inner.counters()
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

    fn property_fields(&self) -> &'static [PropertyField] {
        self.inner.property_fields()
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.inner.decode_profile(profile)
    }

    fn shares_profile(&self, first: &Endpoint, other: &Endpoint) -> bool {
        self.inner.shares_profile(first, other)
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

    fn priority_component(&self, endpoints: &[Endpoint], priority: i16) -> Option<TaggedComponent> {
        self.inner.priority_component(endpoints, priority)
    }

    fn endpoint_priority(
        &self,
        profile: &ResolvedProfile,
        endpoint: &Endpoint,
    ) -> Result<Option<i16>, ProfileError> {
        self.inner.endpoint_priority(profile, endpoint)
    }

    fn parse_corbaloc_address(&self, address: &str) -> Result<Endpoint, EndpointError> {
        self.inner.parse_corbaloc_address(address)
    }
}

impl<W: Watch> Transport for WatchedTransport<W> {
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
        Ok(self.connected.add(self.inner.transport().connect(endpoint, options)?))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let inner = self.inner.transport().listen(url, options)?;
        Ok(Arc::new(WatchedAcceptor { inner, accepted: self.accepted.clone() }))
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        self.inner.transport().beside(acceptor)
    }

    fn has_readiness(&self) -> bool {
        self.inner.transport().has_readiness()
    }

    fn local_socket(&self, endpoint: &Endpoint) -> Option<LocalSocket> {
        self.inner.transport().local_socket(endpoint)
    }
}

#[derive(Debug)]
struct WatchedAcceptor<W> {
    inner: Arc<dyn Acceptor>,
    accepted: Streams<W>,
}

impl<W: Watch> Acceptor for WatchedAcceptor<W> {
    fn listen(&self) -> io::Result<()> {
        self.inner.listen()
    }

    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        Ok(self.accepted.add(self.inner.accept()?))
    }

    fn close_backlog(&self) {
        self.inner.close_backlog();
    }

    fn accept_waiting(&self) -> Option<Arc<dyn Stream>> {
        Some(self.accepted.add(self.inner.accept_waiting()?))
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

impl<W: Watch> Stream for WatchedStream<W> {
    forward_stream!(
        inner: establish, is_established, cheap_polls, short_read_means_empty, set_recv_timeout,
        set_send_timeout, is_readable, shutdown, set_options, peer, local, loan, borrow,
        gather_threshold, peer_identity, readiness_fd, hangup_fd, notify_of_hangup
    );

    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.recv(buffer)?;
        self.watch.received(buffer, count);
        Ok(count)
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let count = self.inner.try_recv(buffer)?;
        if let Some(count) = count {
            self.watch.received(buffer, count);
        }
        Ok(count)
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.watch.sends(&[IoSlice::new(bytes)]);
        self.inner.send_all(bytes)
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.watch.sends(parts);
        self.inner.send_vectored_all(parts)
    }

    /// Waits, so that the watch sees each send once, and before the peer does.
    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.send_all(bytes).map(|()| bytes.len())
    }

    /// Waits, so that the watch sees one send of all parts.
    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send_vectored_all(std::mem::take(parts))
    }

    fn try_send_run(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        self.watch.sends(parts);
        self.inner.try_send_run(parts)?;
        match std::mem::take(parts) {
            [] => Ok(()),
            rest => self.inner.send_vectored_all(rest),
        }
    }
}
