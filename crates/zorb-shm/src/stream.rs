//! The stream of a connection.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use socket2::Socket;
#[cfg(feature = "buffers")]
use zorb_os::buffers::{ReceivedBuffer, SendBuffer};
use zorb_os::probe;
use zorb_transport::Stream;
use zorb_unix::rendezvous::Names;

use crate::BUFFERS;
use crate::connection::{Connection, Wait};
use crate::ring::Ends;
use crate::watch::{PeerWatch, Watched};

/// The minimum size of a run that bypasses the ring: naming a piece costs about as much as copying
/// 2 KiB.
pub(crate) const SMALLEST_PIECE: usize = 2048;

/// The number of polls of an empty ring that take about a microsecond.
const CHEAP_POLLS: u32 = 160;

/// One end of a connection. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct ShmStream {
    /// Dropped first, so that nobody is notified about a connection that is being dropped.
    _watched: Watched,
    connection: Arc<Connection>,
}

impl ShmStream {
    /// `socket` is connected, and the memory with the rings was passed over it.
    pub(crate) fn new(
        socket: Socket,
        ends: Ends,
        names: Names,
        watch: PeerWatch,
    ) -> io::Result<Self> {
        let connection = Arc::new(Connection::new(socket, ends, names));
        Ok(Self { _watched: watch.begin(&connection)?, connection })
    }
}

impl Stream for ShmStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        probe!(TransportReceive);
        let connection = &*self.connection;
        let mut wait = Wait::new(&connection.recv_timeout);
        loop {
            if let Some(count) = connection.take(buffer)? {
                probe!(Receive);
                return Ok(count);
            }
            connection.wait_to_receive(wait.left()?);
        }
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if buffer.is_empty() {
            return Ok(Some(0));
        }
        if self.connection.is_quiet() {
            return Ok(None);
        }
        let received = self.connection.take(buffer);
        if !matches!(received, Ok(None)) {
            probe!(Receive);
        }
        received
    }

    fn cheap_polls(&self) -> u32 {
        CHEAP_POLLS
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        probe!(TransportSend);
        let sent = self.connection.send(bytes, &mut Wait::new(&self.connection.send_timeout));
        probe!(Send);
        sent
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        probe!(TransportSend);
        let mut wait = Wait::new(&self.connection.send_timeout);
        let sent = parts.iter().try_for_each(|part| self.connection.send(part, &mut wait));
        probe!(Send);
        sent
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        probe!(TransportSend);
        let sent = self.connection.try_send(bytes);
        probe!(Send);
        sent
    }

    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        IoSlice::advance_slices(parts, 0);
        while let Some(part) = parts.first() {
            let (sent, len) = (self.try_send(part)?, part.len());
            IoSlice::advance_slices(parts, sent);
            if sent < len {
                break;
            }
        }
        Ok(())
    }

    /// A long run bypasses the ring.
    fn try_send_run(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        if BUFFERS
            && let [beginning, run] = &**parts
            && run.len() >= SMALLEST_PIECE
            && !beginning.is_empty()
            && self.connection.writer.send_piece(beginning.len(), run)
        {
            // The run has been sent: only its beginning may be left.
            *parts = std::mem::take(parts).get_mut(..1).unwrap_or_default();
        }
        self.try_send_vectored(parts)
    }

    #[cfg(feature = "buffers")]
    fn loan(&self, len: usize) -> Option<SendBuffer> {
        self.connection.writer.loan(len)
    }

    #[cfg(feature = "buffers")]
    fn borrow(&self, len: usize) -> Option<ReceivedBuffer> {
        if self.connection.read_shut.load(Ordering::Acquire) {
            return None;
        }
        self.connection.reader.borrow(len)
    }

    #[cfg(feature = "buffers")]
    fn gather_threshold(&self) -> Option<usize> {
        self.connection.writer.has_buffers().then_some(SMALLEST_PIECE)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.connection.recv_timeout.change(timeout, |_| Ok(()))
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.connection.send_timeout.change(timeout, |_| Ok(()))
    }

    fn is_readable(&self) -> bool {
        let connection = &*self.connection;
        connection.read_shut.load(Ordering::Acquire)
            || connection.reader.is_ready()
            || connection.is_ended()
            || connection.is_broken()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let connection = &*self.connection;
        if matches!(how, Shutdown::Read | Shutdown::Both) {
            connection.read_shut.store(true, Ordering::SeqCst);
            connection.reader.close();
            connection.wake_receivers();
        }
        if matches!(how, Shutdown::Write | Shutdown::Both) {
            connection.write_shut.store(true, Ordering::SeqCst);
            connection.writer.close();
            connection.wake_senders();
        }
        Ok(())
    }

    fn peer(&self) -> &str {
        &self.connection.names.peer
    }

    fn local(&self) -> &str {
        &self.connection.names.local
    }

    fn hangup_fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.connection.socket.as_fd())
    }
}

impl Drop for ShmStream {
    fn drop(&mut self) {
        // This notifies the peer's waiting thread at once; a thread that misses it notices the
        // closed socket.
        self.connection.writer.close();
        self.connection.reader.close();
    }
}
