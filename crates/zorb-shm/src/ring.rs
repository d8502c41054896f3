//! A ring of octets in shared memory: one direction of a connection.
//!
//! ```text
//! in the head, a direction's words, 128 octets apart      in the body
//! +-----------------+-----------------+---------+         +----------------------------+
//! | tail   | ended  | head            | ...     |         | octets, position modulo    |
//! | by the writer   | by the reader   |         |         | the size                   |
//! +-----------------+-----------------+---------+         +----------------------------+
//! ```
//!
//! Positions count octets from the beginning and wrap around at 2^64. Each side keeps its own
//! position to itself and only publishes it: what stands in the memory may be changed by the peer,
//! so of it only the *peer's* position is read, and checked.
//!
//! # Pieces
//! Long runs of octets need not go through the ring. They lie in
//! [buffers](zorb_os::buffers) of their own, and what comes at a position of the ring is a piece of
//! one of them: the writer names the piece and counts it in `named`, and then publishes what stands
//! before it. The reader, which looks at `named` where it looks at the position, goes no further than
//! to the position of the next piece, takes the piece, and goes on.
//!
//! Servers that have buffers for their clients take pieces. Clients say so in the memory, as those of
//! earlier versions do not.
//!
//! # Sleeping
//! Who finds nothing to do sets its word `sleeping`, looks once more, and sleeps while the word is
//! set. Who publishes a position then looks at that word; a fence on both sides makes sure that one
//! of them sees what the other did. So a wake-up costs a system call only when somebody sleeps. A writer
//! sleeps only when the ring is full, so a reader looks once in a quarter of the ring.

mod half;
#[cfg(test)]
mod loomed;
#[cfg(test)]
mod model;
#[cfg_attr(not(feature = "buffers"), path = "ring/pieces/none.rs")]
mod pieces;
mod platform;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use zorb_os::memory::SharedMemory;

pub(crate) use half::{Corrupt, Reader, Writer};
pub(crate) use pieces::{Incoming, Outgoing};

/// The octets of a ring where nothing else is said.
pub const DEFAULT_RING_SIZE: usize = 256 << 10;
/// The smallest ring.
pub const MIN_RING_SIZE: usize = 4 << 10;
/// The largest ring.
pub const MAX_RING_SIZE: usize = 1 << 30;

/// Octets before the first body: a page.
const HEAD: usize = 4096;
/// Octets of the head for each direction.
const HEAD_OF_RING: usize = 1024;
#[cfg(feature = "buffers")]
/// Where the pieces that clients send in buffers are named, behind the words of both directions, and
/// how many may be named and not yet taken: a power of two. Each takes two words of 8 octets: the
/// position in the ring that it comes at, and which one it is.
const REQUESTS_QUEUE: (usize, u32) = (2 * HEAD_OF_RING, 128);
#[cfg(feature = "buffers")]
/// The same for those that servers send, behind the words of their direction.
const REPLIES_QUEUE: (usize, u32) = (HEAD_OF_RING + 5 * APART, 16);
/// Octets from one group of words to the next. Two cache lines, which processors fetch together.
const APART: usize = 128;

/// Where a ring lies in the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    head: usize,
    body: usize,
    /// A power of two.
    size: usize,
}

impl Place {
    /// Where the writer's position stands.
    fn tail(self) -> usize {
        self.head
    }

    /// Whether the writer has ended the direction; beside its position, which the reader looks at.
    fn write_closed(self) -> usize {
        self.head + 8
    }

    #[cfg(feature = "buffers")]
    /// How many pieces the writer has named; beside its position, as well.
    fn named(self) -> usize {
        self.head + 12
    }

    #[cfg(feature = "buffers")]
    /// Whether servers are its writers.
    fn is_of_replies(self) -> bool {
        self.head == HEAD_OF_RING
    }

    #[cfg(feature = "buffers")]
    fn queue(self) -> (usize, u32) {
        if self.is_of_replies() { REPLIES_QUEUE } else { REQUESTS_QUEUE }
    }

    #[cfg(feature = "buffers")]
    /// How many pieces may be named and not yet taken.
    fn queue_len(self) -> u32 {
        self.queue().1
    }

    #[cfg(feature = "buffers")]
    /// Where the piece is named that has this number.
    fn name(self, number: u32) -> (usize, usize) {
        let (start, len) = self.queue();
        let at = start + (number % len) as usize * 16;
        (at, at + 8)
    }

    #[cfg(feature = "buffers")]
    /// How many pieces the reader has taken; beside its position.
    fn taken(self) -> usize {
        self.head + APART + 8
    }

    #[cfg(feature = "buffers")]
    /// Whether the reader takes pieces; beside it.
    fn takes_pieces(self) -> usize {
        self.head + APART + 12
    }

    /// Where the reader's position stands.
    fn read_position(self) -> usize {
        self.head + APART
    }

    /// Whether the reader takes no more. Apart from its position, which it writes all the time: the
    /// writer looks at this for every message.
    fn read_closed(self) -> usize {
        self.head + 4 * APART
    }

    fn reader_sleeping(self) -> usize {
        self.head + 2 * APART
    }

    fn writer_sleeping(self) -> usize {
        self.head + 3 * APART
    }
}

/// Which rings a memory has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// What the client sends.
    pub(crate) requests: Place,
    /// What the server sends.
    pub(crate) replies: Place,
}

impl Layout {
    /// Rings of these sizes; `None` for sizes that no ring has.
    pub(crate) fn new(requests: usize, replies: usize) -> Option<Self> {
        let good =
            |size: usize| size.is_power_of_two() && (MIN_RING_SIZE..=MAX_RING_SIZE).contains(&size);
        (good(requests) && good(replies)).then_some(Self {
            requests: Place { head: 0, body: HEAD, size: requests },
            replies: Place { head: HEAD_OF_RING, body: HEAD + requests, size: replies },
        })
    }

    /// The octets of the whole memory.
    pub(crate) fn memory_len(&self) -> usize {
        self.replies.body + self.replies.size
    }

    /// The sizes of requests' and replies' rings.
    pub(crate) fn sizes(&self) -> [usize; 2] {
        [self.requests.size, self.replies.size]
    }

    /// The client's ends: what it writes to, what it reads from. `memory` has the layout's length.
    pub(crate) fn client(&self, memory: &Arc<SharedMemory>, buffers: Buffers) -> (Writer, Reader) {
        let writer = Writer::new(memory, self.requests, buffers.outgoing);
        (writer, Reader::new(memory, self.replies, buffers.incoming))
    }

    /// The server's ends.
    pub(crate) fn server(&self, memory: &Arc<SharedMemory>, buffers: Buffers) -> (Writer, Reader) {
        let writer = Writer::new(memory, self.replies, buffers.outgoing);
        (writer, Reader::new(memory, self.requests, buffers.incoming))
    }
}

/// What one side has for octets that go past the rings.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// For what it sends.
    pub(crate) outgoing: Option<Outgoing>,
    /// For what it receives.
    pub(crate) incoming: Option<Incoming>,
}

/// The size of a ring when `wanted` octets are asked for.
pub(crate) fn ring_size(wanted: usize) -> usize {
    wanted.clamp(MIN_RING_SIZE, MAX_RING_SIZE).next_power_of_two()
}
