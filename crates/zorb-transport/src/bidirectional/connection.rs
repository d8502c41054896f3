//! A connection over which both sides send requests: one thread receives for all streams that share it.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::{IpAddr, Shutdown};
use std::sync::{Arc, Weak};
use std::time::Duration;

use zorb_os::lock::{Condition, Lock};

use super::role::Role;
use super::sender::Sender;
use super::split::{Receiver, Splitter};
use crate::{Stream, log_limited};

/// The number of octets from which on nothing more is received until their receiver has read some.
pub(super) const PIPE: usize = 1 << 20;

/// The maximum capacity that a receiver's queue retains when it is empty, in octets.
const RETAINED: usize = 64 << 10;

/// The octets that are received at a time.
const BUFFER: usize = 32 << 10;

/// How long a receiver may take nothing while others wait for what is behind.
pub(super) const STALL_LIMIT: Duration = Duration::from_secs(10);

/// Passes the stream of the peer's requests to the server of this side. Returns whether there is one.
pub(super) type Serve = Box<dyn Fn(Arc<Connection>, Role) -> bool + Send + Sync>;

/// A bidirectional connection.
pub(super) struct Connection {
    pub(super) stream: Arc<dyn Stream>,
    /// Whether this side opened it.
    pub(super) opened: bool,
    pub(super) state: Lock<State>,
    /// Notified when octets have been received or read, and at the end.
    pub(super) changed: Condition,
    pub(super) sender: Sender,
    /// For the side that opened it.
    serve: Option<Serve>,
    stall_limit: Duration,
}

pub(super) struct State {
    pub(super) splitter: Splitter,
    pub(super) server: Pipe,
    /// The number of the server's stream.
    server_number: u32,
    pub(super) clients: Vec<(u32, Pipe)>,
    next_client: u32,
    /// How it has ended; `Some(None)` for the end of the stream.
    pub(super) end: Option<Option<io::ErrorKind>>,
    /// How many octets receivers have read.
    pub(super) read: u64,
}

/// The octets that wait for a receiver.
#[derive(Default)]
pub(super) struct Pipe {
    pub(super) octets: VecDeque<u8>,
    pub(super) closed: bool,
    /// Whether a thread waits for octets.
    pub(super) awaited: bool,
    pub(super) on_hangup: Option<Box<dyn FnOnce() + Send>>,
}

impl Pipe {
    fn put(&mut self, octets: &[u8]) {
        if !self.closed {
            self.octets.extend(octets);
        }
    }

    /// Gives the memory of many octets back when all of them have been read.
    pub(super) fn shrink(&mut self) {
        if self.octets.is_empty() && self.octets.capacity() > RETAINED {
            self.octets = VecDeque::new();
        }
    }

    fn is_full(&self) -> bool {
        !self.closed && self.octets.len() >= PIPE
    }
}

impl State {
    pub(super) fn pipe(&mut self, role: Role) -> Option<&mut Pipe> {
        match role {
            Role::Server(_) => self.is_server(role).then_some(&mut self.server),
            Role::Client(number) => {
                let pipe = self.clients.iter_mut().find(|(known, _)| *known == number);
                pipe.map(|(_, pipe)| pipe)
            }
        }
    }

    /// Whether this is the present stream of the server.
    pub(super) fn is_server(&self, role: Role) -> bool {
        role == Role::Server(self.server_number)
    }

    fn is_full(&self) -> bool {
        self.server.is_full() || self.clients.iter().any(|(_, pipe)| pipe.is_full())
    }

    /// Whether it is full while others wait for what is behind.
    fn is_stalled(&self) -> bool {
        let client_waits = || self.clients.iter().any(|(_, pipe)| pipe.awaited);
        let replies_wait = self.server.is_full() && client_waits();
        self.end.is_none() && (replies_wait || self.clients.iter().any(|(_, pipe)| pipe.is_full()))
    }

    /// Takes octets of the peer; returns whether the server, which has no stream, gets a request.
    fn take(&mut self, octets: &[u8]) -> Result<bool, zorb_giop::ProtocolError> {
        let Self { splitter, server, server_number, clients, .. } = self;
        let (opened, mut begins) = (splitter.opened, false);
        splitter.split(octets, &mut |receiver, is_request, octets| match receiver {
            Receiver::Server => {
                if is_request && server.closed && opened {
                    *server = Pipe::default();
                    *server_number = server_number.wrapping_add(1);
                    begins = true;
                }
                server.put(octets);
            }
            Receiver::Client(number) => {
                let pipe = clients.iter_mut().find(|(known, _)| *known == number);
                if let Some((_, pipe)) = pipe {
                    pipe.put(octets);
                }
            }
            Receiver::All => {
                server.put(octets);
                clients.iter_mut().for_each(|(_, pipe)| pipe.put(octets));
            }
            Receiver::Nobody => {}
        })?;
        Ok(begins)
    }
}

impl Connection {
    /// A connection over this stream; `serve` is for the side that has opened it.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(
        stream: Arc<dyn Stream>,
        serve: Option<Serve>,
        stall_limit: Duration,
    ) -> io::Result<Arc<Self>> {
        let opened = serve.is_some();
        // The stream of the server of the side that opened it begins with the first request.
        let server = Pipe { closed: opened, ..Pipe::default() };
        let connection = Arc::new(Self {
            opened,
            state: Lock::new(State {
                splitter: Splitter::new(opened, stream.peer()),
                server,
                server_number: 0,
                clients: Vec::new(),
                next_client: 0,
                end: None,
                read: 0,
            }),
            changed: Condition::new(),
            sender: Sender::new(Arc::clone(&stream)),
            stream,
            serve,
            stall_limit,
        });
        let (receiving, stream) = (Arc::downgrade(&connection), Arc::clone(&connection.stream));
        let thread = std::thread::Builder::new().name("zorb-bidir".to_owned());
        thread.spawn(move || receive(&receiving, &*stream))?;
        Ok(connection)
    }

    /// Adds a stream for requests to the peer; `None` if the connection has ended.
    pub(super) fn add_client(&self) -> Option<Role> {
        let mut state = self.state.lock();
        if state.end.is_some() || (!self.opened && state.server.closed) {
            return None;
        }
        let number = state.next_client;
        state.next_client = number.checked_add(1)?;
        state.clients.push((number, Pipe::default()));
        Some(Role::Client(number))
    }

    /// The number of the peer's claim to listen at this address, if it may be called over this connection.
    pub(super) fn leads_to(&self, address: (IpAddr, u16)) -> Option<u64> {
        let state = self.state.lock();
        let is_open = state.end.is_none() && !state.server.closed;
        is_open.then(|| state.splitter.claims.at(address)).flatten()
    }

    /// Receives octets of the peer, and passes the stream of its requests to the server when it begins.
    fn take(self: &Arc<Self>, octets: &[u8]) {
        let mut state = self.state.lock();
        let begins = match state.take(octets) {
            Ok(begins) => begins,
            Err(error) => {
                drop(state);
                log_limited!(warn, peer = self.stream.peer(), %error, "protocol error");
                return self.end(Some(io::ErrorKind::InvalidData));
            }
        };
        self.changed.notify_all();
        if begins && let Some(serve) = &self.serve {
            let role = Role::Server(state.server_number);
            drop(state);
            if !serve(Arc::clone(self), role) {
                return self.end(None);
            }
            state = self.state.lock();
        }
        while state.is_full() && state.end.is_none() {
            let read = state.read;
            // A receiver that takes nothing is charged from when somebody began to wait.
            let was_stalled = state.is_stalled();
            let is_same =
                |state: &mut State| state.read == read && state.end.is_none() && state.is_full();
            state = self.changed.wait_while(state, self.stall_limit, is_same);
            if was_stalled && state.read == read && state.is_full() && state.is_stalled() {
                drop(state);
                log_limited!(
                    warn,
                    peer = self.stream.peer(),
                    "nobody reads a bidirectional connection"
                );
                return self.end(Some(io::ErrorKind::TimedOut));
            }
        }
    }

    /// Ends all of its streams.
    pub(super) fn end(&self, how: Option<io::ErrorKind>) {
        let hangups = self.set_end(how);
        self.sender.end();
        let _ = self.stream.shutdown(Shutdown::Both);
        hangups.into_iter().for_each(|on_hangup| on_hangup());
    }

    /// Ends the receiving side of all of its streams. The peer may have shut down only its sending side: it gets the replies
    /// to its requests, and the server ends the connection after them.
    fn end_received(&self) {
        self.set_end(None).into_iter().for_each(|on_hangup| on_hangup());
    }

    /// Notes the end; returns what to call then.
    fn set_end(&self, how: Option<io::ErrorKind>) -> Vec<Box<dyn FnOnce() + Send>> {
        let mut state = self.state.lock();
        state.end.get_or_insert(how);
        let clients = state.clients.iter_mut();
        let hangups = clients.filter_map(|(_, pipe)| pipe.on_hangup.take()).collect();
        drop(state);
        self.changed.notify_all();
        hangups
    }
}

/// Receives until the end.
fn receive(connection: &Weak<Connection>, stream: &dyn Stream) {
    let mut buffer = vec![0; BUFFER];
    loop {
        let received = stream.recv(&mut buffer);
        // Its streams keep it.
        let Some(connection) = connection.upgrade() else { return };
        match received {
            Ok(0) if !connection.opened => return connection.end_received(),
            Ok(0) => return connection.end(None),
            Ok(count) => connection.take(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
            Err(error) => return connection.end(Some(error.kind())),
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bidirectional").field(&self.stream).finish()
    }
}
