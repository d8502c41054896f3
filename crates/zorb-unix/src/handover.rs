//! What a transport does with connected sockets.

use std::fmt;
use std::io;

use socket2::Socket;
use zorb_transport::Stream;

/// What a transport makes of the connections that clients make to it.
pub trait Handover: Send + Sync + fmt::Debug + 'static {
    /// A connected stream.
    type Stream: Stream + 'static;

    /// Makes a stream of a connected, blocking socket. Must not wait for the peer, or one that
    /// hangs keeps all others out.
    ///
    /// # Errors
    /// What the system says; the connection is dropped and the next one taken.
    fn accepted(&self, socket: Socket, names: Names) -> io::Result<Self::Stream>;
}

/// What the ends of a connection are called in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// This end.
    pub local: String,
    /// The other: its process and user, which the system vouches for.
    pub peer: String,
}
