//! A reliable stream over UDP, for networks that lose much or where TCP's ways do not fit: octets arrive
//! once and in order, whatever happens to the datagrams.
//!
//! [`RudpTransport`] is the transport, `rudp://host:port`, and [`RudpProtocol`] is GIOP over it. The
//! rules are in [`Connection`], which does no I/O and reads no clock: a window slides over what is under
//! way, the receiver tells of ranges that it has behind gaps, and what was sent well before something
//! that has arrived is sent again, as is everything that has not been answered in the time that the way
//! there and back should take (between 10 ms and 2 s). How much is under way follows what the network
//! carries.
//!
//! A connection has two names, one chosen by each side at random, and what does not say the receiver's
//! is ignored: who cannot see the datagrams can neither end nor change a connection. A server remembers
//! little of a client until that has proven to receive at its address, never answers with more than it
//! was sent, and limits how many such clients it knows. Whoever sees the datagrams can read and forge
//! them: nothing is encrypted.
//!
//! Limits: 256 KiB wait in each direction (or what the options for the socket's buffers say), 1024
//! pieces behind gaps, 128 connections that are not proven and as many that nobody has accepted, 65,536
//! connections of a server. A peer that is silent for 15 seconds counts as gone; idle ones are asked for a
//! sign of life every five.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod connection;
mod driven;
mod packet;
mod protocol;
mod receiving;
mod rtt;
mod sending;
#[cfg(test)]
mod simulated;
mod transport;

pub use connection::Connection;
pub use packet::{Data, MAX_OVERHEAD, MAX_RANGES, OPEN_SIZE, Packet, REFUSE_SIZE, Ranges};
pub use protocol::RudpProtocol;
pub use rtt::{MAX_TIMEOUT, MIN_TIMEOUT};
pub use sending::SEGMENT;
pub use transport::{DEFAULT_PORT, RUDP_SCHEME, RudpTransport};
pub use zorb_transport::driven::{Failure, Micros, Settings};
