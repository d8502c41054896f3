//! The receive buffer: its room, its growth and its end.

use alloc::vec::Vec;

use super::{Current, Inbound};
use crate::ProtocolError;

/// Number of successive messages that must fit into the retained capacity before a larger buffer shrinks.
const SHRINK_AFTER: u32 = 64;

impl Inbound {
    /// The free part of the buffer, to receive octets into; never empty. Releases the current message. Call
    /// it only after [`poll`](Self::poll) has returned `None`, otherwise the buffer grows needlessly.
    pub fn space(&mut self) -> &mut [u8] {
        self.release();
        let length = self.buffer.len();
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if self.small_messages >= SHRINK_AFTER {
                self.shrink();
            }
        } else if self.start > 0 && length - self.end < self.missing().max(length / 4) {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end >= self.buffer.len() {
            // After `poll`, only an empty buffer is full.
            let length = self.end.saturating_mul(2).max(self.limits.initial_capacity);
            self.buffer.resize(length, 0);
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// Frees the memory of the buffer beyond the retained capacity, unless it contains a message or a part of
    /// one. To be called when the connection has been idle for some time. A message that is
    /// [current](Self::current) is released.
    #[cold]
    pub fn shrink(&mut self) {
        self.release();
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.small_messages = 0;
            let retained = self.limits.retained_capacity;
            if self.buffer.capacity() > retained {
                // There may be no memory for a smaller block either; then it grows when octets arrive.
                self.buffer = Vec::new();
                if self.buffer.try_reserve_exact(retained).is_ok() {
                    self.buffer.resize(retained, 0);
                }
            }
            self.charge.clear();
        }
    }

    /// Drops all octets received and forgets errors, for another connection. The buffer stays.
    #[cold]
    pub fn reset(&mut self) {
        (self.start, self.end) = (0, 0);
        self.next = None;
        self.current = Current::None;
        self.partials.clear();
        self.joined.clear(self.limits.retained_capacity);
    }

    /// Whether the buffer has more than the retained capacity.
    #[inline]
    pub fn is_large(&self) -> bool {
        !self.charge.is_empty()
    }

    /// The capacity of the buffer in octets, without that of incomplete fragmented messages.
    pub fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    #[cold]
    pub(super) fn count_message(&mut self, total: usize) {
        self.small_messages = match total <= self.limits.retained_capacity {
            true => self.small_messages.saturating_add(1),
            false => 0,
        };
    }

    /// Number of octets that the next message lacks, or its header if that is incomplete.
    fn missing(&self) -> usize {
        let wanted = self.next.map_or(self.header_size.into(), |header| self.total(&header));
        wanted.saturating_sub(self.end - self.start)
    }

    /// Makes room for more of the next message, whose header was received.
    #[cold]
    pub(super) fn make_room(&mut self) -> Result<(), ProtocolError> {
        if self.start > 0 {
            return Ok(()); // `space` moves it to the start of the buffer
        }
        let length = self.buffer.len();
        let doubled = length.saturating_mul(2).max(self.limits.initial_capacity);
        let wanted = doubled.min(self.end + self.missing()).max(self.limits.initial_capacity);
        if !self.charge.set(self.excess(wanted.max(self.buffer.capacity()))) {
            return Err(ProtocolError::out_of_memory(wanted));
        }
        self.buffer
            .try_reserve_exact(wanted - length)
            .map_err(|_| ProtocolError::out_of_memory(wanted))?;
        self.buffer.resize(wanted, 0);
        Ok(())
    }

    /// The octets that are charged for a buffer of this length.
    pub(super) fn excess(&self, length: usize) -> usize {
        length.saturating_sub(self.limits.retained_capacity)
    }
}
