//! A connected socket as a stream.

use std::io::{self, IoSlice, Read};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use socket2::Socket;
use zorb_os::clock::MonotonicTime;
use zorb_os::poll::wait_writable;
use zorb_os::probe;
use zorb_os::socket::{Pending, peek, recv_now};

use super::timeout::Timeout;
use crate::{Stream, StreamOptions};

/// The maximum number of slices of one gathered send (`IOV_MAX`).
const MAX_SLICES: usize = 1024;

/// Flags for sending: without waiting, because a socket's own timeout restarts with each send (on a
/// Unix-domain socket with each part of one). A disconnected peer is an error instead of a signal.
const AT_ONCE: libc::c_int = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;

/// A connected socket of any stream family as a blocking [`Stream`].
#[derive(Debug)]
pub struct SocketStream {
    socket: Socket,
    recv_timeout: Timeout,
    send_timeout: Timeout,
    local: Box<str>,
    peer: Box<str>,
}

impl SocketStream {
    /// Takes a connected, blocking socket without timeouts; `local` and `peer` name its ends in
    /// messages.
    pub fn new(socket: impl Into<OwnedFd>, local: String, peer: String) -> Self {
        Self {
            socket: Socket::from(socket.into()),
            recv_timeout: Timeout::none(),
            send_timeout: Timeout::none(),
            local: local.into(),
            peer: peer.into(),
        }
    }

    /// Repeats `step` after an incomplete send, until it returns that all is sent, or the send
    /// timeout expires.
    #[cold]
    fn send_rest(&self, mut step: impl FnMut() -> io::Result<bool>) -> io::Result<()> {
        // No step waits, so the timeout starts here.
        let timeout = self.send_timeout.current();
        let deadline = timeout.map(|timeout| MonotonicTime::now() + timeout);
        loop {
            if !wait_writable(self.socket.as_fd(), deadline.map(MonotonicTime::time_left))? {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if step()? {
                return Ok(());
            }
            if deadline.is_some_and(|deadline| deadline.time_left().is_zero()) {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }

    /// Sends a prefix of `bytes` without waiting; returns its length.
    #[inline]
    fn send_now(&self, bytes: &[u8]) -> io::Result<usize> {
        probe!(TransportSend);
        let sent = self.socket.send_with_flags(bytes, AT_ONCE);
        probe!(Send);
        finish(sent)
    }

    /// Sends a prefix of `bytes` without waiting and removes it; returns whether all is sent.
    fn send_some(&self, bytes: &mut &[u8]) -> io::Result<bool> {
        let sent = self.send_now(bytes)?;
        *bytes = bytes.get(sent..).unwrap_or_default();
        Ok(bytes.is_empty())
    }

    /// Like [`send_some`](Self::send_some), gathered.
    fn send_some_parts(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<bool> {
        let batch = parts.get(..MAX_SLICES).unwrap_or(parts);
        probe!(TransportSend);
        let sent = self.socket.send_vectored_with_flags(batch, AT_ONCE);
        probe!(Send);
        let sent = finish(sent)?;
        IoSlice::advance_slices(parts, sent);
        Ok(parts.is_empty())
    }
}

/// The result of a send. If it was interrupted, or there was no room, nothing was sent.
fn finish(outcome: io::Result<usize>) -> io::Result<usize> {
    match outcome {
        Ok(0) => Err(io::ErrorKind::WriteZero.into()),
        Ok(sent) => Ok(sent),
        Err(error) => match error.kind() {
            io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => Ok(0),
            _ => Err(error),
        },
    }
}

/// A socket's timeout is reported as `WouldBlock`; the trait defines `TimedOut`.
fn named(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
        _ => error,
    }
}

impl Stream for SocketStream {
    fn set_options(&self, options: &StreamOptions) -> io::Result<()> {
        super::set_buffers(&self.socket, options)?;
        if super::is_of_a_network(self.socket.domain()?) {
            self.socket.set_tcp_nodelay(options.no_delay)?;
            self.socket.set_keepalive(options.keep_alive)?;
        }
        super::change_traffic(&self.socket, options)
    }

    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0); // the system would wait although the buffer has no room
        }
        probe!(TransportReceive);
        loop {
            let received = (&self.socket).read(buffer);
            probe!(Receive);
            match received {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(named(error)),
                received => return received,
            }
        }
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if buffer.is_empty() {
            return Ok(Some(0));
        }
        let received = recv_now(self.socket.as_fd(), buffer);
        if !matches!(received, Ok(None)) {
            // The time of earlier failed polls belongs to waiting.
            probe!(Receive);
        }
        received
    }

    fn short_read_means_empty(&self) -> bool {
        true
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

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() { Ok(0) } else { self.send_now(bytes) }
    }

    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        IoSlice::advance_slices(parts, 0);
        if !parts.is_empty() {
            self.send_some_parts(parts)?;
        }
        Ok(())
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.recv_timeout.change(timeout, |timeout| self.socket.set_read_timeout(timeout))
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.send_timeout.change(timeout, |_| Ok(()))
    }

    fn is_readable(&self) -> bool {
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

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn the_time_for_sending_is_for_all_pieces_together() {
        let (here, there) = UnixStream::pair().unwrap();
        let stream = SocketStream::new(here, String::new(), String::new());
        stream.set_send_timeout(Some(Duration::ZERO)).unwrap();
        // There is always room for another part.
        let mut pieces = 0_u32;
        let error = stream.send_rest(|| {
            pieces += 1;
            Ok(false)
        });
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(pieces >= 1);
        // None of them waits, whatever the socket's timeout is.
        stream.set_send_timeout(None).unwrap();
        let (mut all, mut rest) = (0, &[7; 1 << 20][..]);
        while !rest.is_empty() && all < rest.len() {
            let before = rest.len();
            assert!(!stream.send_some(&mut rest).unwrap());
            all += before - rest.len();
            if before == rest.len() {
                break;
            }
        }
        assert!(all > 0 && !rest.is_empty());
        drop(there);
        assert!(stream.send_some(&mut rest).is_err());
    }
}
