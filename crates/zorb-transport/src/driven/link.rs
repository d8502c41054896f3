//! A connection, its socket and its waiting threads.

use std::fmt;
use std::io;
use std::net::{Shutdown, SocketAddr, UdpSocket};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use socket2::SockRef;
use zorb_giop::{Charge, MessageBudget};
use zorb_os::lock::{Condition, Lock, Locked};

use super::connection::{Driven, Failure, MAX_DATAGRAM};
use super::timers::{Alarm, TimeoutHandler, Timers, now};
use crate::StreamOptions;
use crate::socket::change_traffic;
use crate::socket::datagram::TrafficOptions;

/// The octets in a connection's buffers that are not charged, as in the receive buffers of messages.
const FREE: usize = 64 << 10;
/// The maximum number of octets that are passed to a connection at a time.
const MAX_SENT: usize = 32 << 10;

/// The socket of a connection.
pub(super) enum LinkSocket {
    /// A client's own socket.
    Own(UdpSocket),
    /// A server's socket, shared by its connections.
    Shared {
        socket: Arc<UdpSocket>,
        peer: SocketAddr,
        /// Called with the connection's id when it has ended.
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

/// A connection, its socket and its waiting threads.
#[derive(Debug)]
pub(super) struct Link<D: Driven> {
    socket: LinkSocket,
    timers: Arc<Timers>,
    state: Lock<State<D>>,
    /// Notified of every change.
    changed: Condition,
}

pub(super) struct State<D> {
    pub(super) connection: D,
    datagram: Vec<u8>,
    alarm: Option<Alarm>,
    /// The options of its datagrams on a shared socket.
    traffic: TrafficOptions,
    /// Whether the peer's machine has reported a closed port, and nothing was received since.
    refused: bool,
    /// Called when the peer hangs up.
    on_hangup: Option<Box<dyn FnOnce() + Send>>,
    /// The octets in its buffers, after the last change.
    buffered: usize,
    /// What is charged for them.
    charge: Charge,
}

impl<D: fmt::Debug> fmt::Debug for State<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { connection, refused, .. } = self;
        f.debug_tuple("State").field(connection).field(refused).finish()
    }
}

impl<D: Driven> State<D> {
    /// Charges `more` octets in its buffers; `false` if the budget does not have them.
    fn charge(&mut self, more: usize) -> bool {
        self.charge.set(self.buffered.saturating_add(more).saturating_sub(FREE))
    }

    /// Passes as many octets to the connection as it has room for, and the budget; returns their number.
    pub(super) fn send(&mut self, octets: &[u8]) -> Result<usize, Failure> {
        let mut sent = 0;
        while let Some(rest) = octets.get(sent..).filter(|rest| !rest.is_empty()) {
            let mut count = rest.len().min(MAX_SENT);
            if !self.charge(count) {
                count = count.min(FREE.saturating_sub(self.buffered));
            }
            let taken = self.connection.send(rest.get(..count).unwrap_or_default())?;
            sent += taken;
            self.buffered += taken;
            if taken == 0 || taken < count {
                break;
            }
        }
        Ok(sent)
    }

    /// What to call, without the lock, if the peer has hung up.
    fn take_on_hangup(&mut self) -> Option<Box<dyn FnOnce() + Send>> {
        if self.on_hangup.is_none() || !self.connection.has_hung_up() {
            return None;
        }
        self.on_hangup.take()
    }

    /// Handles a report that the peer's port is closed. Its last datagrams may still be in the
    /// socket or with the receiving thread, so an established connection fails only on the second
    /// report: unacknowledged data is sent again soon.
    fn refused(&mut self) {
        if self.refused || !self.connection.is_established() {
            self.connection.unreachable();
        }
        self.refused = true;
    }
}

impl<D: Driven> Link<D> {
    /// A connection whose buffers are charged to `budget`.
    pub(super) fn new(
        socket: LinkSocket,
        connection: D,
        timers: &Arc<Timers>,
        budget: Arc<MessageBudget>,
    ) -> Arc<Self> {
        let traffic = TrafficOptions::default();
        let (datagram, alarm, refused) = (Vec::new(), None, false);
        let (on_hangup, buffered, charge) = (None, 0, Charge::to(budget));
        let state =
            State { connection, datagram, alarm, traffic, refused, on_hangup, buffered, charge };
        let timers = Arc::clone(timers);
        Arc::new(Self { socket, timers, state: Lock::new(state), changed: Condition::new() })
    }

    /// Applies traffic options: all of them on an own socket; on a server's socket those that can
    /// be sent with each datagram.
    pub(super) fn set_traffic(&self, options: &StreamOptions) -> io::Result<()> {
        match &self.socket {
            LinkSocket::Own(socket) => change_traffic(socket, options),
            LinkSocket::Shared { peer, .. } => {
                self.state().traffic = TrafficOptions::of(options, *peer);
                Ok(())
            }
        }
    }

    pub(super) fn state(&self) -> Locked<'_, State<D>> {
        self.state.lock()
    }

    /// Sends all pending datagrams, and sets the timer.
    pub(super) fn pump(self: &Arc<Self>, state: &mut State<D>) {
        let now = now();
        let mut refused = false;
        let State { connection, datagram, traffic, .. } = &mut *state;
        while connection.transmit(now, datagram) {
            let sent = match &self.socket {
                LinkSocket::Own(socket) => socket.send(datagram),
                LinkSocket::Shared { socket, peer, .. } => traffic.send_to(socket, datagram, *peer),
            };
            // A send error is treated as loss, except for a closed port.
            refused |= sent.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
        }
        if refused {
            state.refused();
        }
        let State { connection, alarm, buffered, charge, .. } = state;
        *buffered = connection.buffered();
        if !charge.is_empty() {
            charge.reduce(buffered.saturating_sub(FREE));
        }
        if connection.is_over(now) {
            if let Some(alarm) = alarm.take() {
                self.timers.cancel(alarm);
            }
            self.end(connection.id());
        } else if let Some(at) = connection.deadline()
            && alarm.is_none_or(|(set, _)| at < set)
        {
            let handler: Weak<Self> = Arc::downgrade(self);
            *alarm = Some(self.timers.set(at, handler, *alarm));
        }
    }

    /// Ends the connection's use of the socket.
    fn end(&self, id: u64) {
        match &self.socket {
            // This ends its thread.
            LinkSocket::Own(socket) => drop(SockRef::from(socket).shutdown(Shutdown::Both)),
            LinkSocket::Shared { on_end, .. } => on_end(id),
        }
    }

    /// Handles a datagram; returns whether it has validated the peer's address. Octets for which there is no memory are
    /// treated as lost, but not acknowledgements, which free some.
    pub(super) fn take(self: &Arc<Self>, datagram: &[u8]) -> bool {
        let mut state = self.state();
        let has_memory = state.charge(D::most_kept(datagram));
        let was_established = state.connection.is_established();
        match has_memory {
            true => state.connection.receive(datagram, now()),
            false => state.connection.receive_without_octets(datagram, now()),
        }
        state.refused = false;
        self.pump(&mut state);
        let is_new = state.connection.is_established() && !was_established;
        self.notify(state);
        is_new
    }

    /// Waits for a change; `false` after the deadline.
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

    /// Changes the connection, and sends the result.
    pub(super) fn change(self: &Arc<Self>, change: impl FnOnce(&mut D)) {
        let mut state = self.state();
        change(&mut state.connection);
        self.pump(&mut state);
        self.notify(state);
    }

    fn refuse(self: &Arc<Self>) {
        let mut state = self.state();
        state.refused();
        self.pump(&mut state);
        self.notify(state);
    }

    /// Releases the changed state, and notifies those who wait for a change.
    fn notify(&self, mut state: Locked<'_, State<D>>) {
        let on_hangup = state.take_on_hangup();
        drop(state);
        self.changed.notify_all();
        if let Some(on_hangup) = on_hangup {
            on_hangup();
        }
    }

    /// Calls `notify` when the peer hangs up, or now if it has.
    pub(super) fn notify_of_hangup(&self, notify: Box<dyn FnOnce() + Send>) {
        let mut state = self.state();
        let replaced = state.on_hangup.replace(notify);
        let on_hangup = state.take_on_hangup();
        drop(state);
        drop(replaced);
        if let Some(on_hangup) = on_hangup {
            on_hangup();
        }
    }

    /// The body of the receiving thread of a client's connection.
    pub(super) fn run(self: &Arc<Self>) {
        let LinkSocket::Own(socket) = &self.socket else { return };
        let mut buffer = [0; MAX_DATAGRAM];
        loop {
            match socket.recv(&mut buffer) {
                Ok(count) => {
                    self.take(buffer.get(..count).unwrap_or_default());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The peer's port is closed.
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
        if state.connection.failure().is_some() {
            self.notify(state);
        }
    }
}

/// The error that a failure causes for users of the stream.
pub(super) fn error_of(failure: Failure) -> io::Error {
    match failure {
        Failure::Refused => io::ErrorKind::ConnectionReset.into(),
        Failure::Silence => {
            io::Error::new(io::ErrorKind::ConnectionAborted, "the peer stopped responding")
        }
        Failure::Aborted => io::ErrorKind::BrokenPipe.into(),
    }
}

#[cfg(test)]
mod tests;
