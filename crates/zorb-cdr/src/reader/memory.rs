//! Limits the memory for the decoded values of a message, and tracks how much of it is charged.

/// The octets of memory that the elements of the sequences in a message may take in any case.
const ALLOWANCE: usize = 64 << 20;
/// The binary logarithm of the octets of memory that they may take for each octet of the message.
const PER_OCTET: u32 = 2;
/// The octets of decoded values of a message that are not charged.
const FREE: usize = 256 << 10;
/// The octets that are charged at a time.
pub(super) const STEP: usize = 1 << 20;

/// The memory for the values of a message that are not decoded yet.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    /// The octets that further elements may take.
    pub(super) allowance: usize,
    /// The octets that are free or charged, and not in use yet.
    pub(super) charged: usize,
}

impl Memory {
    /// For a message of `octets`.
    #[inline]
    pub(super) fn of_message(octets: usize) -> Self {
        Self { allowance: ALLOWANCE.saturating_add(octets << PER_OCTET), charged: FREE }
    }
}
