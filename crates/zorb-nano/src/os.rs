//! The interface of the ORB to an operating system.

mod forward;
#[cfg(feature = "linux")]
mod linux;

use core::time::Duration;

#[cfg(feature = "linux")]
pub use linux::Linux;

use crate::Address;

/// The most sockets that one [`Os::poll`] waits for: the listeners and connections of a server.
pub const MAX_POLLED: usize = 64;

/// A listener or a connection: an index into a table of the [`Os`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket(pub u16);

/// Why the operating system did not do what it was asked for: a number, without text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OsError {
    /// It would have to wait. [Poll](Os::poll), and try again.
    WouldBlock,
    /// The table of sockets is full.
    NoSocket,
    /// Anything else, by the system's own number.
    Other(i32),
}

/// A socket to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    /// The listener or connection.
    pub socket: Socket,
    /// Whether to wait until octets can be read, or a connection accepted.
    pub read: bool,
    /// Whether to wait until octets can be written, which also says that a new connection is open.
    pub write: bool,
    /// Set by [`Os::poll`]: the socket is ready, or the connection has failed.
    pub is_ready: bool,
}

/// An operating system: a clock, and sockets that never block.
///
/// The ORB calls it from one thread. It waits in [`poll`](Self::poll) and [`read_within`](Self::read_within) only. An implementation allocates its table of
/// sockets at start, and nothing later. It may reject [kinds of address](Address) that it does not support.
pub trait Os {
    /// The time since any fixed moment. It never goes back.
    fn now(&mut self) -> Duration;

    /// The RT-CORBA priority of the calling thread, 0 to 32767: a client calls the lanes that have it. `None`, the default,
    /// if threads have none.
    fn priority(&mut self) -> Option<i16> {
        None
    }

    /// Begins to open a connection. It is open as soon as it can be written to; if it could not be opened, the next
    /// [`read`](Self::read) or [`write`](Self::write) fails. Over UDP, a [`write`](Self::write) sends a datagram to the address.
    ///
    /// # Errors
    /// `NoSocket`; what is wrong with the address.
    fn connect(&mut self, address: Address) -> Result<Socket, OsError>;

    /// Listens at an address; port 0 lets the system choose one. Over UDP nothing is accepted: the listener is
    /// [read](Self::read) from.
    ///
    /// # Errors
    /// `NoSocket`; what is wrong with the address.
    fn listen(&mut self, address: Address) -> Result<Socket, OsError>;

    /// The port of a listener at an IP address.
    ///
    /// # Errors
    /// The system's.
    fn port(&mut self, listener: Socket) -> Result<u16, OsError>;

    /// Accepts a connection.
    ///
    /// # Errors
    /// `WouldBlock` if no client waits; `NoSocket`, and the client continues to wait.
    fn accept(&mut self, listener: Socket) -> Result<Socket, OsError>;

    /// Reads octets into the start of `space`, which is not empty. Returns their number; 0 at the end of the stream. Over UDP
    /// they are those of one datagram, as far as there is space.
    ///
    /// # Errors
    /// `WouldBlock`; the connection has failed.
    fn read(&mut self, connection: Socket, space: &mut [u8]) -> Result<usize, OsError>;

    /// Waits until octets can be read, at most for `timeout`, and [reads](Self::read) them. It may return earlier. By default it
    /// [polls](Self::poll) first; a system that can wait while it reads saves a call.
    ///
    /// # Errors
    /// `WouldBlock`: there were none; the connection has failed.
    fn read_within(
        &mut self,
        connection: Socket,
        space: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, OsError> {
        let mut interest =
            Interest { socket: connection, read: true, write: false, is_ready: false };
        self.poll(core::slice::from_mut(&mut interest), Some(timeout))?;
        self.read(connection, space)
    }

    /// Writes octets from the start of `octets`, which are not empty. Returns their number, at least 1; over UDP that of all.
    ///
    /// # Errors
    /// `WouldBlock`; the connection has failed.
    fn write(&mut self, connection: Socket, octets: &[u8]) -> Result<usize, OsError>;

    /// Closes a listener or connection. Its number may then be that of another one.
    fn close(&mut self, socket: Socket);

    /// Waits until one of at most [`MAX_POLLED`] sockets is ready, and sets [`is_ready`](Interest::is_ready) of all. With a
    /// timeout it may return earlier, and without any socket being ready.
    ///
    /// # Errors
    /// The system's.
    fn poll(
        &mut self,
        interests: &mut [Interest],
        timeout: Option<Duration>,
    ) -> Result<(), OsError>;
}
