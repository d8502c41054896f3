//! How connections behave.

use crate::StreamOptions;

/// A time or a duration, in microseconds. Times count from an arbitrary moment and are never 0.
pub type Micros = u64;

/// How driven connections behave, those of all protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Octets that wait to be sent, or to be acknowledged. Default 256 KiB.
    pub send_buffer: usize,
    /// Octets that wait to be received. Default 256 KiB; a protocol may have a least that it needs.
    pub receive_buffer: usize,
    /// How long nothing is heard before the peer is asked whether it is there. Default 5 seconds.
    pub keep_alive: Micros,
    /// How long nothing is heard before the peer counts as gone. Default 15 seconds.
    pub patience: Micros,
}

impl Default for Settings {
    fn default() -> Self {
        let (send_buffer, receive_buffer) = (256 << 10, 256 << 10);
        Self { send_buffer, receive_buffer, keep_alive: 5_000_000, patience: 15_000_000 }
    }
}

impl Settings {
    /// The same with the buffers that a stream is asked to have.
    #[must_use]
    pub fn for_stream(self, options: &StreamOptions) -> Self {
        Self {
            send_buffer: options.send_buffer.unwrap_or(self.send_buffer),
            receive_buffer: options.receive_buffer.unwrap_or(self.receive_buffer),
            ..self
        }
    }
}
