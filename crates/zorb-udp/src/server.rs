//! The server's side: one stream with the requests of all clients.

use std::fmt;
use std::io::{self, IoSlice};
use std::net::{Shutdown, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb_os::event::EventFd;
use zorb_os::lock::{Condition, Lock};
use zorb_os::poll::wait_readable;
use zorb_transport::socket::set_buffers;
use zorb_transport::{Stream, StreamOptions};

/// The maximum size of a datagram plus 1, to detect longer ones.
const ROOM: usize = 1 << 16;

/// A bound socket, which the acceptor shares with its stream.
#[derive(Debug)]
pub(crate) struct Shared {
    socket: UdpSocket,
    /// Wakes the thread that waits in `recv`. Shutting down the socket would do it too, but the next
    /// stream could not use it then.
    wake: EventFd,
    state: Lock<State>,
    changed: Condition,
    /// The memory for datagrams while there is no stream: there may be none for the next one.
    datagram: Lock<Box<[u8]>>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the ORB has the stream.
    is_taken: bool,
    is_closed: bool,
}

impl Shared {
    pub(crate) fn new(socket: UdpSocket) -> io::Result<Self> {
        // `recv` waits for the socket and for `wake`.
        socket.set_nonblocking(true)?;
        let mut datagram = Vec::new();
        datagram.try_reserve_exact(ROOM).map_err(|_| io::ErrorKind::OutOfMemory)?;
        datagram.resize(ROOM, 0);
        let datagram = Lock::new(datagram.into());
        let (state, changed) = (Lock::default(), Condition::new());
        Ok(Self { socket, wake: EventFd::new()?, state, changed, datagram })
    }

    /// Waits until there is no stream, so that the caller may make one; `false` if the acceptor was
    /// closed.
    pub(crate) fn take_stream(&self) -> bool {
        let mut state = self.state.lock();
        while state.is_taken && !state.is_closed {
            state = self.changed.wait(state);
        }
        if state.is_closed {
            return false;
        }
        state.is_taken = true;
        // The last stream may have been woken by it.
        self.wake.drain();
        true
    }

    /// The stream was dropped.
    fn return_stream(&self) {
        self.state.lock().is_taken = false;
        self.changed.notify_all();
    }

    /// The acceptor was closed.
    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
    }
}

/// Converts datagrams to requests.
pub(crate) trait Unpack: Send + fmt::Debug {
    /// Handles a datagram, which may come from anybody.
    fn take(&mut self, datagram: &[u8], from: SocketAddr);

    /// Writes the next request to `message`; `false` if there is none.
    fn next(&mut self, message: &mut Vec<u8>) -> bool;
}

/// The stream of the requests that arrive at a socket.
#[derive(Debug)]
pub(crate) struct UdpServer {
    shared: Arc<Shared>,
    ended: AtomicBool,
    waiting: Lock<Waiting>,
    local: Box<str>,
}

/// A partly read request, and the source of the next one.
#[derive(Debug)]
struct Waiting {
    datagram: Box<[u8]>,
    unpack: Box<dyn Unpack>,
    message: Vec<u8>,
    taken: usize,
}

impl UdpServer {
    pub(crate) fn new(shared: Arc<Shared>, unpack: Box<dyn Unpack>) -> Self {
        let local = shared.socket.local_addr().map(|address| address.to_string());
        let datagram = std::mem::take(&mut *shared.datagram.lock());
        Self {
            shared,
            ended: AtomicBool::new(false),
            waiting: Lock::new(Waiting { datagram, unpack, message: Vec::new(), taken: 0 }),
            local: local.unwrap_or_default().into(),
        }
    }

    /// Waits for the next datagram; `None` at the end.
    fn next(&self, buffer: &mut [u8]) -> io::Result<Option<(usize, SocketAddr)>> {
        let socket = &self.shared.socket;
        loop {
            if self.ended.load(Ordering::Acquire) {
                return Ok(None);
            }
            match socket.recv_from(buffer) {
                Ok(received) => return Ok(Some(received)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_readable(&[socket.as_fd(), self.shared.wake.as_fd()], None)?;
                }
                // Errors of earlier sends are irrelevant.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Stream for UdpServer {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut waiting = self.waiting.lock();
        let Waiting { datagram, unpack, message, taken } = &mut *waiting;
        while *taken == message.len() {
            *taken = 0;
            if unpack.next(message) {
                continue;
            }
            message.clear();
            let Some((count, from)) = self.next(datagram)? else { return Ok(0) };
            unpack.take(datagram.get(..count).unwrap_or_default(), from);
        }
        let rest = message.get(*taken..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        *taken += count;
        Ok(count)
    }

    /// There is nothing to send: no accepted request expects a reply.
    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        Ok(())
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    /// Nothing is sent, so only the receive buffer matters.
    fn set_options(&self, options: &StreamOptions) -> io::Result<()> {
        set_buffers(&self.shared.socket, options)
    }

    /// Ignored: a server without requests is not an idle client.
    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
        false
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        self.ended.store(true, Ordering::Release);
        self.shared.wake.notify();
        Ok(())
    }

    fn peer(&self) -> &str {
        "all clients"
    }

    fn local(&self) -> &str {
        &self.local
    }
}

impl Drop for UdpServer {
    fn drop(&mut self) {
        let datagram = std::mem::take(&mut self.waiting.lock().datagram);
        *self.shared.datagram.lock() = datagram;
        self.shared.return_stream();
    }
}
