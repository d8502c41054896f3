//! Handlers of accepted connections.

use std::fmt;
use std::io;

use socket2::Socket;
use zorb_transport::Stream;

/// Makes streams of the connections that a transport accepts.
pub trait Handover: Send + Sync + fmt::Debug + 'static {
    /// The stream of a connection.
    type Stream: Stream + 'static;

    /// Makes a stream of a connected, blocking socket. Must not wait for the peer, because that
    /// would delay all other clients.
    ///
    /// # Errors
    /// As those of [`set_up`](zorb_transport::socket::ListeningSocket::set_up).
    fn accepted(&self, socket: Socket, names: Names) -> io::Result<Self::Stream>;
}

/// The names of a connection's ends in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// This end.
    pub local: String,
    /// The other end: its process and user, as verified by the system.
    pub peer: String,
}
