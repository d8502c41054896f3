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

mod end;
mod half;
#[cfg(test)]
mod loomed;
#[cfg(test)]
mod model;
#[cfg_attr(not(feature = "buffers"), path = "ring/pieces/none.rs")]
mod pieces;
mod platform;
mod region;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use zorb_os::memory::SharedMemory;

use region::{HEAD, HEAD_OF_RING, Region};

pub(crate) use end::Corrupt;
pub(crate) use half::{Reader, Writer};
pub(crate) use pieces::{Incoming, Outgoing};

/// The octets of a ring where nothing else is said.
pub const DEFAULT_RING_SIZE: usize = 256 << 10;
/// The smallest ring.
pub const MIN_RING_SIZE: usize = 4 << 10;
/// The largest ring.
pub const MAX_RING_SIZE: usize = 1 << 30;

/// Which rings a memory has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// What the client sends.
    pub(crate) requests: Region,
    /// What the server sends.
    pub(crate) replies: Region,
}

impl Layout {
    /// Rings of these sizes; `None` for sizes that no ring has.
    pub(crate) fn new(requests: usize, replies: usize) -> Option<Self> {
        let good =
            |size: usize| size.is_power_of_two() && (MIN_RING_SIZE..=MAX_RING_SIZE).contains(&size);
        (good(requests) && good(replies)).then_some(Self {
            requests: Region { head: 0, body: HEAD, size: requests },
            replies: Region { head: HEAD_OF_RING, body: HEAD + requests, size: replies },
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
