//! Handlers of accepted connections.

use std::fmt;
use std::io;

use socket2::Socket;
use zorb_transport::Stream;

/// Makes streams of the connections that a transport accepts.
pub trait Handover: Send + Sync + fmt::Debug + 'static {
    /// What a connection needs beyond its socket.
    type Prepared;

    /// The stream of a connection.
    type Stream: Stream + 'static;

    /// Makes what a connected, blocking socket needs, without a sign to the client. If the process is out of descriptors, it
    /// is called again once other connections have closed, a limited number of times.
    ///
    /// # Errors
    /// As those of [`set_up`](zorb_transport::socket::ListeningSocket::set_up).
    fn prepare(&self, socket: &Socket) -> io::Result<Self::Prepared>;

    /// Makes a stream of a connected, blocking socket. Must not wait for the peer, because that
    /// would delay all other clients.
    ///
    /// # Errors
    /// As those of [`set_up`](zorb_transport::socket::ListeningSocket::set_up).
    fn accepted(
        &self,
        socket: Socket,
        prepared: Self::Prepared,
        names: Names,
    ) -> io::Result<Self::Stream>;
}

/// The names of a connection's ends in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// This end.
    pub local: String,
    /// The other end: its process and user, as verified by the system.
    pub peer: String,
}
