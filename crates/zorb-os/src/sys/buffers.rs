//! Buffers in shared memory that one process fills and another reads in place.

use std::io;
use std::sync::atomic::AtomicU32;

pub use self::receive::{ReceiveBuffers, ReceivedBuffer};
pub use self::send::{SendBuffer, SendBuffers};
use crate::memory::SharedMemory;

mod free;
mod receive;
mod send;

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

#[cfg(test)]
mod tests;
