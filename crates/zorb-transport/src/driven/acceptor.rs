//! A server's socket and its connections.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io;
use std::net::{Shutdown, SocketAddr, UdpSocket};
use std::sync::Arc;

use socket2::SockRef;
use zorb_os::lock::{Condition, Lock, Locked};

use super::admission::Admission;
use super::connection::{Driven, MAX_DATAGRAM, Route};
use super::link::{Link, LinkSocket};
use super::port::PortInUse;
use super::settings::Settings;
use super::stream::DrivenStream;
use super::timers::{Timers, now};
use crate::{AcceptError, Acceptor, Endpoint, Stream};

/// A server's socket and its connections.
#[derive(Debug)]
pub(super) struct Listener<D: Driven> {
    socket: Arc<UdpSocket>,
    local: String,
    settings: Settings,
    backlog: usize,
    timers: Arc<Timers>,
    state: Lock<State<D>>,
    /// Notified when a connection can be accepted, and on close.
    changed: Condition,
}

#[derive(Debug)]
struct State<D: Driven> {
    links: HashMap<u64, Known<D>>,
    /// The server's connection ids by the client's address and id.
    by_client: HashMap<(SocketAddr, u64), u64>,
    admission: Admission,
    accepted: VecDeque<(Arc<Link<D>>, SocketAddr)>,
    /// Whether `accept` waits for no further ones.
    is_closing: bool,
    is_closed: bool,
    /// Whether the acceptor was dropped.
    is_dropped: bool,
}

#[derive(Debug)]
struct Known<D: Driven> {
    link: Arc<Link<D>>,
    client: (SocketAddr, u64),
}

impl<D: Driven> State<D> {
    fn forget(&mut self, id: u64) {
        if let Some(known) = self.links.remove(&id) {
            self.by_client.remove(&known.client);
            self.admission.remove(id, known.client.0);
        }
    }
}

impl<D: Driven> Listener<D> {
    pub(super) fn new(
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
            state: Lock::new(State {
                links: HashMap::new(),
                by_client: HashMap::new(),
                admission: Admission::default(),
                accepted: VecDeque::new(),
                is_closing: false,
                is_closed: false,
                is_dropped: false,
            }),
            changed: Condition::new(),
        }))
    }

    fn state(&self) -> Locked<'_, State<D>> {
        self.state.lock()
    }

    /// Removes a connection that has ended.
    pub(super) fn forget(&self, id: u64) {
        let mut state = self.state();
        // This may be its last reference, which must be dropped without the lock.
        let known = state.links.get(&id).map(|known| Arc::clone(&known.link));
        state.forget(id);
        self.end_if_done(&state);
        drop(state);
        drop(known);
    }

    /// Ends the thread when nothing is left to do.
    fn end_if_done(&self, state: &State<D>) {
        if state.is_dropped && state.links.is_empty() {
            self.timers.end();
            // It reports that the socket is not connected, but wakes the thread anyway.
            let _ = SockRef::from(&*self.socket).shutdown(Shutdown::Both);
        }
    }

    /// The body of the thread that receives for all connections.
    pub(super) fn run(self: &Arc<Self>) {
        let workers = self.timers.workers();
        workers.begin();
        let mut buffer = [0; MAX_DATAGRAM];
        let mut answer = Vec::new();
        loop {
            workers.work_ends();
            let received = self.socket.recv_from(&mut buffer);
            workers.work_begins();
            let state = self.state();
            if state.is_dropped && state.links.is_empty() {
                return;
            }
            drop(state);
            // An error belongs to an earlier datagram of any connection.
            let Ok((count, from)) = received else { continue };
            let datagram = buffer.get(..count).unwrap_or_default();
            let Some(route) = D::route(datagram) else { continue };
            if self.take(route, datagram, from, &mut answer) {
                let _ = self.socket.send_to(&answer, from);
            }
        }
    }

    /// Handles a datagram; returns whether `answer` is to be sent, for a datagram without a
    /// connection.
    fn take(
        self: &Arc<Self>,
        route: Route,
        datagram: &[u8],
        from: SocketAddr,
        answer: &mut Vec<u8>,
    ) -> bool {
        let mut state = self.state();
        if matches!(route, Route::Opens(_)) && !state.admission.takes_request(from, now()) {
            return false;
        }
        let id = match route {
            Route::To(id) => Some(id),
            Route::From(client) | Route::Opens(client) => {
                state.by_client.get(&(from, client)).copied()
            }
        };
        let known = id.and_then(|id| state.links.get(&id));
        let link =
            known.filter(|known| known.client.0 == from).map(|known| Arc::clone(&known.link));
        let is_closed = state.is_closed;
        drop(state);
        match (link, route) {
            (Some(link), _) => {
                if link.take(datagram) {
                    self.offer_to_accept(link, from);
                }
                false
            }
            (None, Route::Opens(client)) if !is_closed => {
                self.open(client, datagram, from);
                false
            }
            (None, Route::From(_)) => false,
            (None, _) => D::refuse(datagram, answer) && answer.len() <= datagram.len(),
        }
    }

    /// Handles a client's request for a connection.
    fn open(self: &Arc<Self>, client: u64, datagram: &[u8], from: SocketAddr) {
        let mut state = self.state();
        if !state.admission.has_room(from) || state.accepted.len() >= self.backlog {
            return;
        }
        let accepted = D::accept(datagram, from, self.settings, now());
        let Some(connection) = accepted else { return };
        let id = connection.id();
        if state.is_closed || state.links.contains_key(&id) {
            return;
        }
        let listener = Arc::downgrade(self);
        let on_end = Box::new(move |id| {
            if let Some(listener) = listener.upgrade() {
                listener.forget(id);
            }
        });
        let socket = LinkSocket::Shared { socket: Arc::clone(&self.socket), peer: from, on_end };
        let link = Link::new(socket, connection, &self.timers, state.admission.share(from));
        state.links.insert(id, Known { link: Arc::clone(&link), client: (from, client) });
        state.by_client.insert((from, client), id);
        let evicted = state.admission.add(id, from);
        let known = evicted.and_then(|id| state.links.get(&id));
        let oldest = known.map(|known| Arc::clone(&known.link));
        drop(state);
        if let Some(oldest) = oldest {
            oldest.change(|connection| {
                // A connection that has been validated since stays.
                if !connection.is_established() {
                    connection.abort();
                }
            });
        }
        // Sends the answer and sets its timer.
        link.change(|_| {});
    }

    /// Offers a connection whose client's address is validated to `accept`.
    fn offer_to_accept(&self, link: Arc<Link<D>>, from: SocketAddr) {
        let id = link.state().connection.id();
        let mut state = self.state();
        state.admission.validated(id);
        if state.is_closed {
            drop(state);
            link.change(D::abort);
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
            link.change(D::abort);
        }
    }
}

/// The acceptor of a server's socket.
pub(super) struct DrivenAcceptor<D: Driven> {
    listener: Arc<Listener<D>>,
    port: Arc<PortInUse>,
    endpoint: Endpoint,
    published: Vec<Endpoint>,
}

impl<D: Driven> DrivenAcceptor<D> {
    pub(super) fn new(
        listener: &Arc<Listener<D>>,
        endpoint: Endpoint,
        published: Vec<Endpoint>,
    ) -> Self {
        let port = Arc::new(PortInUse::of(&listener.socket));
        Self { listener: Arc::clone(listener), port, endpoint, published }
    }

    fn stream(&self, (link, from): (Arc<Link<D>>, SocketAddr)) -> Arc<dyn Stream> {
        let local = self.listener.local.clone();
        let port = Some(Arc::clone(&self.port));
        Arc::new(DrivenStream::new(link, from.to_string(), local, port))
    }
}

impl<D: Driven> fmt::Debug for DrivenAcceptor<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DrivenAcceptor").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl<D: Driven> Acceptor for DrivenAcceptor<D> {
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        let mut state = self.listener.state();
        loop {
            if state.is_closed {
                return Err(AcceptError::Closed);
            }
            if let Some(accepted) = state.accepted.pop_front() {
                return Ok(self.stream(accepted));
            }
            if state.is_closing {
                return Err(AcceptError::Closed);
            }
            state = self.listener.changed.wait(state);
        }
    }

    fn accept_waiting(&self) -> Option<Arc<dyn Stream>> {
        let mut state = self.listener.state();
        state.is_closing = true;
        let accepted = state.accepted.pop_front();
        drop(state);
        self.listener.changed.notify_all();
        Some(self.stream(accepted?))
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

impl<D: Driven> Drop for DrivenAcceptor<D> {
    fn drop(&mut self) {
        self.listener.close();
        let mut state = self.listener.state();
        state.is_dropped = true;
        // Nobody will accept connections to unvalidated addresses.
        for id in state.admission.take_unvalidated() {
            state.forget(id);
        }
        self.listener.end_if_done(&state);
    }
}
