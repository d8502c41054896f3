//! Limits of memory and time.

use core::time::Duration;

use crate::MAX_POLLED;

/// The sizes of a client's or a server's buffers, and how long it waits for a peer.
///
/// A connection has two buffers of [`max_message_size`](Self::max_message_size) octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of a message in octets, its header included: 256 to 1 MiB. Default 4 KiB.
    pub max_message_size: usize,
    /// The maximum number of connections at a time: 1 to 63. A further one takes the place of the connection that has been
    /// idle for the longest time. Default 8.
    pub max_connections: usize,
    /// The maximum number of a server's objects. With the feature `key-index` at most 65,536: a larger number means that one.
    /// Default 16.
    pub max_objects: usize,
    /// How long a client waits for a reply, connecting included, and a server for the rest of a request and until a reply
    /// has been sent. At most 2^32 s. Default 10 s.
    pub timeout: Duration,
}

/// The longest time limit: times of a clock are added to it.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(1 << 32);

impl Limits {
    /// The defaults, as a constant.
    pub const DEFAULT: Self = Self {
        max_message_size: 4096,
        max_connections: 8,
        max_objects: 16,
        timeout: Duration::from_secs(10),
    };

    /// Sets the maximum size of a message in octets.
    #[must_use]
    pub const fn max_message_size(mut self, max_message_size: usize) -> Self {
        self.max_message_size = max_message_size;
        self
    }

    /// Sets the maximum number of connections.
    #[must_use]
    pub const fn max_connections(mut self, max_connections: usize) -> Self {
        self.max_connections = max_connections;
        self
    }

    /// Sets the maximum number of a server's objects.
    #[must_use]
    pub const fn max_objects(mut self, max_objects: usize) -> Self {
        self.max_objects = max_objects;
        self
    }

    /// Sets how long to wait for a peer.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The limits with sizes and times in their ranges.
    pub(crate) fn normalized(mut self) -> Self {
        self.max_message_size = self.max_message_size.clamp(256, 1 << 20);
        self.max_connections = self.max_connections.clamp(1, MAX_POLLED - 1);
        self.timeout = self.timeout.min(LONGEST_TIMEOUT);
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
