//! A server's socket, and the connections that come over it.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io;
use std::net::{Shutdown, SocketAddr, UdpSocket};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use socket2::SockRef;
use zorb_transport::{AcceptError, Acceptor, Endpoint, Stream};

use crate::connection::{Connection, Settings};
use crate::link::{Link, Way};
use crate::packet::Packet;
use crate::stream::RudpStream;
use crate::timers::{Timers, now};
use crate::transport::random;

/// The most connections whose clients have not proven where they are; the oldest makes room.
const MAX_UNPROVEN: usize = 128;
/// The most connections of a socket.
const MAX_CONNECTIONS: usize = 65_536;

/// A server's socket, and the connections that come over it.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: Arc<UdpSocket>,
    local: String,
    settings: Settings,
    backlog: usize,
    timers: Arc<Timers>,
    state: Mutex<State>,
    /// Told when a connection may be accepted, and of the end.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    links: HashMap<u64, Known>,
    /// The server's names by the client's address and the client's.
    by_client: HashMap<(SocketAddr, u64), u64>,
    /// Those that are not proven, in the order in which they came; some may be by now.
    unproven: VecDeque<u64>,
    accepted: VecDeque<(Arc<Link>, SocketAddr)>,
    is_closed: bool,
    /// Whether nobody has the acceptor any more.
    is_dropped: bool,
}

#[derive(Debug)]
struct Known {
    link: Arc<Link>,
    client: (SocketAddr, u64),
}

impl State {
    fn forget(&mut self, id: u64) {
        if let Some(known) = self.links.remove(&id) {
            self.by_client.remove(&known.client);
        }
    }
}

impl Listener {
    pub(crate) fn new(
        socket: UdpSocket,
        settings: Settings,
        backlog: usize,
        timers: &Arc<Timers>,
    ) -> io::Result<Arc<Self>> {
        let local = socket.local_addr()?.to_string();
        Ok(Arc::new(Self {
            socket: Arc::new(socket),
            local,
            settings,
            backlog: backlog.max(1),
            timers: Arc::clone(timers),
            state: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection has ended.
    pub(crate) fn forget(&self, id: u64) {
        let mut state = self.state();
        // Its last reference may be this one: it is dropped when nothing is locked.
        let known = state.links.get(&id).map(|known| Arc::clone(&known.link));
        state.forget(id);
        self.end_if_over(&state);
        drop(state);
        drop(known);
    }

    /// Ends the thread once there is nothing left for it to do.
    fn end_if_over(&self, state: &State) {
        if state.is_dropped && state.links.is_empty() {
            // It says that the socket is not connected, and wakes the thread all the same.
            let _ = SockRef::from(&*self.socket).shutdown(Shutdown::Both);
        }
    }

    /// The body of the thread that receives for all connections.
    pub(crate) fn run(self: &Arc<Self>) {
        let mut buffer = [0; 2048];
        let mut answer = Vec::new();
        loop {
            let received = self.socket.recv_from(&mut buffer);
            let state = self.state();
            if state.is_dropped && state.links.is_empty() {
                return;
            }
            drop(state);
            // Of an error some earlier datagram is the cause, which this says nothing about.
            let Ok((count, from)) = received else { continue };
            let datagram = buffer.get(..count).unwrap_or_default();
            let Some(packet) = Packet::parse(datagram) else { continue };
            if self.take(&packet, from, &mut answer) {
                let _ = self.socket.send_to(&answer, from);
            }
        }
    }

    /// Takes a datagram; whether there is an answer.
    fn take(self: &Arc<Self>, packet: &Packet<'_>, from: SocketAddr, answer: &mut Vec<u8>) -> bool {
        match packet {
            Packet::Open { id } => self.open(*id, from, answer),
            Packet::Accept { .. } => false,
            Packet::Refuse { id } => {
                let mut state = self.state();
                let own = state.by_client.get(&(from, *id)).copied();
                let known = own.and_then(|own| state.links.get_mut(&own));
                let link = known.map(|known| Arc::clone(&known.link));
                drop(state);
                if let Some(link) = link {
                    link.take(packet);
                }
                false
            }
            Packet::Data(data) => {
                let state = self.state();
                let known = state.links.get(&data.to).filter(|known| known.client.0 == from);
                let link = known.map(|known| Arc::clone(&known.link));
                drop(state);
                match link {
                    None => Packet::Refuse { id: data.to }.write(answer),
                    Some(link) if link.take(packet) => self.hand_out(link, from),
                    Some(_) => return false,
                }
                !answer.is_empty()
            }
        }
    }

    /// A client asks for a connection.
    fn open(self: &Arc<Self>, client: u64, from: SocketAddr, answer: &mut Vec<u8>) -> bool {
        let mut state = self.state();
        if state.is_closed {
            Packet::Refuse { id: client }.write(answer);
            return true;
        }
        if let Some(id) = state.by_client.get(&(from, client)) {
            Packet::Accept { to: client, id: *id }.write(answer);
            return true;
        }
        if state.links.len() >= MAX_CONNECTIONS || state.accepted.len() >= self.backlog {
            return false;
        }
        let id = random();
        let connection = Connection::accept(id, client, self.settings, now());
        let way = Way::Shared(Arc::clone(&self.socket), from, Arc::downgrade(self));
        let link = Link::new(way, connection, &self.timers);
        state.links.insert(id, Known { link, client: (from, client) });
        state.by_client.insert((from, client), id);
        state.unproven.push_back(id);
        let mut oldest = None;
        if state.unproven.len() > MAX_UNPROVEN
            && let Some(id) = state.unproven.pop_front()
        {
            oldest = state.links.get(&id).map(|known| Arc::clone(&known.link));
        }
        drop(state);
        if let Some(oldest) = oldest {
            // One that is proven by now stays.
            oldest.change(Connection::abort_unless_established);
        }
        Packet::Accept { to: client, id }.write(answer);
        true
    }

    /// A connection has been proven, and may be accepted.
    fn hand_out(&self, link: Arc<Link>, from: SocketAddr) {
        let id = link.state().connection.id();
        let mut state = self.state();
        state.unproven.retain(|unproven| *unproven != id);
        if state.is_closed {
            drop(state);
            link.change(Connection::abort);
            return;
        }
        state.accepted.push_back((link, from));
        drop(state);
        self.changed.notify_one();
    }

    fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let unaccepted = std::mem::take(&mut state.accepted);
        drop(state);
        self.changed.notify_all();
        for (link, _) in unaccepted {
            link.change(Connection::abort);
        }
    }
}

/// Hands out the connections of a socket.
pub(crate) struct RudpAcceptor {
    pub(crate) listener: Arc<Listener>,
    pub(crate) endpoint: Endpoint,
    pub(crate) published: [Endpoint; 1],
}

impl fmt::Debug for RudpAcceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RudpAcceptor").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Acceptor for RudpAcceptor {
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        let mut state = self.listener.state();
        loop {
            if state.is_closed {
                return Err(AcceptError::Closed);
            }
            if let Some((link, from)) = state.accepted.pop_front() {
                let local = self.listener.local.clone();
                return Ok(Arc::new(RudpStream::new(link, from.to_string(), local)));
            }
            let waited = self.listener.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) {
        self.listener.close();
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn published(&self) -> &[Endpoint] {
        &self.published
    }
}

impl Drop for RudpAcceptor {
    fn drop(&mut self) {
        self.listener.close();
        let mut state = self.listener.state();
        state.is_dropped = true;
        // Those that are not proven are nobody's.
        let unproven: Vec<u64> = state.unproven.drain(..).collect();
        for id in unproven {
            state.forget(id);
        }
        self.listener.end_if_over(&state);
    }
}
