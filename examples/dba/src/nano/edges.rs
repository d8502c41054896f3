//! One connection for each edge of the graph, over which both of its nodes send: what the small ORB needs of the system.
//!
//! A client of the small ORB opens connections, and a server accepts them. Here both have the same ones: the server of a
//! node receives at the connections that its client has opened, and its client sends over those that the server has
//! accepted from neighbors. So messages carry the acknowledgements of TCP, which otherwise have segments of their own.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dba_algorithm::NodeId;
use zorb_nano::{Address, Interest, Linux, Os, OsError, Socket};

/// The connections of a node, which its client and its server have in common.
#[derive(Clone, Debug)]
pub(crate) struct Edges(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    linux: Linux,
    /// The neighbors, where they listen, and the connections to them.
    neighbors: Vec<(NodeId, Address, Option<Socket>)>,
    /// Connections that the client has opened, and the server is to receive from.
    opened: VecDeque<Socket>,
    /// Where the server has received last.
    last: Option<Socket>,
}

impl Edges {
    pub(super) fn new(sockets: u16) -> Self {
        let (neighbors, opened) = (Vec::new(), VecDeque::new());
        let linux = Linux::new(sockets);
        Self(Arc::new(Mutex::new(State { linux, neighbors, opened, last: None })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says who the neighbors are, and where they listen.
    pub(super) fn set_neighbors(&self, neighbors: impl Iterator<Item = (NodeId, Address)>) {
        self.state().neighbors = neighbors.map(|(id, address)| (id, address, None)).collect();
    }

    /// The connection at which the server has received last is that to this neighbor.
    pub(super) fn introduce(&self, neighbor: NodeId) {
        let mut state = self.state();
        let last = state.last;
        let known = state.neighbors.iter_mut().find(|(id, _, _)| *id == neighbor);
        if let Some((_, _, connection)) = known {
            *connection = connection.or(last);
        }
    }

    /// Whether there is a connection to each neighbor.
    pub(super) fn are_complete(&self) -> bool {
        self.state().neighbors.iter().all(|(_, _, connection)| connection.is_some())
    }
}

impl State {
    fn connect(&mut self, address: Address) -> Result<Socket, OsError> {
        let known = self.neighbors.iter_mut().find(|(_, at, _)| *at == address);
        let (_, _, connection) = known.ok_or(OsError::NoSocket)?;
        if let Some(socket) = *connection {
            return Ok(socket);
        }
        let socket = self.linux.connect(address)?;
        self.opened.push_back(socket);
        *connection = Some(socket);
        Ok(socket)
    }

    /// Sends for the client, unless the server has closed the connection, whose number may be that of another one.
    fn write(&mut self, socket: Socket, octets: &[u8]) -> Result<usize, OsError> {
        match self.neighbors.iter().any(|(_, _, connection)| *connection == Some(socket)) {
            true => self.linux.write(socket, octets),
            false => Err(OsError::NoSocket),
        }
    }

    fn close(&mut self, socket: Socket) {
        self.linux.close(socket);
        for (_, _, connection) in &mut self.neighbors {
            *connection = connection.filter(|own| *own != socket);
        }
    }

    fn accept(&mut self, listener: Socket) -> Result<Socket, OsError> {
        match self.opened.pop_front() {
            Some(socket) => Ok(socket),
            None => self.linux.accept(listener),
        }
    }

    /// Waits for the server. What the client has opened is accepted at once; the listener is the last to wait for.
    fn poll(
        &mut self,
        interests: &mut [Interest],
        timeout: Option<Duration>,
    ) -> Result<(), OsError> {
        let is_accepting = !self.opened.is_empty();
        let timeout = if is_accepting { Some(Duration::ZERO) } else { timeout };
        self.linux.poll(interests, timeout)?;
        if let Some(listener) = interests.last_mut().filter(|_| is_accepting) {
            listener.is_ready = true;
        }
        Ok(())
    }
}

/// What a client or server needs of the system. The client and the server of the same edges are in one thread, so that one
/// does not need them while the other waits.
#[derive(Debug)]
pub(crate) enum Machine {
    /// With connections of its own.
    Own(Linux),
    Client(Edges),
    Server(Edges),
}

impl Os for Machine {
    fn now(&mut self) -> Duration {
        match self {
            Self::Own(linux) => linux.now(),
            Self::Client(edges) | Self::Server(edges) => edges.state().linux.now(),
        }
    }

    fn connect(&mut self, address: Address) -> Result<Socket, OsError> {
        match self {
            Self::Own(linux) => linux.connect(address),
            Self::Client(edges) | Self::Server(edges) => edges.state().connect(address),
        }
    }

    fn listen(&mut self, address: Address) -> Result<Socket, OsError> {
        match self {
            Self::Own(linux) => linux.listen(address),
            Self::Client(edges) | Self::Server(edges) => edges.state().linux.listen(address),
        }
    }

    fn port(&mut self, listener: Socket) -> Result<u16, OsError> {
        match self {
            Self::Own(linux) => linux.port(listener),
            Self::Client(edges) | Self::Server(edges) => edges.state().linux.port(listener),
        }
    }

    fn accept(&mut self, listener: Socket) -> Result<Socket, OsError> {
        match self {
            Self::Own(linux) => linux.accept(listener),
            Self::Client(edges) | Self::Server(edges) => edges.state().accept(listener),
        }
    }

    fn read(&mut self, connection: Socket, space: &mut [u8]) -> Result<usize, OsError> {
        match self {
            Self::Own(linux) => linux.read(connection, space),
            // The server receives, and messages have no replies.
            Self::Client(_) => Err(OsError::WouldBlock),
            Self::Server(edges) => {
                let state = &mut *edges.state();
                state.last = Some(connection);
                state.linux.read(connection, space)
            }
        }
    }

    fn read_within(
        &mut self,
        connection: Socket,
        space: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, OsError> {
        match self {
            Self::Own(linux) => linux.read_within(connection, space, timeout),
            Self::Client(_) => Err(OsError::WouldBlock),
            Self::Server(edges) => {
                let state = &mut *edges.state();
                state.last = Some(connection);
                state.linux.read_within(connection, space, timeout)
            }
        }
    }

    fn write(&mut self, connection: Socket, octets: &[u8]) -> Result<usize, OsError> {
        match self {
            Self::Own(linux) => linux.write(connection, octets),
            Self::Client(edges) => edges.state().write(connection, octets),
            Self::Server(edges) => edges.state().linux.write(connection, octets),
        }
    }

    fn close(&mut self, socket: Socket) {
        match self {
            Self::Own(linux) => linux.close(socket),
            // The server closes it.
            Self::Client(_) => {}
            Self::Server(edges) => edges.state().close(socket),
        }
    }

    fn poll(
        &mut self,
        interests: &mut [Interest],
        timeout: Option<Duration>,
    ) -> Result<(), OsError> {
        match self {
            Self::Own(linux) => linux.poll(interests, timeout),
            Self::Client(edges) => edges.state().linux.poll(interests, timeout),
            Self::Server(edges) => edges.state().poll(interests, timeout),
        }
    }
}
