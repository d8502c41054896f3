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
//! Positions count octets from the start and wrap around at 2^64. Each side keeps its own position
//! and only publishes it. As the peer may change anything in the memory, only the *peer's* position
//! is read from there, and checked.
//!
//! # Pieces
//! Long runs of octets can bypass the ring. They are in separate [buffers](zorb_os::buffers), and
//! at a position of the ring a piece of a buffer is inserted: the writer names the piece and counts
//! it in `named`, and then publishes the octets before it. The reader, which checks `named`
//! together with the position, reads up to the position of the next piece, takes the piece, and
//! continues.
//!
//! Servers with buffers for their clients accept pieces. Clients announce in the memory that they
//! do, because earlier versions do not.
//!
//! # Sleeping
//! A thread without anything to do sets its word `sleeping`, checks again, and sleeps while the
//! word is set. A thread that publishes a position then checks that word. Fences on both sides
//! ensure that one of them sees the other's store, so a wake-up costs a system call only if a
//! thread sleeps. A writer sleeps only if the ring is full, so a reader checks once per quarter of
//! the ring.

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

use zorb_giop::Charge;
use zorb_os::memory::SharedMemory;

use region::{HEAD, HEAD_OF_RING, Region};

pub(crate) use end::Corrupt;
pub(crate) use half::{Reader, Writer};
pub(crate) use pieces::{Incoming, Outgoing};

/// The default size of a ring in octets.
pub const DEFAULT_RING_SIZE: usize = 256 << 10;
/// The minimum size of a ring.
pub const MIN_RING_SIZE: usize = 4 << 10;
/// The maximum size of a ring.
pub const MAX_RING_SIZE: usize = 1 << 30;

/// The rings in a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// From the client.
    pub(crate) requests: Region,
    /// From the server.
    pub(crate) replies: Region,
}

impl Layout {
    /// Rings of these sizes; `None` for invalid sizes.
    pub(crate) fn new(requests: usize, replies: usize) -> Option<Self> {
        let good =
            |size: usize| size.is_power_of_two() && (MIN_RING_SIZE..=MAX_RING_SIZE).contains(&size);
        (good(requests) && good(replies)).then_some(Self {
            requests: Region { head: 0, body: HEAD, size: requests },
            replies: Region { head: HEAD_OF_RING, body: HEAD + requests, size: replies },
        })
    }

    /// The size of the memory in octets.
    pub(crate) fn memory_len(&self) -> usize {
        self.replies.body + self.replies.size
    }

    /// The sizes of the rings of requests and replies.
    pub(crate) fn sizes(&self) -> [usize; 2] {
        [self.requests.size, self.replies.size]
    }

    /// The client's ends. `memory` has the layout's size.
    pub(crate) fn client(&self, memory: &Arc<SharedMemory>, buffers: Buffers) -> Ends {
        let writer = Writer::new(memory, self.requests, buffers.outgoing);
        let reader = Reader::new(memory, self.replies, buffers.incoming);
        Ends { writer, reader, charge: Charge::default() }
    }

    /// The server's ends.
    pub(crate) fn server(&self, memory: &Arc<SharedMemory>, buffers: Buffers) -> Ends {
        let writer = Writer::new(memory, self.replies, buffers.outgoing);
        let reader = Reader::new(memory, self.requests, buffers.incoming);
        Ends { writer, reader, charge: Charge::default() }
    }
}

/// One side's ends of the two rings.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) writer: Writer,
    pub(crate) reader: Reader,
    /// What is charged for their memory.
    pub(crate) charge: Charge,
}

/// The buffers of one side, for octets that bypass the rings.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// For sending.
    pub(crate) outgoing: Option<Outgoing>,
    /// For receiving.
    pub(crate) incoming: Option<Incoming>,
}

/// The size of a ring for a request of `wanted` octets.
pub(crate) fn ring_size(wanted: usize) -> usize {
    wanted.clamp(MIN_RING_SIZE, MAX_RING_SIZE).next_power_of_two()
}
