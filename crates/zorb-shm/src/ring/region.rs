//! The positions of a ring's words and octets in the memory.

/// Octets before the first body: one page.
pub(super) const HEAD: usize = 4096;
/// Octets of the head for each direction.
pub(super) const HEAD_OF_RING: usize = 1024;
#[cfg(feature = "buffers")]
/// The queue of the pieces that clients name, after the words of both directions, and its length, a
/// power of two. An entry has two words of 8 octets: the position in the ring, and the name.
const REQUESTS_QUEUE: (usize, u32) = (2 * HEAD_OF_RING, 128);
#[cfg(feature = "buffers")]
/// The queue of the pieces that servers name, after the words of their direction.
const REPLIES_QUEUE: (usize, u32) = (HEAD_OF_RING + 5 * APART, 16);
/// The distance between groups of words: two cache lines, which processors fetch together.
const APART: usize = 128;

/// The region of a ring in the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    pub(super) head: usize,
    pub(super) body: usize,
    /// A power of two.
    pub(super) size: usize,
}

impl Region {
    /// The writer's position.
    pub(super) fn tail(self) -> usize {
        self.head
    }

    /// Whether the writer has closed its end; next to its position, which the reader checks.
    pub(super) fn write_closed(self) -> usize {
        self.head + 8
    }

    #[cfg(feature = "buffers")]
    /// The number of pieces that the writer has named; also next to its position.
    pub(super) fn named(self) -> usize {
        self.head + 12
    }

    #[cfg(feature = "buffers")]
    /// Whether the server writes to it.
    pub(super) fn is_of_replies(self) -> bool {
        self.head == HEAD_OF_RING
    }

    #[cfg(feature = "buffers")]
    pub(super) fn queue(self) -> (usize, u32) {
        if self.is_of_replies() { REPLIES_QUEUE } else { REQUESTS_QUEUE }
    }

    #[cfg(feature = "buffers")]
    /// The maximum number of pieces that are named but not taken.
    pub(super) fn queue_len(self) -> u32 {
        self.queue().1
    }

    #[cfg(feature = "buffers")]
    /// The queue entry of the piece with this number.
    pub(super) fn name(self, number: u32) -> (usize, usize) {
        let (start, len) = self.queue();
        let at = start + (number % len) as usize * 16;
        (at, at + 8)
    }

    #[cfg(feature = "buffers")]
    /// The number of pieces that the reader has taken; next to its position.
    pub(super) fn taken(self) -> usize {
        self.head + APART + 8
    }

    #[cfg(feature = "buffers")]
    /// Whether the reader accepts pieces.
    pub(super) fn takes_pieces(self) -> usize {
        self.head + APART + 12
    }

    /// The reader's position.
    pub(super) fn read_position(self) -> usize {
        self.head + APART
    }

    /// Whether the reader has closed its end. Separate from its position, which changes with each
    /// read, because the writer checks this for every message.
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
