//! A TCP connection as a stream.

use std::io::{self, IoSlice, Read, Write};
use std::net::{self, Shutdown, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use socket2::SockRef;
use zorb_os::clock::MonotonicTime;
use zorb_os::socket::{Pending, peek};
use zorb_transport::{Stream, StreamOptions};

/// How many slices the system takes in one gathered send (`IOV_MAX`).
const MAX_SLICES: usize = 1024;

/// A connected TCP socket, blocking.
#[derive(Debug)]
pub(crate) struct TcpStream {
    socket: net::TcpStream,
    recv_timeout: Timeout,
    send_timeout: Timeout,
    local: Box<str>,
    peer: Box<str>,
}

impl TcpStream {
    /// Sets up a connected, blocking socket.
    pub(crate) fn new(
        socket: net::TcpStream,
        peer: SocketAddr,
        options: &StreamOptions,
    ) -> io::Result<Self> {
        if options.no_delay {
            socket.set_nodelay(true)?;
        }
        if options.keep_alive {
            SockRef::from(&socket).set_keepalive(true)?;
        }
        let local = canonical(socket.local_addr()?);
        Ok(Self {
            socket,
            recv_timeout: Timeout::none(),
            send_timeout: Timeout::none(),
            local: local.to_string().into(),
            peer: canonical(peer).to_string().into(),
        })
    }

    /// Goes on sending after the system took only a part: until `step` says that all is sent,
    /// or for no longer than the send time-out allows.
    #[cold]
    fn send_rest(&self, mut step: impl FnMut() -> io::Result<bool>) -> io::Result<()> {
        // Each step waits no longer than the time-out, so the whole takes at most three of
        // them: the one behind us, the one counted here, and the last step's own.
        let deadline = self.send_timeout.current().map(|timeout| MonotonicTime::now() + timeout);
        while !step()? {
            if deadline.is_some_and(|deadline| deadline.time_left().is_zero()) {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(())
    }

    /// Sends a first part of `bytes` and leaves the rest there. Says whether there is none.
    fn send_some(&self, bytes: &mut &[u8]) -> io::Result<bool> {
        // `send` with MSG_NOSIGNAL, so a peer that has gone is an error and not a signal.
        let sent = finish((&self.socket).write(bytes))?;
        *bytes = bytes.get(sent..).unwrap_or_default();
        Ok(bytes.is_empty())
    }

    /// As [`send_some`](Self::send_some), gathered.
    fn send_some_parts(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<bool> {
        let batch = parts.get(..MAX_SLICES).unwrap_or(parts);
        // Not `write_vectored`, which could end the process with SIGPIPE.
        let socket = SockRef::from(&self.socket);
        let sent = finish(socket.send_vectored_with_flags(batch, libc::MSG_NOSIGNAL))?;
        IoSlice::advance_slices(parts, sent);
        Ok(parts.is_empty())
    }
}

/// The outcome of a send: an interrupted one sent nothing, a time-out has one name.
fn finish(outcome: io::Result<usize>) -> io::Result<usize> {
    match outcome {
        Ok(0) => Err(io::ErrorKind::WriteZero.into()),
        Ok(sent) => Ok(sent),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(0),
        Err(error) => Err(named(error)),
    }
}

/// A socket's time-out shows as `WouldBlock`; the trait calls it `TimedOut`.
fn named(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
        _ => error,
    }
}

/// IPv4 as IPv4, also where it came in over an IPv6 socket.
pub(crate) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

impl Stream for TcpStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0); // the system would wait for bytes that it cannot hand over
        }
        loop {
            match (&self.socket).read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(named(error)),
                received => return received,
            }
        }
    }

    fn send_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() || self.send_some(&mut bytes)? {
            return Ok(());
        }
        self.send_rest(|| self.send_some(&mut bytes))
    }

    fn send_vectored_all(&self, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        IoSlice::advance_slices(&mut parts, 0); // drops empty slices at the front
        if parts.is_empty() || self.send_some_parts(&mut parts)? {
            return Ok(());
        }
        self.send_rest(|| self.send_some_parts(&mut parts))
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.recv_timeout.change(timeout, |timeout| self.socket.set_read_timeout(timeout))
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.send_timeout.change(timeout, |timeout| self.socket.set_write_timeout(timeout))
    }

    fn is_stale(&self) -> bool {
        !matches!(peek(self.socket.as_fd()), Pending::Nothing)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        match self.socket.shutdown(how) {
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            done => done,
        }
    }

    fn peer(&self) -> &str {
        &self.peer
    }

    fn local(&self) -> &str {
        &self.local
    }

    fn readiness_fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }
}

/// A time-out as the socket has it, in nanoseconds; 0 for none.
#[derive(Debug)]
struct Timeout(AtomicU64);

impl Timeout {
    fn none() -> Self {
        Self(AtomicU64::new(0))
    }

    fn current(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            nanos => Some(Duration::from_nanos(nanos)),
        }
    }

    /// Has `apply` set the time-out where it differs from the one that is set.
    fn change(
        &self,
        timeout: Option<Duration>,
        apply: impl FnOnce(Option<Duration>) -> io::Result<()>,
    ) -> io::Result<()> {
        // To the system zero means none, so the shortest time-out stands in for it.
        let nanos = timeout
            .map_or(0, |timeout| u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX).max(1));
        if self.0.load(Ordering::Relaxed) != nanos {
            apply(timeout.map(|_| Duration::from_nanos(nanos)))?;
            self.0.store(nanos, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_timeout_that_is_set_is_not_set_again() {
        let applied = RefCell::new(Vec::new());
        let timeout = Timeout::none();
        let set = |wanted| {
            let record = |value| {
                applied.borrow_mut().push(value);
                Ok(())
            };
            timeout.change(wanted, record).unwrap();
        };
        let second = Duration::from_secs(1);
        for wanted in [None, Some(second), Some(second), None, None, Some(Duration::ZERO)] {
            set(wanted);
        }
        assert_eq!(*applied.borrow(), [Some(second), None, Some(Duration::from_nanos(1))]);
        set(Some(Duration::MAX));
        assert_eq!(timeout.current(), Some(Duration::from_nanos(u64::MAX)));
    }

    #[test]
    fn a_timeout_that_could_not_be_set_is_tried_again() {
        let timeout = Timeout::none();
        let wanted = Some(Duration::from_secs(1));
        assert!(timeout.change(wanted, |_| Err(io::ErrorKind::Other.into())).is_err());
        let mut tried = false;
        timeout
            .change(wanted, |_| {
                tried = true;
                Ok(())
            })
            .unwrap();
        assert!(tried);
    }
}
