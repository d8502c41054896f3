//! Buffers that this process fills and another reads.

use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32};

use super::free::State;
use super::{Area, BufferLayout, HEAD, Piece};
use crate::memory::{SharedMemory, count};
use crate::socket::SameUser;

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
