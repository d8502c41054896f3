//! One of the streams that share a connection: that of a side's server, or of one of its clients.

mod sending;

use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::connection::{Connection, STALL_LIMIT};
use super::numbering::HEAD;
use super::role::Role;
use crate::socket::Timeout;
use crate::{PeerIdentity, Stream, StreamOptions};

/// A connection that this side has opened, as the stream of its client. `serve` passes the stream of the peer's requests
/// to the server of this side; it returns whether there is one.
///
/// # Errors
/// No thread can be started.
pub(super) fn opened(
    stream: Arc<dyn Stream>,
    serve: impl Fn(Arc<dyn Stream>) -> bool + Send + Sync + 'static,
) -> io::Result<Arc<dyn Stream>> {
    let serve = move |connection, role| serve(Half::stream(connection, role));
    let connection = Connection::start(stream, Some(Box::new(serve)), STALL_LIMIT)?;
    client(&connection).ok_or_else(|| io::ErrorKind::NotConnected.into())
}

/// A connection that this side has accepted, and the stream of its server.
///
/// # Errors
/// No thread can be started.
pub(super) fn accepted(stream: Arc<dyn Stream>) -> io::Result<(Arc<Connection>, Arc<dyn Stream>)> {
    let connection = Connection::start(stream, None, STALL_LIMIT)?;
    let server = Half::stream(Arc::clone(&connection), Role::Server(0));
    Ok((connection, server))
}

/// A stream for requests to the peer; `None` if the connection has ended.
pub(super) fn client(connection: &Arc<Connection>) -> Option<Arc<dyn Stream>> {
    let role = connection.add_client()?;
    Some(Half::stream(Arc::clone(connection), role))
}

/// A stream of messages to and from the peer's client or server. Each send begins a message or continues one.
pub(super) struct Half {
    connection: Arc<Connection>,
    role: Role,
    recv_timeout: Timeout,
    send_timeout: Timeout,
}

impl Half {
    pub(super) fn stream(connection: Arc<Connection>, role: Role) -> Arc<dyn Stream> {
        let (recv_timeout, send_timeout) = (Timeout::none(), Timeout::none());
        Arc::new(Self { connection, role, recv_timeout, send_timeout })
    }

    /// Its number if the ids of its requests change.
    fn numbered(&self) -> Option<u32> {
        match self.role {
            Role::Client(number) if !self.connection.opened => Some(number),
            _ => None,
        }
    }

    fn is_server(&self) -> bool {
        matches!(self.role, Role::Server(_))
    }

    /// Whether the connection ends with it.
    fn owns(&self) -> bool {
        self.is_server() != self.connection.opened
    }

    /// Takes what has been received; `None` if there is nothing yet.
    fn take(&self, buffer: &mut [u8]) -> Option<io::Result<usize>> {
        let mut state = self.connection.state.lock();
        let end = state.end;
        let Some(pipe) = state.pipe(self.role) else { return Some(Ok(0)) };
        if !pipe.octets.is_empty() && !pipe.closed {
            let count = io::Read::read(&mut pipe.octets, buffer);
            pipe.shrink();
            state.read += count.as_ref().map_or(0, |count| *count as u64);
            drop(state);
            self.connection.changed.notify_all();
            return Some(count);
        }
        match end {
            _ if pipe.closed => Some(Ok(0)),
            Some(None) => Some(Ok(0)),
            Some(Some(kind)) => Some(Err(kind.into())),
            None => None,
        }
    }

    /// Waits until there is something to take.
    fn wait(&self, deadline: Option<Instant>) -> io::Result<()> {
        let mut state = self.connection.state.lock();
        while state.end.is_none() {
            let Some(pipe) = state.pipe(self.role) else { break };
            if pipe.closed || !pipe.octets.is_empty() {
                break;
            }
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            pipe.awaited = true;
            state = match left {
                None => self.connection.changed.wait(state),
                Some(left) => self.connection.changed.wait_for(state, left),
            };
            if let Some(pipe) = state.pipe(self.role) {
                pipe.awaited = false;
            }
        }
        Ok(())
    }
}

/// The beginning of a message, and its length.
fn beginning(parts: &[IoSlice<'_>]) -> ([u8; HEAD], usize) {
    let mut head = [0; HEAD];
    let octets = parts.iter().flat_map(|part| part.iter());
    let length = head.iter_mut().zip(octets).map(|(place, octet)| *place = *octet).count();
    (head, length)
}

impl Stream for Half {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let deadline = self.recv_timeout.current().map(|timeout| Instant::now() + timeout);
        loop {
            if let Some(taken) = self.take(buffer) {
                return taken;
            }
            self.wait(deadline)?;
        }
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.take(buffer).transpose()
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.send(&mut [IoSlice::new(bytes)])
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send(parts)
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut parts = [IoSlice::new(bytes)];
        let mut rest = &mut parts[..];
        self.try_send_vectored(&mut rest)?;
        Ok(bytes.len() - rest.iter().map(|part| part.len()).sum::<usize>())
    }

    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        let (mut head, length) = beginning(parts);
        let beginning = head.get_mut(..length).unwrap_or_default();
        if self.is_withheld_close(parts) {
            let length = parts.iter().map(|part| part.len()).sum();
            IoSlice::advance_slices(parts, length);
            return Ok(());
        }
        let sent = match self.numbered() {
            None => self.connection.sender.try_send(self.role, || self.note(beginning), parts),
            Some(client) => self.try_send_numbered(client, beginning, parts),
        };
        self.check(sent)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.recv_timeout.change(timeout, |_| Ok(()))
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.send_timeout.change(timeout, |_| Ok(()))
    }

    fn is_readable(&self) -> bool {
        let mut state = self.connection.state.lock();
        let ended = state.end.is_some();
        state.pipe(self.role).is_none_or(|pipe| ended || pipe.closed || !pipe.octets.is_empty())
    }

    /// Ends this stream; with that of the opening side's client, or the accepting side's server, the connection. So does
    /// the opening side's server if it leaves requests without a reply, and any stream that leaves a message incomplete.
    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let mut state = self.connection.state.lock();
        if how != Shutdown::Write
            && let Some(pipe) = state.pipe(self.role)
        {
            pipe.closed = true;
            pipe.octets.clear();
        }
        let leaves_requests = state.is_server(self.role) && state.splitter.serves();
        drop(state);
        self.connection.changed.notify_all();
        if how != Shutdown::Both {
            return Ok(());
        }
        // Nobody else can send after a message that stays incomplete.
        let leaves_message = self.connection.sender.is_unfinished(self.role);
        if self.owns() || leaves_requests || leaves_message {
            self.connection.end(None);
        }
        Ok(())
    }

    fn set_options(&self, options: &StreamOptions) -> io::Result<()> {
        self.connection.stream.set_options(options)
    }

    fn peer(&self) -> &str {
        self.connection.stream.peer()
    }

    fn local(&self) -> &str {
        self.connection.stream.local()
    }

    fn peer_identity(&self) -> Option<Arc<PeerIdentity>> {
        self.connection.stream.peer_identity()
    }

    fn notify_of_hangup(&self, notify: Box<dyn FnOnce() + Send>) -> bool {
        let mut state = self.connection.state.lock();
        let ended = state.end.is_some();
        match state.pipe(self.role) {
            Some(pipe) if !ended => pipe.on_hangup = Some(notify),
            _ => {
                drop(state);
                notify();
            }
        }
        true
    }

    fn is_used_otherwise(&self) -> bool {
        self.owns() && self.connection.state.lock().splitter.is_used_otherwise()
    }

    fn shares_connection(&self) -> bool {
        true
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        let _ = self.shutdown(Shutdown::Both);
        let Role::Client(number) = self.role else { return };
        let mut state = self.connection.state.lock();
        let own = state.clients.iter().position(|(known, _)| *known == number);
        let own = own.map(|at| state.clients.swap_remove(at));
        state.splitter.numbering.forget(number);
        drop(state);
        // It may have been full.
        self.connection.changed.notify_all();
        // What it holds may take the lock.
        drop(own);
    }
}

impl fmt::Debug for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Half").field(&self.role).field(&self.connection).finish()
    }
}
