//! How connections behave.

use zorb_transport::driven::Micros;

/// How connections behave.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Octets that wait to be sent, or to be acknowledged. Default 256 KiB.
    pub send_buffer: usize,
    /// Octets that wait to be received. Default 256 KiB; not below 4 KiB.
    pub receive_buffer: usize,
    /// How long nothing is heard before the peer is asked whether it is there, in microseconds.
    /// Default 5 seconds.
    pub keep_alive: Micros,
    /// How long nothing is heard before the peer counts as gone, in microseconds. Default 15 seconds.
    pub patience: Micros,
}

impl Default for Settings {
    fn default() -> Self {
        let (send_buffer, receive_buffer) = (256 << 10, 256 << 10);
        Self { send_buffer, receive_buffer, keep_alive: 5_000_000, patience: 15_000_000 }
    }
}
