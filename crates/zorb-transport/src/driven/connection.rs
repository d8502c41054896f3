//! The interface between a protocol and its driver.

use std::fmt;
use std::net::SocketAddr;

use super::settings::{Micros, Settings};

/// The maximum size of a received datagram in octets; longer ones are truncated.
pub const MAX_DATAGRAM: usize = 2048;

/// Why a connection has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The peer does not know the connection, or no longer.
    Refused,
    /// The peer has sent nothing for too long.
    Silence,
    /// This side has aborted the connection.
    Aborted,
}

/// Identifies the connection of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// A connection request of a client, with the client's id.
    Opens(u64),
    /// The connection with this id at the receiver.
    To(u64),
    /// The connection with this id at the sender.
    From(u64),
}

/// One side of a connection, without I/O and without a clock.
///
/// The driver passes every received datagram to it. After each datagram, after each send and at the
/// [`deadline`](Self::deadline), the driver calls [`transmit`](Self::transmit) and sends what it
/// returns, until it returns nothing.
pub trait Driven: fmt::Debug + Send + Sized + 'static {
    /// The URL scheme.
    const SCHEME: &'static str;

    /// The default UDP port of its URLs.
    const DEFAULT_PORT: u16;

    /// The prefix of its threads' names.
    const THREADS: &'static str;

    /// The client's side of a new connection.
    fn connect(to: SocketAddr, settings: Settings, now: Micros) -> Self;

    /// The server's side of the connection requested by this datagram. `None` if the two sides
    /// cannot agree on parameters.
    fn accept(datagram: &[u8], from: SocketAddr, settings: Settings, now: Micros) -> Option<Self>;

    /// The connection of a datagram. `None` if it does not belong to this protocol.
    fn route(datagram: &[u8]) -> Option<Route>;

    /// Writes the answer to a datagram without a connection; `false` if there is none. It is never
    /// longer than the datagram.
    fn refuse(datagram: &[u8], out: &mut Vec<u8>) -> bool;

    /// The id of the connection at this side.
    fn id(&self) -> u64;

    /// Handles a datagram of this connection; others have no effect.
    fn receive(&mut self, datagram: &[u8], now: Micros);

    /// Handles a datagram of this connection for whose octets there is no memory: they are treated as lost, and its
    /// acknowledgements are handled.
    fn receive_without_octets(&mut self, datagram: &[u8], now: Micros);

    /// The most octets of the buffers that receiving this datagram takes. Default: its size.
    fn most_kept(datagram: &[u8]) -> usize {
        datagram.len()
    }

    /// Writes the next datagram to `out`, whose contents it replaces; `false` if there is none.
    fn transmit(&mut self, now: Micros, out: &mut Vec<u8>) -> bool;

    /// When to call [`transmit`](Self::transmit) next if nothing else happens.
    fn deadline(&self) -> Option<Micros>;

    /// Whether the peer has answered with something that only the receiver at its address knows.
    fn is_established(&self) -> bool;

    /// The octets in its buffers: those to send that are not acknowledged, and the received ones that are not read.
    fn buffered(&mut self) -> usize;

    /// Accepts as many octets as the send buffer has room for; returns their number.
    ///
    /// # Errors
    /// The connection cannot send anymore.
    fn send(&mut self, octets: &[u8]) -> Result<usize, Failure>;

    /// Reads received octets into `buffer`; returns their number, 0 at the end of the stream,
    /// `None` if there are none yet.
    ///
    /// # Errors
    /// The connection cannot receive anymore.
    fn recv(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Failure>;

    /// Whether [`recv`](Self::recv) would return at once.
    fn is_readable(&self) -> bool;

    /// Whether the peer has ended its direction, or the connection has failed.
    fn has_hung_up(&self) -> bool;

    /// Ends the sending direction after the octets accepted so far.
    fn finish(&mut self);

    /// Discards everything that is received from now on.
    fn stop_receiving(&mut self);

    /// Aborts the connection, and informs the peer once.
    fn abort(&mut self);

    /// Reports that no process receives at the peer's address.
    fn unreachable(&mut self);

    /// Why the connection has failed, if it has.
    fn failure(&self) -> Option<Failure>;

    /// Whether it can be removed: it has failed, or both directions have ended and the peer has had
    /// time to notice.
    fn is_over(&self, now: Micros) -> bool;
}
