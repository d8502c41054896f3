//! Where the words and octets of a ring lie in the memory.

/// Octets before the first body: a page.
pub(super) const HEAD: usize = 4096;
/// Octets of the head for each direction.
pub(super) const HEAD_OF_RING: usize = 1024;
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
pub(crate) struct Region {
    pub(super) head: usize,
    pub(super) body: usize,
    /// A power of two.
    pub(super) size: usize,
}

impl Region {
    /// Where the writer's position stands.
    pub(super) fn tail(self) -> usize {
        self.head
    }

    /// Whether the writer has ended the direction; beside its position, which the reader looks at.
    pub(super) fn write_closed(self) -> usize {
        self.head + 8
    }

    #[cfg(feature = "buffers")]
    /// How many pieces the writer has named; beside its position, as well.
    pub(super) fn named(self) -> usize {
        self.head + 12
    }

    #[cfg(feature = "buffers")]
    /// Whether servers are its writers.
    pub(super) fn is_of_replies(self) -> bool {
        self.head == HEAD_OF_RING
    }

    #[cfg(feature = "buffers")]
    pub(super) fn queue(self) -> (usize, u32) {
        if self.is_of_replies() { REPLIES_QUEUE } else { REQUESTS_QUEUE }
    }

    #[cfg(feature = "buffers")]
    /// How many pieces may be named and not yet taken.
    pub(super) fn queue_len(self) -> u32 {
        self.queue().1
    }

    #[cfg(feature = "buffers")]
    /// Where the piece is named that has this number.
    pub(super) fn name(self, number: u32) -> (usize, usize) {
        let (start, len) = self.queue();
        let at = start + (number % len) as usize * 16;
        (at, at + 8)
    }

    #[cfg(feature = "buffers")]
    /// How many pieces the reader has taken; beside its position.
    pub(super) fn taken(self) -> usize {
        self.head + APART + 8
    }

    #[cfg(feature = "buffers")]
    /// Whether the reader takes pieces; beside it.
    pub(super) fn takes_pieces(self) -> usize {
        self.head + APART + 12
    }

    /// Where the reader's position stands.
    pub(super) fn read_position(self) -> usize {
        self.head + APART
    }

    /// Whether the reader takes no more. Apart from its position, which it writes all the time: the
    /// writer looks at this for every message.
    pub(super) fn read_closed(self) -> usize {
        self.head + 4 * APART
    }

    pub(super) fn reader_sleeping(self) -> usize {
        self.head + 2 * APART
    }

    pub(super) fn writer_sleeping(self) -> usize {
        self.head + 3 * APART
    }
}
