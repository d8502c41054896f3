//! A server's side: one stream of the requests that all clients send.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use zorb_os::poll::wait_readable;
use zorb_transport::Stream;

use crate::datagram::Datagram;
use crate::listen::Shared;

/// Octets that a datagram has at most, with one more to see that it has not.
const ROOM: usize = 1 << 16;

/// The requests that come to a socket.
#[derive(Debug)]
pub(crate) struct UdpServer {
    shared: Arc<Shared>,
    ended: AtomicBool,
    waiting: Mutex<Waiting>,
    local: Box<str>,
}

/// A datagram of which some was not taken yet.
#[derive(Debug)]
struct Waiting {
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

impl UdpServer {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let local = shared.socket.local_addr().map(|address| address.to_string());
        let waiting = Waiting { buffer: vec![0; ROOM].into(), start: 0, end: 0 };
        Self {
            shared,
            ended: AtomicBool::new(false),
            waiting: Mutex::new(waiting),
            local: local.unwrap_or_default().into(),
        }
    }

    /// Waits for the next datagram; `None` at the end.
    fn next(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let socket = &self.shared.socket;
        loop {
            if self.ended.load(Ordering::Acquire) {
                return Ok(None);
            }
            match socket.recv(buffer) {
                Ok(count) => return Ok(Some(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_readable(&[socket.as_fd(), self.shared.wake.as_fd()], None)?;
                }
                // What the system says of datagrams that were sent is none of ours.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Stream for UdpServer {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let Waiting { buffer: datagram, start, end } = &mut *waiting;
        while *start == *end {
            let Some(count) = self.next(datagram)? else { return Ok(0) };
            let kind = Datagram::judge(datagram.get(..count).unwrap_or_default());
            self.shared.counters.count(kind);
            if kind == Datagram::Request {
                (*start, *end) = (0, count);
            }
        }
        let rest = datagram.get(*start..*end).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        *start += count;
        Ok(count)
    }

    /// There is nobody to send to: no request that is taken has an answer.
    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        Ok(())
    }

    /// It does not: a server that is not called is no client that is gone.
    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_stale(&self) -> bool {
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
        self.shared.came_back();
    }
}
