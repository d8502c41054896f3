//! A connection with its socket, and those who wait for it.

use std::fmt;
use std::io;
use std::net::{Shutdown, SocketAddr, UdpSocket};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use socket2::SockRef;
use zorb_os::lock::{Condition, Lock, Locked};

use super::connection::{Driven, Failure, MAX_DATAGRAM};
use super::timers::{Alarm, TimeoutHandler, Timers, now};
use crate::StreamOptions;
use crate::socket::change_traffic;
use crate::socket::datagram::Treatment;

/// The socket of a connection.
pub(super) enum LinkSocket {
    /// A client's, for this connection alone.
    Own(UdpSocket),
    /// A server's, for all its connections.
    Shared {
        socket: Arc<UdpSocket>,
        peer: SocketAddr,
        /// Called with the connection's id when it is over.
        on_end: Box<dyn Fn(u64) + Send + Sync>,
    },
}

impl fmt::Debug for LinkSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(socket) => f.debug_tuple("Own").field(socket).finish(),
            Self::Shared { peer, .. } => f.debug_tuple("Shared").field(peer).finish(),
        }
    }
}

/// A connection with its socket, and those who wait for it.
#[derive(Debug)]
pub(super) struct Link<D: Driven> {
    socket: LinkSocket,
    timers: Arc<Timers>,
    state: Lock<State<D>>,
    /// Told whenever anything has changed.
    changed: Condition,
}

#[derive(Debug)]
pub(super) struct State<D> {
    pub(super) connection: D,
    datagram: Vec<u8>,
    alarm: Option<Alarm>,
    /// How its datagrams are treated where the socket is not its own.
    treatment: Treatment,
    /// Whether the peer's machine has said that nobody is there, and nothing has come since.
    refused: bool,
}

impl<D: Driven> State<D> {
    /// The peer's machine says that nobody is there. What the peer has sent last may still lie in the
    /// socket, or in the hands of the thread that receives, so an established connection only ends
    /// when it is said again: what is not acknowledged is sent again soon enough.
    fn refused(&mut self) {
        if self.refused || !self.connection.is_established() {
            self.connection.unreachable();
        }
        self.refused = true;
    }
}

impl<D: Driven> Link<D> {
    pub(super) fn new(socket: LinkSocket, connection: D, timers: &Arc<Timers>) -> Arc<Self> {
        let treatment = Treatment::default();
        let (datagram, alarm, refused) = (Vec::new(), None, false);
        let state = State { connection, datagram, alarm, treatment, refused };
        let timers = Arc::clone(timers);
        Arc::new(Self { socket, timers, state: Lock::new(state), changed: Condition::new() })
    }

    /// Has its datagrams be treated as options say: all of it where the socket is its own, and what can be
    /// said with each datagram where it is a server's.
    pub(super) fn treat(&self, options: &StreamOptions) -> io::Result<()> {
        match &self.socket {
            LinkSocket::Own(socket) => change_traffic(socket, options),
            LinkSocket::Shared { peer, .. } => {
                self.state().treatment = Treatment::of(options, *peer);
                Ok(())
            }
        }
    }

    pub(super) fn state(&self) -> Locked<'_, State<D>> {
        self.state.lock()
    }

    /// Sends what is to be sent, and sees to it that this side comes back in time.
    pub(super) fn pump(self: &Arc<Self>, state: &mut State<D>) {
        let now = now();
        let mut refused = false;
        let State { connection, datagram, treatment, .. } = &mut *state;
        while connection.transmit(now, datagram) {
            let sent = match &self.socket {
                LinkSocket::Own(socket) => socket.send(datagram),
                LinkSocket::Shared { socket, peer, .. } => {
                    treatment.send_to(socket, datagram, *peer)
                }
            };
            // What could not be sent is lost, as on any way; but that nobody is there counts.
            refused |= sent.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
        }
        if refused {
            state.refused();
        }
        let State { connection, alarm, .. } = state;
        if connection.is_over(now) {
            self.end(connection.id());
        } else if let Some(at) = connection.deadline()
            && alarm.is_none_or(|(set, _)| at < set)
        {
            let handler: Weak<Self> = Arc::downgrade(self);
            *alarm = Some(self.timers.set(at, handler, *alarm));
        }
    }

    /// Nothing will come any more.
    fn end(&self, id: u64) {
        match &self.socket {
            // Its thread finds out by this.
            LinkSocket::Own(socket) => drop(SockRef::from(socket).shutdown(Shutdown::Both)),
            LinkSocket::Shared { on_end, .. } => on_end(id),
        }
    }

    /// Takes a datagram; whether the peer has now proven to be where it says.
    pub(super) fn take(self: &Arc<Self>, datagram: &[u8]) -> bool {
        let mut state = self.state();
        let was_established = state.connection.is_established();
        state.connection.receive(datagram, now());
        state.refused = false;
        self.pump(&mut state);
        let is_new = state.connection.is_established() && !was_established;
        drop(state);
        self.changed.tell_all();
        is_new
    }

    /// Waits for a change; `false` when the deadline has passed.
    pub(super) fn wait<'s>(
        &self,
        state: Locked<'s, State<D>>,
        deadline: Option<Instant>,
    ) -> (Locked<'s, State<D>>, bool) {
        let Some(deadline) = deadline else {
            return (self.changed.wait(state), true);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left == Duration::ZERO {
            return (state, false);
        }
        (self.changed.wait_for(state, left), true)
    }

    /// Ends what is said, and sends it.
    pub(super) fn change(self: &Arc<Self>, change: impl FnOnce(&mut D)) {
        let mut state = self.state();
        change(&mut state.connection);
        self.pump(&mut state);
        drop(state);
        self.changed.tell_all();
    }

    fn refuse(self: &Arc<Self>) {
        let mut state = self.state();
        state.refused();
        self.pump(&mut state);
        drop(state);
        self.changed.tell_all();
    }

    /// The body of the thread of a connection that has a socket of its own.
    pub(super) fn run(self: &Arc<Self>) {
        let LinkSocket::Own(socket) = &self.socket else { return };
        let mut buffer = [0; MAX_DATAGRAM];
        loop {
            match socket.recv(&mut buffer) {
                Ok(count) => {
                    self.take(buffer.get(..count).unwrap_or_default());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Nobody is there, says the peer's machine.
                Err(_) => self.refuse(),
            }
            if self.state().connection.is_over(now()) {
                return;
            }
        }
    }
}

impl<D: Driven> TimeoutHandler for Link<D> {
    fn handle_timeout(self: Arc<Self>) {
        let mut state = self.state();
        state.alarm = None;
        self.pump(&mut state);
        let has_failed = state.connection.failure().is_some();
        drop(state);
        if has_failed {
            self.changed.tell_all();
        }
    }
}

/// What a failure is to who uses the stream.
pub(super) fn error_of(failure: Failure) -> io::Error {
    match failure {
        Failure::Refused => io::ErrorKind::ConnectionReset.into(),
        Failure::Silence => {
            io::Error::new(io::ErrorKind::ConnectionAborted, "nothing was heard of the peer")
        }
        Failure::Aborted => io::ErrorKind::BrokenPipe.into(),
    }
}
