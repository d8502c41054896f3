//! One end of an in-process connection.
#![expect(clippy::disallowed_types, reason = "for tests in one process; lanes do not listen here")]

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::pipe::{Pipe, lock};
use crate::Stream;

/// The scheme of in-process URLs.
pub const SCHEME: &str = "inproc";

/// One end of an in-process connection: a pipe to read and a pipe to write.
#[derive(Debug)]
pub(super) struct InprocStream {
    incoming: Arc<Pipe>,
    outgoing: Arc<Pipe>,
    recv_timeout: Mutex<Option<Duration>>,
    send_timeout: Mutex<Option<Duration>>,
    local: Arc<str>,
    peer: Arc<str>,
}

/// Two connected streams with a buffer of `capacity` octets (at least 1) per direction.
///
/// ```
/// let (client, server) = zorb_transport::inproc::pair(1024);
/// client.send_all(b"ping")?;
/// let mut buffer = [0; 16];
/// assert_eq!(server.recv(&mut buffer)?, 4);
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn pair(capacity: usize) -> (Arc<dyn Stream>, Arc<dyn Stream>) {
    let names = [format!("{SCHEME}://left"), format!("{SCHEME}://right")];
    let (left, right) = connected(&names[0], &names[1], capacity, capacity);
    (Arc::new(left), Arc::new(right))
}

/// Two connected ends with these names; each capacity is for the direction that the end sends.
pub(super) fn connected(
    left: &str,
    right: &str,
    from_left: usize,
    from_right: usize,
) -> (InprocStream, InprocStream) {
    let (left, right): (Arc<str>, Arc<str>) = (left.into(), right.into());
    let (rightward, leftward) = (Arc::new(Pipe::new(from_left)), Arc::new(Pipe::new(from_right)));
    let end = |incoming: &Arc<Pipe>, outgoing: &Arc<Pipe>, local: &Arc<str>, peer: &Arc<str>| {
        InprocStream {
            incoming: Arc::clone(incoming),
            outgoing: Arc::clone(outgoing),
            recv_timeout: Mutex::new(None),
            send_timeout: Mutex::new(None),
            local: Arc::clone(local),
            peer: Arc::clone(peer),
        }
    };
    (end(&leftward, &rightward, &left, &right), end(&rightward, &leftward, &right, &left))
}

/// The deadline of a timeout that starts now; `None` if the clock cannot represent it.
pub(super) fn deadline_of(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}

impl Stream for InprocStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.incoming.recv(buffer, deadline_of(*lock(&self.recv_timeout)))
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        Ok(self.incoming.try_recv(buffer))
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.outgoing.send(bytes, deadline_of(*lock(&self.send_timeout)))
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let deadline = deadline_of(*lock(&self.send_timeout));
        parts.iter().try_for_each(|part| self.outgoing.send(part, deadline))
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.outgoing.try_send(bytes)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        *lock(&self.recv_timeout) = timeout;
        Ok(())
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        *lock(&self.send_timeout) = timeout;
        Ok(())
    }

    fn is_readable(&self) -> bool {
        self.incoming.is_readable() || self.outgoing.is_broken()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if matches!(how, Shutdown::Read | Shutdown::Both) {
            self.incoming.close_read();
        }
        if matches!(how, Shutdown::Write | Shutdown::Both) {
            self.outgoing.close_write();
        }
        Ok(())
    }

    fn peer(&self) -> &str {
        &self.peer
    }

    fn local(&self) -> &str {
        &self.local
    }
}

impl Drop for InprocStream {
    fn drop(&mut self) {
        self.incoming.close_read();
        self.outgoing.close_write();
    }
}
