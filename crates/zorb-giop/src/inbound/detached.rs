//! A message that was taken from the receive buffer, with a buffer of its own.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::budget::{Charge, MessageBudget};
use super::limits::Limits;
use crate::ProtocolError;

/// A message taken from an [`Inbound`](crate::Inbound), with its buffer.
///
/// Pass the buffer as the `spare` to a later [`Inbound::take`](crate::Inbound::take), without clearing it.
#[derive(Debug, Default)]
pub struct DetachedMessage {
    /// The buffer. Octets outside the message have no meaning.
    pub buffer: Vec<u8>,
    /// The start of the message.
    pub start: usize,
    /// The end of the message.
    pub end: usize,
    /// As [`Inbound::fragment_starts`](crate::Inbound::fragment_starts).
    pub fragment_starts: Vec<u32>,
    /// What is charged for the buffer.
    pub(super) charge: Charge,
}

impl DetachedMessage {
    /// No message, with a buffer for the next one.
    pub fn with_buffer(buffer: Vec<u8>) -> Self {
        let charge = Charge::default();
        Self { buffer, start: 0, end: 0, fragment_starts: Vec::new(), charge }
    }

    /// The message, header included.
    #[inline]
    pub fn message(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Replaces the message by `octets`, which are copied.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn copy_from(
        &mut self,
        octets: &[u8],
        fragment_starts: &[u32],
    ) -> Result<(), ProtocolError> {
        self.buffer.clear();
        self.fragment_starts.clear();
        let reserved = self.buffer.try_reserve(octets.len());
        if reserved.and_then(|()| self.fragment_starts.try_reserve(fragment_starts.len())).is_err()
        {
            return Err(ProtocolError::out_of_memory(octets.len()));
        }
        self.buffer.extend_from_slice(octets);
        self.fragment_starts.extend_from_slice(fragment_starts);
        (self.start, self.end) = (0, octets.len());
        Ok(())
    }

    /// Empties the message.
    pub(super) fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
        self.fragment_starts.clear();
    }

    /// Whether the buffer has more than the retained capacity of its [`Inbound`](crate::Inbound).
    #[inline]
    pub fn is_large(&self) -> bool {
        !self.charge.is_empty()
    }

    /// Frees the buffer if it has more than `limit` octets, and with it the message.
    #[inline]
    pub fn trim(&mut self, limit: usize) {
        if self.buffer.capacity() > limit {
            *self = Self::default();
        }
    }

    /// Charges the whole buffer to `budget` while it waits, if its [`Inbound`](crate::Inbound) has charged it to none.
    /// [`settle`](Self::settle) ends that. `false` if the budget is used up; the charge is as it was then.
    #[must_use]
    pub fn charge_whole(&mut self, budget: &Arc<MessageBudget>) -> bool {
        self.charge.begin(budget);
        self.charge.set(self.buffer.capacity())
    }

    /// Releases what [`charge_whole`](Self::charge_whole) has charged beyond what its [`Inbound`](crate::Inbound) with these
    /// limits charges.
    pub fn settle(&mut self, limits: &Limits) {
        self.charge.reduce(self.buffer.capacity().saturating_sub(limits.retained_capacity));
    }
}

/// Copies `octets` to the start of `buffer`, which then has at least `least` octets; `false` without memory for them. It
/// grows in steps up to the `retained` capacity.
pub(super) fn refill(buffer: &mut Vec<u8>, octets: &[u8], least: usize, retained: usize) -> bool {
    let needed = octets.len().max(least);
    if needed > buffer.len() {
        let wanted = needed.max(buffer.len().saturating_mul(2).min(retained));
        if buffer.try_reserve_exact(wanted - buffer.len()).is_err() {
            return false;
        }
        buffer.resize(wanted, 0);
    }
    if let Some(start) = buffer.get_mut(..octets.len()) {
        start.copy_from_slice(octets);
    }
    true
}
