//! A connection over shared memory.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use socket2::Socket;
use zorb_giop::Charge;
use zorb_os::clock::MonotonicTime;
use zorb_transport::socket::Timeout;
use zorb_unix::rendezvous::Names;

use crate::ring::{Corrupt, Ends, Reader, Writer};

/// A connection: its rings, its socket and its state. The stream shares it with the thread that
/// watches for peers.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Open as long as this end exists. Nothing is sent on it anymore.
    pub(crate) socket: Socket,
    pub(crate) writer: Writer,
    pub(crate) reader: Reader,
    /// Whether the peer's process has ended or closed its socket.
    gone: AtomicBool,
    /// Whether a direction was shut down at this end.
    pub(crate) read_shut: AtomicBool,
    pub(crate) write_shut: AtomicBool,
    /// The number of threads of this process that sleep in a ring, or are about to.
    receiving: AtomicU32,
    sending: AtomicU32,
    pub(crate) recv_timeout: Timeout,
    pub(crate) send_timeout: Timeout,
    pub(crate) names: Names,
    /// What is charged for the memory of the rings.
    _charge: Charge,
}

impl Connection {
    /// A connection over the rings whose memory was passed over `socket`.
    pub(crate) fn new(socket: Socket, ends: Ends, names: Names) -> Self {
        Self {
            socket,
            writer: ends.writer,
            reader: ends.reader,
            gone: AtomicBool::new(false),
            read_shut: AtomicBool::new(false),
            write_shut: AtomicBool::new(false),
            receiving: AtomicU32::new(0),
            sending: AtomicU32::new(0),
            recv_timeout: Timeout::none(),
            send_timeout: Timeout::none(),
            names,
            _charge: ends.charge,
        }
    }
}

impl From<Corrupt> for io::Error {
    #[cold]
    fn from(Corrupt: Corrupt) -> Self {
        let what = "the peer has written invalid positions into the shared memory";
        Self::new(io::ErrorKind::InvalidData, what)
    }
}

impl Connection {
    /// Records that the peer's process has ended or closed its socket.
    pub(crate) fn record_peer_end(&self) {
        self.gone.store(true, Ordering::SeqCst);
        self.wake_receivers();
        self.wake_senders();
    }

    pub(crate) fn wake_receivers(&self) {
        wake_sleepers(&self.receiving, || self.reader.wake_sleepers());
    }

    pub(crate) fn wake_senders(&self) {
        wake_sleepers(&self.sending, || self.writer.wake_sleepers());
    }

    /// Whether nothing will arrive beyond what is in the ring.
    pub(crate) fn is_ended(&self) -> bool {
        self.gone.load(Ordering::Acquire) || self.reader.is_ended()
    }

    /// Whether nothing can be sent anymore.
    pub(crate) fn is_broken(&self) -> bool {
        self.write_shut.load(Ordering::Acquire)
            || self.gone.load(Ordering::Acquire)
            || self.writer.is_refused()
    }

    /// Reads available octets; `None` if there are none yet, 0 at the end.
    pub(crate) fn take(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if self.read_shut.load(Ordering::Acquire) {
            return Ok(Some(0));
        }
        match self.reader.read(buffer)? {
            // Octets that arrived before the end are read first.
            0 if self.is_ended() => Ok(Some(self.reader.read(buffer)?)),
            0 => Ok(None),
            count => Ok(Some(count)),
        }
    }

    /// Whether [`take`](Self::take) would return `None`, by a cheap check.
    pub(crate) fn is_quiet(&self) -> bool {
        self.reader.is_quiet()
            && !self.gone.load(Ordering::Acquire)
            && !self.read_shut.load(Ordering::Acquire)
    }

    /// Sleeps until [`take`](Self::take) returns something, or until `limit`. It may wake up
    /// spuriously.
    #[cold]
    pub(crate) fn wait_to_receive(&self, limit: Option<Duration>) {
        let ready =
            || self.reader.is_ready() || self.is_ended() || self.read_shut.load(Ordering::SeqCst);
        self.receiving.fetch_add(1, Ordering::SeqCst);
        self.reader.wait_unless(ready, limit);
        self.receiving.fetch_sub(1, Ordering::SeqCst);
    }

    /// Sleeps until there is room, or never will be, or until `limit`. It may wake up spuriously.
    #[cold]
    pub(crate) fn wait_to_send(&self, limit: Option<Duration>) {
        self.sending.fetch_add(1, Ordering::SeqCst);
        self.writer.wait_unless(|| self.writer.is_ready() || self.is_broken(), limit);
        self.sending.fetch_sub(1, Ordering::SeqCst);
    }

    /// Writes as much of `bytes` to the ring as there is room for; returns the number of octets.
    pub(crate) fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_broken() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(self.writer.write(bytes)?)
    }

    /// Writes all of `bytes` to the ring. `wait` limits the waiting.
    pub(crate) fn send(&self, mut bytes: &[u8], wait: &mut Wait<'_>) -> io::Result<()> {
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
/// last check and its sleep. All of them see the new state after that, so none returns.
fn wake_sleepers(sleepers: &AtomicU32, wake: impl Fn()) {
    const YIELDS: u32 = 64;
    let mut yields = 0;
    while sleepers.load(Ordering::SeqCst) != 0 {
        wake();
        if yields < YIELDS {
            yields += 1;
            thread::yield_now();
        } else {
            // A thread of higher priority must not keep the processor from the sleeping thread.
            #[expect(clippy::disallowed_methods, reason = "the sleeper may be of another process")]
            thread::sleep(Duration::from_micros(100));
        }
    }
}

/// The timeout of one operation, which reads the clock only when it waits.
pub(crate) struct Wait<'t> {
    timeout: &'t Timeout,
    deadline: Option<MonotonicTime>,
}

impl<'t> Wait<'t> {
    pub(crate) fn new(timeout: &'t Timeout) -> Self {
        Self { timeout, deadline: None }
    }

    /// The time to sleep now.
    #[cold]
    pub(crate) fn left(&mut self) -> io::Result<Option<Duration>> {
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
