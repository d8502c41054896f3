//! One of the streams that share a connection: that of a side's server, or of one of its clients.

use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_giop::MessageHeader;

use super::connection::{Connection, STALL_LIMIT};
use super::numbering::{HEAD, Outgoing};
use super::role::Role;
use crate::socket::Timeout;
use crate::{PeerIdentity, Stream, StreamOptions};

/// The octets of a CloseConnection.
const CLOSE_CONNECTION: (usize, &[u8], Option<&u8>) = (12, b"GIOP", Some(&5));

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

    /// Sends a message with one call of the stream's `send_vectored_all`.
    fn send(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let Connection { stream, sender, state, .. } = &*self.connection;
        let (mut head, length) = beginning(parts);
        let beginning = head.get_mut(..length).unwrap_or_default();
        if self.is_withheld_close(parts) {
            return Ok(());
        }
        let timeout = self.send_timeout.current();
        let sent = sender.send(self.role, timeout, |is_new| {
            if !is_new {
                return Ok(stream.send_vectored_all(parts));
            }
            let Some(client) = self.numbered() else {
                self.note(beginning);
                return Ok(stream.send_vectored_all(parts));
            };
            if has_several(beginning, parts) {
                return Ok(stream.send_all(&self.renumber(client, parts)?));
            }
            // Decided when the connection is free: a request has an id only if it is sent.
            match state.lock().splitter.numbering.outgoing(client, beginning) {
                Outgoing::Sent => {}
                other => return Err(other),
            }
            let mut rest = &mut *parts;
            IoSlice::advance_slices(&mut rest, length);
            let mut all: Vec<IoSlice<'_>> = Vec::with_capacity(rest.len() + 1);
            all.push(IoSlice::new(beginning));
            all.extend(rest.iter().map(|part| IoSlice::new(part)));
            Ok(stream.send_vectored_all(&mut all))
        });
        match sent {
            Ok(sent) => self.check(sent),
            Err(Outgoing::Refused) => Err(io::ErrorKind::Unsupported.into()),
            Err(_) => Ok(()),
        }
    }

    /// Gives several whole messages of a client their ids. Those that the peer does not get are left out.
    #[cold]
    fn renumber(&self, client: u32, parts: &[IoSlice<'_>]) -> Result<Vec<u8>, Outgoing> {
        let mut octets: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        let mut sent = Vec::with_capacity(octets.len());
        let mut state = self.connection.state.lock();
        let mut rest = &mut octets[..];
        while !rest.is_empty() {
            let size = total_size(rest).ok_or(Outgoing::Refused)?.min(rest.len());
            let (message, later) = rest.split_at_mut(size);
            match state.splitter.numbering.outgoing(client, message) {
                Outgoing::Sent => sent.extend_from_slice(message),
                Outgoing::Dropped => {}
                Outgoing::Refused => return Err(Outgoing::Refused),
            }
            rest = later;
        }
        Ok(sent)
    }

    /// Ends the connection if a message has been sent in part.
    fn check(&self, sent: io::Result<()>) -> io::Result<()> {
        if let Err(error) = &sent
            && self.connection.sender.is_broken()
        {
            self.connection.end(Some(error.kind()));
        }
        sent
    }

    /// Notes a message that has not been sent before.
    fn note(&self, beginning: &[u8]) {
        if self.connection.opened && self.is_server() {
            self.connection.state.lock().splitter.served(beginning);
        }
    }

    /// Whether this is a CloseConnection that the side that opened the connection must not send. Its server sends none if
    /// its requests are complete or a newer server has replaced it, because the connection stays open. Its client sends none
    /// while requests of the peer are in progress, because the peer would send them again.
    fn is_withheld_close(&self, parts: &[IoSlice<'_>]) -> bool {
        let is_close = |part: &IoSlice<'_>| {
            (part.len(), part.get(..4).unwrap_or_default(), part.get(7)) == CLOSE_CONNECTION
        };
        let Connection { opened, sender, state, .. } = &*self.connection;
        if !opened || !parts.first().is_some_and(is_close) || sender.is_unfinished(self.role) {
            return false;
        }
        let state = state.lock();
        let serves = state.splitter.serves();
        if self.is_server() { !state.is_server(self.role) || !serves } else { serves }
    }
}

/// The beginning of a message, and its length.
fn beginning(parts: &[IoSlice<'_>]) -> ([u8; HEAD], usize) {
    let mut head = [0; HEAD];
    let octets = parts.iter().flat_map(|part| part.iter());
    let length = head.iter_mut().zip(octets).map(|(place, octet)| *place = *octet).count();
    (head, length)
}

/// The size of the message that these octets begin with.
fn total_size(octets: &[u8]) -> Option<usize> {
    Some(MessageHeader::parse_prefix(octets).ok()??.total_size())
}

/// Whether there are several messages.
fn has_several(beginning: &[u8], parts: &[IoSlice<'_>]) -> bool {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    total_size(beginning).is_some_and(|size| size < length)
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

impl Half {
    /// Sends a message of a client of the accepting side, if the stream takes all of it at once. Such messages are short,
    /// for example cancellations.
    fn try_send_numbered(
        &self,
        client: u32,
        beginning: &mut [u8],
        parts: &mut &mut [IoSlice<'_>],
    ) -> io::Result<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        match self.connection.state.lock().splitter.numbering.outgoing(client, beginning) {
            Outgoing::Sent => {}
            Outgoing::Dropped => {
                IoSlice::advance_slices(parts, length);
                return Ok(());
            }
            Outgoing::Refused => return Err(io::ErrorKind::Unsupported.into()),
        }
        let octets = parts.iter().flat_map(|part| part.iter().copied()).skip(beginning.len());
        let whole: Vec<u8> = beginning.iter().copied().chain(octets).collect();
        let mut all = [IoSlice::new(&whole)];
        let mut rest = &mut all[..];
        let sent = self.connection.sender.try_send(self.role, || (), &mut rest);
        let left: usize = rest.iter().map(|part| part.len()).sum();
        IoSlice::advance_slices(parts, length - left);
        sent
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
