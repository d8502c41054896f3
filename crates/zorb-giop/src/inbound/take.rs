//! Taking messages out of the receive buffer.

use alloc::vec::Vec;

use super::detached::refill;
use super::{Current, DetachedMessage, Inbound};
use crate::ProtocolError;

impl Inbound {
    /// Takes the current message with its buffer, and continues in `spare`, to which only the octets after
    /// the message are copied. Empty if no message is current.
    ///
    /// Without memory for the octets after the message, [`poll`](Self::poll) then fails.
    pub fn take(&mut self, spare: Vec<u8>) -> DetachedMessage {
        let mut detached = DetachedMessage::with_buffer(spare);
        self.take_into(&mut detached);
        // Nothing has been charged for the spare. If the budget does not have it, it is charged when it grows.
        let _ = self.charge.set(self.excess(self.buffer.capacity()));
        detached
    }

    /// As [`take`](Self::take): the message replaces an earlier one in `detached`, whose buffer is the spare.
    #[inline]
    pub fn take_into(&mut self, detached: &mut DetachedMessage) {
        match self.current {
            // Usually nothing follows: the client waits for its reply.
            Current::InPlace(total)
                if self.end == self.start + total
                    && detached.buffer.len() >= self.limits.initial_capacity =>
            {
                self.exchange(total, detached);
            }
            Current::InPlace(total) => self.take_and_move_rest(total, detached),
            Current::Joined => self.take_joined(detached),
            Current::None | Current::Lost(_) => detached.clear(),
        }
    }

    /// Charges all of a message that was [taken](Self::take_into) or copied, and is going to be retained for long, to the
    /// budget, until it is dropped.
    ///
    /// # Errors
    /// `OutOfMemory`: the budget does not have the octets.
    pub fn charge_retained(&self, retained: &mut DetachedMessage) -> Result<(), ProtocolError> {
        let octets = retained.buffer.capacity();
        self.charge.begin_another(&mut retained.charge);
        match retained.charge.set(octets) {
            true => Ok(()),
            false => Err(ProtocolError::out_of_memory(octets)),
        }
    }

    /// Exchanges the buffers: that of `detached` is then without octets.
    #[inline]
    fn exchange(&mut self, total: usize, detached: &mut DetachedMessage) {
        core::mem::swap(&mut self.buffer, &mut detached.buffer);
        (detached.start, detached.end) = (self.start, self.start + total);
        if !detached.fragment_starts.is_empty() {
            detached.fragment_starts.clear();
        }
        (self.start, self.end) = (0, 0);
        self.next = None;
        self.current = Current::None;
        if !self.charge.is_empty() || !detached.charge.is_empty() {
            self.exchange_charges(total, detached);
        }
    }

    /// [`take_into`](Self::take_into) for a message that others follow, or with a spare that is too small.
    #[inline(never)]
    fn take_and_move_rest(&mut self, total: usize, detached: &mut DetachedMessage) {
        let (message, rest) = match self.buffer.get(self.start..self.end) {
            Some(octets) => octets.split_at(total.min(octets.len())),
            None => (&[][..], &[][..]),
        };
        let (left, least) = (rest.len(), self.limits.initial_capacity);
        // What follows is moved, message by message, if the buffer goes away.
        let retained = self.limits.retained_capacity;
        if left > total
            && self.charge_spare(total, detached)
            && refill(&mut detached.buffer, message, total, retained)
        {
            (detached.start, detached.end) = (0, total);
            detached.fragment_starts.clear();
            self.current = Current::None;
            self.count_message(total);
            return self.consume(total);
        }
        let is_moved = self.charge_spare(left, detached)
            && refill(&mut detached.buffer, rest, least, retained);
        self.exchange(total, detached);
        // They were received, also without memory for them: then `poll` fails, and is called as there are octets.
        self.end = left.max(usize::from(!is_moved));
        if !is_moved {
            self.current = Current::Lost(left.max(least));
        }
    }

    /// Charges the buffer of `detached`, which is about to contain `octets`, before it grows beyond the retained
    /// capacity; `false` if the budget does not have them.
    fn charge_spare(&self, octets: usize, detached: &mut DetachedMessage) -> bool {
        let excess = self.excess(octets);
        if excess <= detached.charge.octets() {
            return true;
        }
        self.charge.begin_another(&mut detached.charge);
        detached.charge.set(excess)
    }

    /// The charges follow the buffers.
    #[cold]
    fn exchange_charges(&mut self, total: usize, detached: &mut DetachedMessage) {
        self.count_message(total);
        self.charge.exchange(&mut detached.charge);
        // If the budget does not have what was not charged for the spare, it is charged when the buffer next grows.
        let _ = self.charge.set(self.excess(self.buffer.capacity()));
    }

    /// [`take_into`](Self::take_into) for a joined message.
    #[cold]
    fn take_joined(&mut self, detached: &mut DetachedMessage) {
        detached.clear();
        core::mem::swap(&mut detached.buffer, &mut self.joined.octets);
        core::mem::swap(&mut detached.fragment_starts, &mut self.joined.fragment_starts);
        self.joined.charge.exchange(&mut detached.charge);
        detached.end = detached.buffer.len();
        self.joined.clear(self.limits.retained_capacity);
        self.current = Current::None;
    }
}
