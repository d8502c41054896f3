//! Buffers that another process fills and this one reads.

use std::fmt;
use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use super::free::{Count, Holds};
use super::{Area, BufferLayout, Piece};
use crate::memory::SharedMemory;
use crate::socket::SameUser;

/// The buffers that another process fills and this one reads.
pub struct ReceiveBuffers {
    area: Area,
    holds: Box<[Holds<AtomicU32>]>,
}

impl ReceiveBuffers {
    /// Wraps the buffers in `memory`, which nothing else in this process has mapped.
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
