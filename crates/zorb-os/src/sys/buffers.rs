//! Buffers in shared memory that one process fills and another reads in place.

use std::fmt;
use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32};

use self::free::{Count, Holds, State};
use crate::memory::{SharedMemory, count};
use crate::socket::SameUser;

mod free;

/// Octets before the first buffer: one page.
const HEAD: usize = 4096;
/// The distance between the counters of two buffers: one cache line.
const COUNTER_STRIDE: usize = 64;
/// The maximum number of buffers for one direction.
pub const MAX_BUFFERS: usize = HEAD / COUNTER_STRIDE;
/// The maximum size of a buffer in octets.
pub const MAX_BUFFER_SIZE: usize = 1 << 27;

const FIELD: u32 = 28;

/// The number of buffers and their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferLayout {
    count: usize,
    size: usize,
}

impl BufferLayout {
    /// `None` for no buffers or more than [`MAX_BUFFERS`], and for a size that is not a multiple of
    /// 4,096 octets or above [`MAX_BUFFER_SIZE`].
    #[must_use]
    pub fn new(count: usize, size: usize) -> Option<Self> {
        let good = (1..=MAX_BUFFERS).contains(&count)
            && (1..=MAX_BUFFER_SIZE).contains(&size)
            && size.is_multiple_of(4096);
        good.then_some(Self { count, size })
    }

    /// The number of buffers.
    #[must_use]
    pub fn count(self) -> usize {
        self.count
    }

    /// The size of each in octets.
    #[must_use]
    pub fn size(self) -> usize {
        self.size
    }

    /// The size of the memory in octets.
    #[must_use]
    pub fn memory_len(self) -> usize {
        HEAD + self.count * self.size
    }
}

/// Octets in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    index: usize,
    offset: usize,
    len: usize,
}

impl Piece {
    /// The number of octets.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether it is empty. Empty pieces are never sent.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The piece as a number for the other process.
    #[must_use]
    pub fn to_word(self) -> u64 {
        (self.index as u64) << (2 * FIELD) | (self.offset as u64) << FIELD | self.len as u64
    }

    fn of_word(word: u64) -> Self {
        let field = |shift: u32| (word >> shift) as usize & ((1 << FIELD) - 1);
        Self { index: (word >> (2 * FIELD)) as usize, offset: field(FIELD), len: field(0) }
    }
}

/// The memory. Before the buffers are their counters: how often the reader has returned each one.
struct Area {
    memory: SharedMemory,
    layout: BufferLayout,
}

impl Area {
    fn new(memory: SharedMemory, layout: BufferLayout) -> io::Result<Self> {
        if memory.len() == layout.memory_len() {
            return Ok(Self { memory, layout });
        }
        let what = "the memory does not have the size that the peer announced";
        Err(io::Error::new(io::ErrorKind::InvalidData, what))
    }

    #[inline]
    fn returned(&self, index: usize) -> &AtomicU32 {
        self.memory.u32_at(index * COUNTER_STRIDE)
    }

    #[inline]
    fn at(&self, index: usize, offset: usize) -> usize {
        HEAD + index * self.layout.size + offset
    }
}

/// The buffers that this process fills and another reads.
///
/// Taking, sending and returning a buffer needs no lock: a buffer is free when no thread here holds
/// it and its reader has returned it as often as it was sent.
pub struct SendBuffers {
    area: Area,
    states: Box<[State<AtomicBool, AtomicU32>]>,
}

impl SendBuffers {
    /// The buffers in `memory`, which both processes have mapped and no other part of this process
    /// uses. The other process runs as the same user: it could write to them, and is trusted not
    /// to.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if the memory has another size.
    pub fn new(memory: SharedMemory, layout: BufferLayout, _: SameUser) -> io::Result<Arc<Self>> {
        let states = (0..layout.count).map(|_| State::default()).collect();
        Ok(Arc::new(Self { area: Area::new(memory, layout)?, states }))
    }

    /// Takes a free buffer for `len` octets, if there is one, the most recently used first.
    #[must_use]
    pub fn take(self: &Arc<Self>, len: usize) -> Option<SendBuffer> {
        if len > self.area.layout.size {
            return None;
        }
        let mut states = self.states.iter().enumerate();
        let index = states.position(|(index, state)| state.take(self.area.returned(index)))?;
        Some(SendBuffer { buffers: Arc::clone(self), index, len })
    }

    /// The position of `octets`, if they are in one of the buffers.
    #[must_use]
    pub fn piece(&self, octets: &[u8]) -> Option<Piece> {
        let start = self.area.memory.address() + HEAD;
        let from = octets.as_ptr().addr().checked_sub(start)?;
        let (index, offset) = (from / self.area.layout.size, from % self.area.layout.size);
        let inside = index < self.area.layout.count
            && octets.len() <= self.area.layout.size - offset
            && !octets.is_empty();
        inside.then_some(Piece { index, offset, len: octets.len() })
    }

    /// Announces that a piece will be shown to the reader, who then returns its buffer.
    pub fn will_send(&self, piece: Piece) {
        if let Some(state) = self.states.get(piece.index) {
            state.will_send();
        }
    }

    /// Whether the reader may be reading it.
    fn is_in_use(&self, index: usize) -> bool {
        self.states.get(index).is_none_or(|state| state.is_in_use(self.area.returned(index)))
    }
}

impl fmt::Debug for SendBuffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendBuffers").field("layout", &self.area.layout).finish_non_exhaustive()
    }
}

/// A buffer that is being filled. After a drop it is free as soon as its reader has returned it.
pub struct SendBuffer {
    buffers: Arc<SendBuffers>,
    index: usize,
    len: usize,
}

impl SendBuffer {
    /// Whether it was sent and the reader may still be reading it.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        self.buffers.is_in_use(self.index)
    }

    /// Copies `octets` to its start; `false` if it [is in use](Self::is_in_use) or too small.
    #[must_use]
    pub fn fill(&mut self, octets: &[u8]) -> bool {
        let Some(target) = self.octets_mut().and_then(|all| all.get_mut(..octets.len())) else {
            return false;
        };
        target.copy_from_slice(octets);
        count(octets.len());
        true
    }

    /// Its octets for writing; `None` while it [is in use](Self::is_in_use). They initially have their
    /// last contents.
    pub fn octets_mut(&mut self) -> Option<&mut [u8]> {
        if self.is_in_use() {
            return None;
        }
        let at = self.buffers.area.at(self.index, 0);
        // SAFETY: in bounds of memory that only `SendBuffers` uses. The buffer was taken, so no
        // other part of the process has it, and `self` is borrowed for as long as the slice. The
        // reader has returned it, and is trusted not to write to it since it runs as the same user.
        Some(unsafe { self.buffers.area.memory.mapping().octets_mut(at, self.len) })
    }
}

impl Deref for SendBuffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        let at = self.buffers.area.at(self.index, 0);
        // SAFETY: as in `octets_mut`; no mutable slice exists during this borrow, and readers do no
        // harm.
        unsafe { self.buffers.area.memory.mapping().octets(at, self.len) }
    }
}

impl Drop for SendBuffer {
    fn drop(&mut self) {
        if let Some(state) = self.buffers.states.get(self.index) {
            state.put_back();
        }
    }
}

impl fmt::Debug for SendBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, len, .. } = self;
        f.debug_struct("SendBuffer").field("index", index).field("len", len).finish()
    }
}

/// The buffers that another process fills and this one reads.
pub struct ReceiveBuffers {
    area: Area,
    holds: Box<[Holds<AtomicU32>]>,
}

impl ReceiveBuffers {
    /// The buffers in `memory`, of which no other part of this process uses a mapping.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if the memory has another size.
    pub fn new(memory: SharedMemory, layout: BufferLayout) -> io::Result<Arc<Self>> {
        let holds = (0..layout.count).map(|_| Holds::default()).collect();
        Ok(Arc::new(Self { area: Area::new(memory, layout)?, holds }))
    }

    /// The memory, to be passed to the other process.
    #[must_use]
    pub fn memory(&self) -> BorrowedFd<'_> {
        self.area.memory.as_fd()
    }

    /// The piece that `word` of the other process names; `None` if it is invalid.
    #[must_use]
    pub fn piece(&self, word: u64) -> Option<Piece> {
        let piece = Piece::of_word(word);
        let BufferLayout { count, size } = self.area.layout;
        let good = piece.index < count
            && piece.len > 0
            && piece.offset <= size
            && piece.len <= size - piece.offset;
        good.then_some(piece)
    }

    /// Copies octets of a piece, starting with its octet `from`; returns their number.
    #[must_use]
    pub fn read(&self, piece: Piece, from: usize, target: &mut [u8]) -> usize {
        let count = target.len().min(piece.len.saturating_sub(from));
        if count == 0 {
            return 0;
        }
        let at = self.area.at(piece.index, piece.offset + from);
        self.area.memory.read(at, target.get_mut(..count).unwrap_or_default());
        count
    }

    /// Lends the octets of a piece in place. The other process, of the same user, is trusted not to
    /// change them until they are returned.
    #[must_use]
    pub fn loan(self: &Arc<Self>, piece: Piece, _: SameUser) -> ReceivedBuffer {
        ReceivedBuffer { buffers: Arc::clone(self), piece }
    }

    /// Returns a piece that was not loaned.
    pub fn return_piece(&self, piece: Piece) {
        self.area.returned(piece.index).raise();
    }
}

impl fmt::Debug for ReceiveBuffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReceiveBuffers").field("layout", &self.area.layout).finish_non_exhaustive()
    }
}

/// Octets of another process, borrowed in place. They are returned when dropped.
pub struct ReceivedBuffer {
    buffers: Arc<ReceiveBuffers>,
    piece: Piece,
}

impl ReceivedBuffer {
    /// A part of it that contains `octets`. The piece is returned when all its parts are dropped.
    /// `None` for other octets.
    #[must_use]
    pub fn part(&self, octets: &[u8]) -> Option<Self> {
        let from = octets.as_ptr().addr().checked_sub(self.as_ptr().addr())?;
        if octets.is_empty() || from > self.len() || octets.len() > self.len() - from {
            return None;
        }
        self.buffers.holds.get(self.piece.index)?.acquire();
        let piece = Piece { offset: self.piece.offset + from, len: octets.len(), ..self.piece };
        Some(Self { buffers: Arc::clone(&self.buffers), piece })
    }
}

impl Deref for ReceivedBuffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        let Piece { index, offset, len } = self.piece;
        let at = self.buffers.area.at(index, offset);
        // SAFETY: in bounds of memory to which this process does not write. The other process, of
        // the same user, does not write until the piece is returned, which happens when `self` is
        // dropped.
        unsafe { self.buffers.area.memory.mapping().octets(at, len) }
    }
}

impl Drop for ReceivedBuffer {
    fn drop(&mut self) {
        let holds = self.buffers.holds.get(self.piece.index);
        if holds.is_none_or(Holds::release) {
            self.buffers.return_piece(self.piece);
        }
    }
}

impl fmt::Debug for ReceivedBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReceivedBuffer").field("piece", &self.piece).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
