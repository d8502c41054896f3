//! Settings of connections.

use crate::StreamOptions;

/// A time or a duration, in microseconds. Times count from an arbitrary moment and are never 0.
pub type Micros = u64;

/// The settings of all protocols over datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size of the send buffer in octets, including unacknowledged data. Default 256 KiB.
    pub send_buffer: usize,
    /// Size of the receive buffer in octets. Default 256 KiB; protocols may have a minimum.
    pub receive_buffer: usize,
    /// Time without datagrams after which the peer is probed. Default 5 seconds.
    pub keep_alive: Micros,
    /// Time without datagrams after which the connection fails. Default 15 seconds.
    pub peer_timeout: Micros,
    /// Time after which a connection that is no longer used is aborted, if the peer has not taken all octets and ended
    /// its side by then. Default 60 seconds.
    pub linger: Micros,
}

impl Default for Settings {
    fn default() -> Self {
        let (send_buffer, receive_buffer) = (256 << 10, 256 << 10);
        let (keep_alive, peer_timeout, linger) = (5_000_000, 15_000_000, 60_000_000);
        Self { send_buffer, receive_buffer, keep_alive, peer_timeout, linger }
    }
}

impl Settings {
    /// The same settings with the buffer sizes of `options`.
    #[must_use]
    pub fn for_stream(self, options: &StreamOptions) -> Self {
        Self {
            send_buffer: options.send_buffer.unwrap_or(self.send_buffer),
            receive_buffer: options.receive_buffer.unwrap_or(self.receive_buffer),
            ..self
        }
    }
}
