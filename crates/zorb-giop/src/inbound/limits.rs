//! How much a peer may ask of a receiver.

/// What a peer may make a connection hold, and what the connection keeps for the next message.
///
/// [`Inbound::new`](super::Inbound::new) raises capacities below 256 octets to that, and a
/// `kept_capacity` below `initial_capacity` to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Octets of one message, its header included, fragments joined. Default 64 MiB.
    pub max_message_size: usize,
    /// Fragments of one message, the first part included. Default 65,536.
    pub max_fragments: u32,
    /// Fragmented messages that may be incomplete at the same time. Default 16.
    pub max_partial_messages: usize,
    /// Octets of all incomplete messages together. Default 64 MiB.
    pub max_partial_octets: usize,
    /// Octets of the receive buffer to begin with. Default 4 KiB.
    pub initial_capacity: usize,
    /// Octets of buffer that are kept for good. A buffer that one large message made grow beyond
    /// it shrinks back when 64 messages in a row would have fitted. Default 64 KiB.
    pub kept_capacity: usize,
}

impl Limits {
    /// The defaults, as a constant.
    pub const DEFAULT: Self = Self {
        max_message_size: 64 * 1024 * 1024,
        max_fragments: 65_536,
        max_partial_messages: 16,
        max_partial_octets: 64 * 1024 * 1024,
        initial_capacity: 4 * 1024,
        kept_capacity: 64 * 1024,
    };

    pub(super) fn made_sane(mut self) -> Self {
        self.initial_capacity = self.initial_capacity.max(256);
        self.kept_capacity = self.kept_capacity.max(self.initial_capacity);
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
