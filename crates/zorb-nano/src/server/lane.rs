//! Endpoints of a server.

use alloc::vec::Vec;
use core::time::Duration;

use zorb_types::{SystemExceptionKind, minor};

use crate::link::Link;
use crate::time::Moment;
use crate::{Endpoint, Limits, Os, OsError, Socket, SystemException};

/// How long no connection is accepted after the operating system could not: the client that waits keeps the listener
/// ready.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// An endpoint, and its connections.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) endpoint: Endpoint,
    /// `None` once it is closed, and over UDP, where nothing is accepted.
    listener: Option<Socket>,
    /// Whether a client waits to be accepted.
    is_ready: bool,
    /// When connections may be accepted again.
    accepts_from: Moment,
    links: Vec<Link>,
    /// The links that have ever been open are those before this one: the others need not be looked at.
    used: usize,
}

impl Lane {
    /// Listens, and allocates the buffers.
    ///
    /// # Errors
    /// `INITIALIZE`, minor `ENDPOINT`; `NO_MEMORY`.
    pub(super) fn open(
        os: &mut impl Os,
        endpoint: Endpoint,
        limits: &Limits,
    ) -> Result<Self, SystemException> {
        let connections = Self::connections(&endpoint, limits);
        let mut links = Link::several(connections, limits);
        if links.len() < connections {
            return Err(SystemException::NO_MEMORY);
        }
        let minor = minor::initialize::ENDPOINT;
        let failed = |_| SystemException::before(SystemExceptionKind::Initialize, minor);
        let mut address = endpoint.address;
        let listener = os.listen(address).map_err(failed)?;
        if address.ip().is_some() {
            address = address.with_port(os.port(listener).map_err(failed)?);
        }
        let endpoint = endpoint.at(address);
        let (mut listener, mut used) = (Some(listener), 0);
        if address.is_datagram()
            && let Some(link) = links.first_mut()
            && let Some(socket) = listener.take()
        {
            link.open(socket, endpoint, Moment::ZERO);
            used = 1;
        }
        let accepts_from = Moment::ZERO;
        Ok(Self { endpoint, listener, is_ready: false, accepts_from, links, used })
    }

    /// The number of its links: over UDP one receives the datagrams of all clients.
    pub(super) fn connections(endpoint: &Endpoint, limits: &Limits) -> usize {
        if endpoint.address.is_datagram() { 1 } else { limits.max_connections }
    }

    /// The open links, and some that are closed.
    pub(super) fn links(&self) -> &[Link] {
        self.links.get(..self.used).unwrap_or_default()
    }

    /// The same, to be changed.
    pub(super) fn links_mut(&mut self) -> &mut [Link] {
        self.links.get_mut(..self.used).unwrap_or_default()
    }

    /// The sockets that it has at most.
    pub(super) fn sockets(&self) -> usize {
        self.links.len() + 1
    }

    /// The listener, if a connection can be accepted.
    pub(super) fn accepting(&self, now: Moment) -> Option<Socket> {
        let has_place = self.used < self.links.len()
            || self.links().iter().any(|link| link.socket().is_none() || !link.is_busy());
        self.listener.filter(|_| has_place && self.accepts_from <= now)
    }

    /// When connections can be accepted again, if that is later.
    pub(super) fn pause(&self, now: Moment) -> Option<Moment> {
        Some(self.accepts_from).filter(|from| *from > now)
    }

    /// Notes that a socket is ready, if it is one of this lane.
    pub(super) fn note_ready(&mut self, socket: Socket) {
        if Some(socket) == self.listener {
            self.is_ready = true;
            return;
        }
        let own = self.links_mut().iter_mut().find(|link| link.socket() == Some(socket));
        if let Some(link) = own {
            link.is_ready = true;
        }
    }

    /// Forgets what was ready, except what waits for more urgent requests.
    pub(super) fn begin_round(&mut self) {
        self.is_ready = false;
        for link in self.links_mut() {
            link.is_ready = link.is_waiting;
        }
    }

    /// Accepts one connection, in a free place or in that of the client that has been idle for the longest time.
    pub(super) fn accept(&mut self, os: &mut impl Os, now: Moment) {
        let Some(listener) = self.listener.filter(|_| self.is_ready) else { return };
        // The first of those that are free.
        let place = (1..)
            .zip(&mut self.links)
            .filter(|(_, link)| link.socket().is_none() || !link.is_busy())
            .min_by_key(|(_, link)| link.socket().map(|_| link.active()));
        let Some((used, link)) = place else { return };
        match os.accept(listener) {
            Ok(socket) => {
                link.send_close_connection(os);
                link.open(socket, self.endpoint, now);
                self.used = self.used.max(used);
            }
            Err(OsError::WouldBlock) => {}
            Err(_) => self.accepts_from = now.after(ACCEPT_PAUSE),
        }
    }

    /// Announces the end to all clients, and closes everything.
    pub(super) fn close(&mut self, os: &mut impl Os) {
        for link in self.links_mut() {
            link.send_close_connection(os);
        }
        if let Some(listener) = self.listener.take() {
            os.close(listener);
        }
    }
}
