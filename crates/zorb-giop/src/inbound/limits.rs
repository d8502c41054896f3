//! Limits of a receiver.

/// The limits of messages and buffers of a connection.
///
/// [`Inbound::new`](super::Inbound::new) raises capacities below 256 octets to 256, and a
/// `retained_capacity` below `initial_capacity` to that.
///
/// ```
/// use zorb_giop::Limits;
///
/// let limits = Limits::DEFAULT.max_message_size(1 << 20).max_partial_octets(1 << 20);
/// assert_eq!(limits.max_message_size, 1 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of a message in octets, its header included, with joined fragments. Default 64 MiB.
    pub max_message_size: usize,
    /// The maximum number of fragments of a message, including the first. Default 65,536.
    pub max_fragments: u32,
    /// The maximum number of incomplete fragmented messages at a time. Default 16.
    pub max_partial_messages: usize,
    /// The maximum size of all incomplete messages together, in octets. Default 64 MiB.
    pub max_partial_octets: usize,
    /// The initial size of the receive buffer in octets. Default 4 KiB.
    pub initial_capacity: usize,
    /// The size in octets to which a larger receive buffer shrinks, after 64 successive messages that fit
    /// into it, or when [told](super::Inbound::shrink) to. Default 64 KiB.
    pub retained_capacity: usize,
}

impl Limits {
    /// The defaults, as a constant.
    pub const DEFAULT: Self = Self {
        max_message_size: 64 * 1024 * 1024,
        max_fragments: 65_536,
        max_partial_messages: 16,
        max_partial_octets: 64 * 1024 * 1024,
        initial_capacity: 4 * 1024,
        retained_capacity: 64 * 1024,
    };

    /// Sets the maximum size of a message in octets.
    #[must_use]
    pub const fn max_message_size(mut self, max_message_size: usize) -> Self {
        self.max_message_size = max_message_size;
        self
    }

    /// Sets the maximum number of fragments of a message.
    #[must_use]
    pub const fn max_fragments(mut self, max_fragments: u32) -> Self {
        self.max_fragments = max_fragments;
        self
    }

    /// Sets the maximum number of incomplete fragmented messages.
    #[must_use]
    pub const fn max_partial_messages(mut self, max_partial_messages: usize) -> Self {
        self.max_partial_messages = max_partial_messages;
        self
    }

    /// Sets the maximum size of all incomplete messages together, in octets.
    #[must_use]
    pub const fn max_partial_octets(mut self, max_partial_octets: usize) -> Self {
        self.max_partial_octets = max_partial_octets;
        self
    }

    /// Sets the initial size of the receive buffer in octets.
    #[must_use]
    pub const fn initial_capacity(mut self, initial_capacity: usize) -> Self {
        self.initial_capacity = initial_capacity;
        self
    }

    /// Sets the size in octets to which a larger receive buffer shrinks.
    #[must_use]
    pub const fn retained_capacity(mut self, retained_capacity: usize) -> Self {
        self.retained_capacity = retained_capacity;
        self
    }

    pub(super) fn normalized(mut self) -> Self {
        self.initial_capacity = self.initial_capacity.max(256);
        self.retained_capacity = self.retained_capacity.max(self.initial_capacity);
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
