//! Two rings in shared memory with the minimum: no checks, no end of stream, no detection of dead
//! peers. The server's address is the path of a socket, as with Unix-domain sockets.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use zorb_os::futex;
use zorb_os::memory::SharedMemory;
use zorb_os::socket::{recv_descriptor, send_descriptor};

/// Default size of a ring in octets.
const SIZE: usize = 256 << 10;
/// Distance of the shared words in octets, to separate cache lines.
const APART: usize = 128;
/// Octets before the rings.
const HEAD: usize = 4096;
/// Maximum number of octets that are copied before they are published.
const PIECE: usize = 16 << 10;
/// Polls between two readings of the clock.
const LOOKS: u32 = 32;

/// One end: writes to one ring, reads from the other.
#[derive(Debug)]
pub(crate) struct Shared {
    memory: SharedMemory,
    size: usize,
    incoming: Ring,
    outgoing: Ring,
    /// Keeps the connection open.
    _socket: UnixStream,
}

#[derive(Debug)]
struct Ring {
    /// The offset of its words: octets written, octets read, reader sleeps, writer sleeps.
    words: usize,
    body: usize,
    /// This side's position.
    own: AtomicU64,
}

impl Ring {
    fn new(number: usize, size: usize) -> Self {
        let own = AtomicU64::new(0);
        Self { words: number * 4 * APART, body: HEAD + number * size, own }
    }

    const fn written(&self) -> usize {
        self.words
    }

    const fn read(&self) -> usize {
        self.words + APART
    }

    const fn reader_sleeps(&self) -> usize {
        self.words + 2 * APART
    }

    const fn writer_sleeps(&self) -> usize {
        self.words + 3 * APART
    }
}

impl Shared {
    /// Two connected ends, for two threads.
    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let (near, far) = UnixStream::pair()?;
        let memory = SharedMemory::create("raw-rings", HEAD + 2 * SIZE)?;
        let same = SharedMemory::open(memory.as_fd().try_clone_to_owned()?)?;
        let near = Self::new(memory, SIZE, [0, 1], near);
        Ok((near, Self::new(same, SIZE, [1, 0], far)))
    }

    pub(super) fn connect(to: &str) -> io::Result<Self> {
        let socket = UnixStream::connect(to)?;
        let mut size = [0; 8];
        let (_, fd) = recv_descriptor(socket.as_fd(), &mut size)?;
        let memory = SharedMemory::open(fd.ok_or(io::ErrorKind::UnexpectedEof)?)?;
        let size = usize::from_ne_bytes(size);
        Ok(Self::new(memory, size, [1, 0], socket))
    }

    pub(super) fn accept(listener: &UnixListener, queue: Option<usize>) -> io::Result<Self> {
        let (socket, _) = listener.accept()?;
        let size = queue.unwrap_or(SIZE).next_power_of_two().max(4096);
        let memory = SharedMemory::create("raw-ring", HEAD + 2 * size)?;
        send_descriptor(socket.as_fd(), &size.to_ne_bytes(), memory.as_fd())?;
        Ok(Self::new(memory, size, [0, 1], socket))
    }

    fn new(
        memory: SharedMemory,
        size: usize,
        [incoming, outgoing]: [usize; 2],
        socket: UnixStream,
    ) -> Self {
        let (incoming, outgoing) = (Ring::new(incoming, size), Ring::new(outgoing, size));
        Self { memory, size, incoming, outgoing, _socket: socket }
    }

    /// Sleeps until the other side clears `word`, unless `ready`.
    fn sleep(&self, word: usize, ready: impl Fn() -> bool) {
        let word = self.memory.u32_at(word);
        word.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !ready() {
            futex::wait(word, 1, None);
        }
        word.store(0, Ordering::Relaxed);
    }

    #[inline]
    fn wake(&self, word: usize) {
        fence(Ordering::SeqCst);
        let word = self.memory.u32_at(word);
        if word.load(Ordering::Relaxed) != 0 {
            word.store(0, Ordering::Relaxed);
            futex::wake(word);
        }
    }

    /// Octets that can be read.
    #[inline]
    fn there(&self) -> usize {
        let written = self.memory.u64_at(self.incoming.written()).load(Ordering::Acquire);
        (written - self.incoming.own.load(Ordering::Relaxed)) as usize
    }

    /// Octets that can be written.
    #[inline]
    fn room(&self) -> usize {
        let read = self.memory.u64_at(self.outgoing.read()).load(Ordering::Acquire);
        self.size - (self.outgoing.own.load(Ordering::Relaxed) - read) as usize
    }

    #[inline]
    pub(super) fn read(&self, buffer: &mut [u8], busy_wait: Duration) -> io::Result<usize> {
        let ring = &self.incoming;
        let mut there = self.there();
        if there == 0 && !busy_wait.is_zero() {
            let started = Instant::now();
            while there == 0 && started.elapsed() < busy_wait {
                // Reading the clock takes longer than polling the ring.
                for _ in 0..LOOKS {
                    there = self.there();
                    if there != 0 {
                        break;
                    }
                    std::hint::spin_loop();
                }
            }
        }
        while there == 0 {
            self.sleep(ring.reader_sleeps(), || self.there() != 0);
            there = self.there();
        }
        let count = there.min(buffer.len());
        let own = ring.own.load(Ordering::Relaxed);
        for piece in buffer.get_mut(..count).unwrap_or_default().chunks_mut(PIECE) {
            let now = ring.own.load(Ordering::Relaxed);
            let at = now as usize & (self.size - 1);
            let (first, second) = piece.split_at_mut(piece.len().min(self.size - at));
            self.memory.read(ring.body + at, first);
            self.memory.read(ring.body, second);
            let now = now + (first.len() + second.len()) as u64;
            ring.own.store(now, Ordering::Relaxed);
            self.memory.u64_at(ring.read()).store(now, Ordering::Release);
        }
        let left = there - (ring.own.load(Ordering::Relaxed) - own) as usize;
        if self.size - left >= self.size / 4 {
            self.wake(ring.writer_sleeps());
        }
        Ok(count)
    }

    #[inline]
    pub(super) fn write(&self, buffer: &[u8]) -> io::Result<usize> {
        let ring = &self.outgoing;
        let mut room = self.room();
        while room == 0 {
            self.sleep(ring.writer_sleeps(), || self.room() != 0);
            room = self.room();
        }
        let count = room.min(buffer.len()).min(PIECE);
        let piece = buffer.get(..count).unwrap_or_default();
        let now = ring.own.load(Ordering::Relaxed);
        let at = now as usize & (self.size - 1);
        let (first, second) = piece.split_at(count.min(self.size - at));
        self.memory.write(ring.body + at, first);
        self.memory.write(ring.body, second);
        let now = now + count as u64;
        ring.own.store(now, Ordering::Relaxed);
        self.memory.u64_at(ring.written()).store(now, Ordering::Release);
        self.wake(ring.reader_sleeps());
        Ok(count)
    }
}

/// Sleeps immediately if there is nothing to read.
impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Self::read(self, buffer, Duration::ZERO)
    }
}

impl Write for Shared {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        Self::write(self, buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Listens at `path`.
pub(super) fn bind(path: Option<&Path>) -> io::Result<UnixListener> {
    let path = path.ok_or_else(|| io::Error::other("shmiop needs --path"))?;
    UnixListener::bind(path)
}
