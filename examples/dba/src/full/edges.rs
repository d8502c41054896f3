//! One connection for each edge of the graph, over which both of its nodes send: IIOP over a transport of its own.
//!
//! A client of the ORB opens connections, and a server accepts them. Here both have the same ones: the server of a node
//! gets the connections that the node has opened as if it had accepted them, and the client sends over those that the
//! server has accepted from neighbors. So messages carry the acknowledgements of TCP, which otherwise have segments of their
//! own. Messages have no replies: all that arrives is for the server.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::Builder;
use std::time::Duration;

use dba_algorithm::{MAX_DEGREE, NodeId};
use zorb::giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb::protocols::IiopProtocol;
use zorb::transport::{
    AcceptError, Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError,
    ListenOptions, ProfileError, Protocol, ResolvedProfile, Stream, Transport,
};

use crate::Failure;
use crate::dba::Neighbor;

/// How long connecting to a neighbor may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

type Accepted = Result<Arc<dyn Stream>, AcceptError>;

/// The connections of a node, and the protocol whose client and server have them in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    iiop: IiopProtocol,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    neighbors: Vec<Edge>,
    /// Connections that others have opened; one to a neighbor is known by the other end's address.
    accepted: Vec<Weak<dyn Stream>>,
    /// Where the node's object is, and what passes connections to its server.
    listening: Option<(Endpoint, SyncSender<Accepted>)>,
}

#[derive(Debug)]
struct Edge {
    neighbor: NodeId,
    /// Where the neighbor listens.
    endpoint: Endpoint,
    connection: Option<Arc<dyn Stream>>,
}

impl State {
    fn edge(&mut self, neighbor: NodeId) -> Option<&mut Edge> {
        self.neighbors.iter_mut().find(|edge| edge.neighbor == neighbor)
    }
}

impl Edges {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tcp(&self) -> &dyn Transport {
        self.iiop.transport()
    }

    /// Where the node's object is, for its neighbors: the endpoint that was opened last.
    pub(crate) fn address(&self) -> Result<String, Failure> {
        let state = self.state();
        let (endpoint, _) = state.listening.as_ref().ok_or("there is no endpoint")?;
        Ok(endpoint.to_string())
    }

    /// Says who the neighbors are, and where they listen.
    pub(super) fn set_neighbors(&self, neighbors: &[Neighbor]) -> Result<(), Failure> {
        let edges = neighbors.iter().map(|neighbor| -> Result<Edge, EndpointError> {
            let endpoint = self.parse_endpoint(&neighbor.address)?;
            Ok(Edge { neighbor: neighbor.id, endpoint, connection: None })
        });
        let edges: Result<Vec<Edge>, EndpointError> = edges.collect();
        self.state().neighbors = edges?;
        Ok(())
    }

    /// Connects to a neighbor. Returns the address of this end, by which the neighbor can tell that it is this node's.
    pub(super) fn open(&self, neighbor: NodeId) -> Result<String, Failure> {
        let mut state = self.state();
        let (_, server) = state.listening.clone().ok_or("there is no endpoint")?;
        let edge = state.edge(neighbor).ok_or("not a neighbor")?;
        let endpoint = edge.endpoint.clone();
        drop(state);
        let options = ConnectOptions::with_timeout(Some(CONNECT_LIMIT));
        let stream = self.tcp().connect(&endpoint, &options)?;
        let local = stream.local().to_owned();
        if let Some(edge) = self.state().edge(neighbor) {
            edge.connection = Some(Arc::clone(&stream));
        }
        server.send(Ok(stream)).map_err(|_| "the server has ended")?;
        Ok(local)
    }

    /// The accepted connection whose other end has this address is that to this neighbor.
    pub(crate) fn introduce(&self, neighbor: NodeId, address: &str) {
        let mut state = self.state();
        let mut accepted = state.accepted.iter().filter_map(Weak::upgrade);
        let connection = accepted.find(|stream| stream.peer() == address);
        if let Some(edge) = state.edge(neighbor) {
            edge.connection = edge.connection.take().or(connection);
        }
    }

    /// Whether there is a connection to each neighbor.
    pub(crate) fn are_complete(&self) -> bool {
        self.state().neighbors.iter().all(|edge| edge.connection.is_some())
    }

    /// Notes a connection that another node, or the registry, has opened.
    fn note(&self, stream: &Arc<dyn Stream>) {
        let mut state = self.state();
        state.accepted.retain(|known| known.strong_count() > 0);
        state.accepted.push(Arc::downgrade(stream));
    }
}

impl Transport for Edges {
    fn scheme(&self) -> &str {
        self.tcp().scheme()
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        self.tcp().parse_endpoint(text)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let state = self.state();
        let edge = state.neighbors.iter().find(|edge| edge.endpoint == *endpoint);
        let connection = edge.and_then(|edge| edge.connection.clone());
        drop(state);
        match connection {
            Some(stream) => Ok(Arc::new(Sending(stream))),
            // The registry, for example.
            None => self.tcp().connect(endpoint, options),
        }
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let inner = self.tcp().listen(url, options)?;
        let (sender, incoming) = sync_channel(MAX_DEGREE);
        let endpoint = inner.published().first().unwrap_or(inner.endpoint()).clone();
        self.state().listening = Some((endpoint, sender.clone()));
        Ok(Arc::new(EdgeAcceptor {
            inner,
            edges: self.clone(),
            sender: Mutex::new(Some(sender)),
            incoming: Mutex::new(incoming),
            is_closed: AtomicBool::new(false),
        }))
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        self.tcp().beside(acceptor)
    }

    fn has_readiness(&self) -> bool {
        self.tcp().has_readiness()
    }
}

impl Protocol for Edges {
    fn transport(&self) -> &dyn Transport {
        self
    }

    fn profile_tag(&self) -> ProfileTag {
        self.iiop.profile_tag()
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.iiop.decode_profile(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        self.iiop.encode_profile(endpoints, version, object_key, components)
    }
}

/// Accepts connections, and passes them to the server with those that the node has opened.
#[derive(Debug)]
struct EdgeAcceptor {
    inner: Arc<dyn Acceptor>,
    edges: Edges,
    /// For the thread that accepts, until it has started.
    sender: Mutex<Option<SyncSender<Accepted>>>,
    incoming: Mutex<Receiver<Accepted>>,
    is_closed: AtomicBool,
}

/// Accepts connections until the acceptor is closed. While the server does not take them, this waits.
fn accept_all(inner: &dyn Acceptor, edges: &Edges, server: &SyncSender<Accepted>) {
    loop {
        let accepted = inner.accept();
        if let Ok(stream) = &accepted {
            edges.note(stream);
        }
        let is_end = is_end(&accepted);
        if server.send(accepted).is_err() || is_end {
            return;
        }
    }
}

fn is_end(accepted: &Accepted) -> bool {
    matches!(accepted, Err(AcceptError::Closed | AcceptError::Failed(_)))
}

impl Acceptor for EdgeAcceptor {
    fn listen(&self) -> io::Result<()> {
        self.inner.listen()?;
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            let (inner, edges) = (Arc::clone(&self.inner), self.edges.clone());
            let accept = move || accept_all(&*inner, &edges, &sender);
            Builder::new().name("edges".to_owned()).spawn(accept)?;
        }
        Ok(())
    }

    fn accept(&self) -> Accepted {
        let incoming = self.incoming.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(AcceptError::Closed);
        }
        let next = incoming.recv().unwrap_or(Err(AcceptError::Closed));
        if is_end(&next) {
            self.is_closed.store(true, Ordering::Relaxed);
        }
        next
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

/// The client's side of a connection, at which the server receives.
#[derive(Debug)]
struct Sending(Arc<dyn Stream>);

impl Stream for Sending {
    fn recv(&self, _buffer: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "messages have no replies"))
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.send_all(bytes)
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.0.send_vectored_all(parts)
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_send(bytes)
    }

    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        self.0.try_send_vectored(parts)
    }

    fn set_recv_timeout(&self, _timeout: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.0.set_send_timeout(timeout)
    }

    fn is_readable(&self) -> bool {
        false
    }

    /// The server ends the connection.
    fn shutdown(&self, _how: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &str {
        self.0.peer()
    }

    fn local(&self) -> &str {
        self.0.local()
    }
}
