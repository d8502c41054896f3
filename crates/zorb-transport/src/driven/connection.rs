//! The interface between a protocol and its driver.

use std::fmt;
use std::net::SocketAddr;

use super::settings::{Micros, Settings};

/// The largest datagram that is received, in octets; longer ones are cut off there.
pub const MAX_DATAGRAM: usize = 2048;

/// Why a connection is of no more use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The peer knows of no such connection, or of none any more.
    Refused,
    /// Nothing has been heard for too long.
    Silence,
    /// This side has given it up.
    Aborted,
}

/// Which connection a datagram is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// None yet: a client, which calls it so, asks for one.
    Opens(u64),
    /// The one whose receiver calls it so.
    To(u64),
    /// The one whose sender calls it so.
    From(u64),
}

/// One side of a connection, which does no I/O and reads no clock.
///
/// Whoever has it hands it every datagram that comes, sends the datagrams that
/// [`transmit`](Self::transmit) gives until there are no more, and comes back when something comes, when
/// something is to be sent, and at the [`deadline`](Self::deadline).
pub trait Driven: fmt::Debug + Send + Sized + 'static {
    /// The scheme of its URLs.
    const SCHEME: &'static str;

    /// The port of UDP where a URL says none.
    const DEFAULT_PORT: u16;

    /// What the names of its threads begin with.
    const THREADS: &'static str;

    /// A client's side of a new connection.
    fn connect(to: SocketAddr, settings: Settings, now: Micros) -> Self;

    /// A server's side of the connection that this datagram asks for. `None` where there is nothing to
    /// agree on.
    fn accept(datagram: &[u8], from: SocketAddr, settings: Settings, now: Micros) -> Option<Self>;

    /// Which connection a datagram is for. `None` where it is nothing of this protocol's.
    fn route(datagram: &[u8]) -> Option<Route>;

    /// Writes what tells the sender of a datagram that there is no such connection; `false` where it is
    /// told nothing. It is never longer than the datagram.
    fn refuse(datagram: &[u8], out: &mut Vec<u8>) -> bool;

    /// What this side calls it.
    fn id(&self) -> u64;

    /// Takes a datagram that is meant for this connection; others change nothing.
    fn receive(&mut self, datagram: &[u8], now: Micros);

    /// Writes the next datagram to be sent over what `out` holds; `false` when there is none.
    fn transmit(&mut self, now: Micros, out: &mut Vec<u8>) -> bool;

    /// When [`transmit`](Self::transmit) is to be called although nothing has happened.
    fn deadline(&self) -> Option<Micros>;

    /// Whether the peer has answered by what only who receives at its address knows.
    fn is_established(&self) -> bool;

    /// Takes as many octets to send as there is room for, and says how many.
    ///
    /// # Errors
    /// Why nothing is sent any more.
    fn send(&mut self, octets: &[u8]) -> Result<usize, Failure>;

    /// Moves octets into `buffer`: how many, 0 at the end of the stream, `None` when there are none yet.
    ///
    /// # Errors
    /// Why there will be none any more.
    fn recv(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Failure>;

    /// Whether [`recv`](Self::recv) would not have to wait.
    fn is_readable(&self) -> bool;

    /// Ends the direction to the peer, behind what was given to send.
    fn finish(&mut self);

    /// Says that nobody receives any more.
    fn stop_receiving(&mut self);

    /// Gives the connection up. The peer is told, once.
    fn abort(&mut self);

    /// Says that nobody is there at the peer's address.
    fn unreachable(&mut self);

    /// Why it is of no more use.
    fn failure(&self) -> Option<Failure>;

    /// Whether it may be forgotten: it has failed, or both directions have ended and the peer has had
    /// the time to hear of it.
    fn is_over(&self, now: Micros) -> bool;
}
