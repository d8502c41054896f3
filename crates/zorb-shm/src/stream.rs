//! A connection over shared memory as a stream.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use socket2::Socket;
#[cfg(feature = "buffers")]
use zorb_os::buffers::{ReceivedBuffer, SendBuffer};
use zorb_os::clock::MonotonicTime;
use zorb_os::probe;
use zorb_transport::Stream;
use zorb_transport::socket::Timeout;
use zorb_unix::rendezvous::Names;

use crate::BUFFERS;
use crate::ring::{Corrupt, Reader, Writer};
use crate::watch::{Watched, watch};

/// The fewest octets that go past the ring: naming a piece costs about as much as copying so many.
pub(crate) const SMALLEST_PIECE: usize = 2048;

/// How many looks at an empty ring take about a microsecond.
const CHEAP_LOOKS: u32 = 160;

/// One end of a connection. Dropping it ends the connection.
#[derive(Debug)]
pub(crate) struct ShmStream {
    /// Goes first, so that nobody is told about a line that is being dropped.
    _watched: Watched,
    line: Arc<Line>,
}

/// What the thread that watches for peers knows, too.
#[derive(Debug)]
pub(crate) struct Line {
    /// Open as long as this end is there. Nothing is sent on it any more.
    pub(crate) socket: Socket,
    writer: Writer,
    reader: Reader,
    /// The peer's process has closed its socket.
    gone: AtomicBool,
    /// Shut down at this end.
    read_shut: AtomicBool,
    write_shut: AtomicBool,
    /// How many threads of this process sleep in the ring, or are about to.
    receiving: AtomicU32,
    sending: AtomicU32,
    recv_timeout: Timeout,
    send_timeout: Timeout,
    names: Names,
}

impl ShmStream {
    /// `socket` is connected, and over it the memory with the two rings went.
    pub(crate) fn new(
        socket: Socket,
        (writer, reader): (Writer, Reader),
        names: Names,
    ) -> io::Result<Self> {
        let line = Arc::new(Line {
            socket,
            writer,
            reader,
            gone: AtomicBool::new(false),
            read_shut: AtomicBool::new(false),
            write_shut: AtomicBool::new(false),
            receiving: AtomicU32::new(0),
            sending: AtomicU32::new(0),
            recv_timeout: Timeout::none(),
            send_timeout: Timeout::none(),
            names,
        });
        Ok(Self { _watched: watch(&line)?, line })
    }
}

impl From<Corrupt> for io::Error {
    #[cold]
    fn from(Corrupt: Corrupt) -> Self {
        let what = "the peer has written nonsense into the shared memory";
        Self::new(io::ErrorKind::InvalidData, what)
    }
}

impl Line {
    /// The peer's process has closed its socket, or is no more.
    pub(crate) fn peer_is_gone(&self) {
        self.gone.store(true, Ordering::SeqCst);
        self.rouse_receiver();
        self.rouse_sender();
    }

    fn rouse_receiver(&self) {
        rouse(&self.receiving, || self.reader.rouse());
    }

    fn rouse_sender(&self) {
        rouse(&self.sending, || self.writer.rouse());
    }

    /// Whether nothing can come but what is there.
    #[inline]
    fn is_ended(&self) -> bool {
        self.gone.load(Ordering::Acquire) || self.reader.is_ended()
    }

    /// Whether nothing can be sent.
    #[inline]
    fn is_broken(&self) -> bool {
        self.write_shut.load(Ordering::Acquire)
            || self.gone.load(Ordering::Acquire)
            || self.writer.is_refused()
    }

    /// What is there; `None` when nothing is, yet. 0 at the end.
    #[inline]
    fn take(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if self.read_shut.load(Ordering::Acquire) {
            return Ok(Some(0));
        }
        match self.reader.read(buffer)? {
            // What came before the end comes before the news of it.
            0 if self.is_ended() => Ok(Some(self.reader.read(buffer)?)),
            0 => Ok(None),
            count => Ok(Some(count)),
        }
    }

    /// Whether [`take`](Self::take) has nothing to say, by a look that takes little.
    #[inline]
    fn is_quiet(&self) -> bool {
        self.reader.is_quiet()
            && !self.gone.load(Ordering::Acquire)
            && !self.read_shut.load(Ordering::Acquire)
    }

    /// Sleeps until [`take`](Self::take) has something to say, or for no longer than `limit`. It
    /// may wake for no reason.
    #[cold]
    fn wait_to_receive(&self, limit: Option<Duration>) {
        let ready =
            || self.reader.is_ready() || self.is_ended() || self.read_shut.load(Ordering::SeqCst);
        self.receiving.fetch_add(1, Ordering::SeqCst);
        self.reader.wait_unless(ready, limit);
        self.receiving.fetch_sub(1, Ordering::SeqCst);
    }

    /// Sleeps until there is room again, or there never will be; otherwise as above.
    #[cold]
    fn wait_to_send(&self, limit: Option<Duration>) {
        self.sending.fetch_add(1, Ordering::SeqCst);
        self.writer.wait_unless(|| self.writer.is_ready() || self.is_broken(), limit);
        self.sending.fetch_sub(1, Ordering::SeqCst);
    }

    /// Puts all of `bytes` into the ring. `wait` is what is left of the time-out.
    fn send(&self, mut bytes: &[u8], wait: &mut Wait<'_>) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.is_broken() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            match self.writer.write(bytes)? {
                0 => self.wait_to_send(wait.left()?),
                sent => bytes = bytes.get(sent..).unwrap_or_default(),
            }
        }
        Ok(())
    }
}

/// Wakes the threads counted in `sleepers` until there are none: one of them may be between its
/// last look and its sleep. They all see by now what they are to see, so none comes again.
fn rouse(sleepers: &AtomicU32, wake: impl Fn()) {
    const TURNS: u32 = 64;
    let mut turn = 0;
    while sleepers.load(Ordering::SeqCst) != 0 {
        wake();
        if turn < TURNS {
            turn += 1;
            thread::yield_now();
        } else {
            // A thread of higher priority must not keep the sleeper from its processor.
            #[expect(clippy::disallowed_methods, reason = "the sleeper may be of another process")]
            thread::sleep(Duration::from_micros(100));
        }
    }
}

/// The time-out of one operation, whose clock is looked at when there is a wait.
struct Wait<'t> {
    timeout: &'t Timeout,
    deadline: Option<MonotonicTime>,
}

impl<'t> Wait<'t> {
    fn new(timeout: &'t Timeout) -> Self {
        Self { timeout, deadline: None }
    }

    /// How long to sleep now.
    #[cold]
    fn left(&mut self) -> io::Result<Option<Duration>> {
        let Some(timeout) = self.timeout.current() else { return Ok(None) };
        match self.deadline {
            None => {
                self.deadline = Some(MonotonicTime::now() + timeout);
                Ok(Some(timeout))
            }
            Some(deadline) => match deadline.time_left() {
                Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
                left => Ok(Some(left)),
            },
        }
    }
}

impl Stream for ShmStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        probe!(TransportReceive);
        let line = &*self.line;
        let mut wait = Wait::new(&line.recv_timeout);
        loop {
            if let Some(count) = line.take(buffer)? {
                probe!(Receive);
                return Ok(count);
            }
            line.wait_to_receive(wait.left()?);
        }
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if buffer.is_empty() {
            return Ok(Some(0));
        }
        if self.line.is_quiet() {
            return Ok(None);
        }
        let received = self.line.take(buffer);
        if !matches!(received, Ok(None)) {
            probe!(Receive);
        }
        received
    }

    fn cheap_looks(&self) -> u32 {
        CHEAP_LOOKS
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        probe!(TransportSend);
        let sent = self.line.send(bytes, &mut Wait::new(&self.line.send_timeout));
        probe!(Send);
        sent
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        probe!(TransportSend);
        let mut wait = Wait::new(&self.line.send_timeout);
        // A long run behind a beginning, which is what calls send, can go past the ring.
        if BUFFERS
            && let [beginning, run] = parts
            && run.len() >= SMALLEST_PIECE
            && !beginning.is_empty()
            && self.line.writer.send_piece(beginning.len(), run)
        {
            let sent = self.line.send(beginning, &mut wait);
            probe!(Send);
            return sent;
        }
        let sent = parts.iter().try_for_each(|part| self.line.send(part, &mut wait));
        probe!(Send);
        sent
    }

    #[cfg(feature = "buffers")]
    fn loan(&self, len: usize) -> Option<SendBuffer> {
        self.line.writer.loan(len)
    }

    #[cfg(feature = "buffers")]
    fn borrow(&self, len: usize) -> Option<ReceivedBuffer> {
        if self.line.read_shut.load(Ordering::Acquire) {
            return None;
        }
        self.line.reader.borrow(len)
    }

    #[cfg(feature = "buffers")]
    fn gathers_from(&self) -> Option<usize> {
        self.line.writer.has_buffers().then_some(SMALLEST_PIECE)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.line.recv_timeout.change(timeout, |_| Ok(()))
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.line.send_timeout.change(timeout, |_| Ok(()))
    }

    fn is_stale(&self) -> bool {
        let line = &*self.line;
        line.read_shut.load(Ordering::Acquire)
            || line.reader.is_ready()
            || line.is_ended()
            || line.is_broken()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let line = &*self.line;
        if matches!(how, Shutdown::Read | Shutdown::Both) {
            line.read_shut.store(true, Ordering::SeqCst);
            line.reader.close();
            line.rouse_receiver();
        }
        if matches!(how, Shutdown::Write | Shutdown::Both) {
            line.write_shut.store(true, Ordering::SeqCst);
            line.writer.close();
            line.rouse_sender();
        }
        Ok(())
    }

    fn peer(&self) -> &str {
        &self.line.names.peer
    }

    fn local(&self) -> &str {
        &self.line.names.local
    }
}

impl Drop for ShmStream {
    fn drop(&mut self) {
        // The peer's waiting thread knows by this at once; one that this is too late for, by the
        // socket.
        self.line.writer.close();
        self.line.reader.close();
    }
}
