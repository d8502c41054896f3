//! SCIOP: GIOP over SCTP, which travels in UDP datagrams (RFC 6951) and is spoken by a stack in user
//! space, so that no kernel has to have it and no privilege is needed.
//!
//! [`SctpTransport`] is the transport, `sciop://host:port`, and [`SciopProtocol`] is GIOP over it. The
//! stack is `sctp-proto`, which does no I/O and reads no clock. [`Connection`] stands around it and does
//! what it leaves to others: it looks at every datagram first and lets through what may do no harm, asks
//! silent peers for a sign of life, notices that they have gone, ends connections, and keeps what waits
//! within limits. Sockets, threads and timers are those of [`zorb_transport::driven`].
//!
//! What is sent together, a GIOP message that is, is one user message of stream 0, ordered and reliable;
//! what is longer than 64 KiB, or half of what the peer has room for, is several. A message without
//! contents (payload protocol 57, as WebRTC has it) says that its sender will send no more; `SHUTDOWN`
//! follows when both have said so.
//!
//! An association has a tag of each side's, chosen at random, and what does not carry the receiver's is
//! ignored: who cannot see the datagrams can neither end nor change it. A server remembers a client from
//! its `INIT` on, but no more than 128 that have not brought their cookie back. Whoever sees the
//! datagrams can read and forge them: nothing is encrypted.
//!
//! Limits: 256 KiB wait in each direction (or what the options for the socket's buffers say), of which
//! 2048 pieces that nobody has read yet; a socket's connections as
//! [`zorb_transport::driven`] says. A peer that is silent for 15 seconds counts as gone; idle ones are
//! asked for a sign of life every five. A connection ends after some 2,000 million pieces, before their
//! numbers begin anew.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod connection;
mod packet;
mod profile;
mod protocol;
mod screen;
#[cfg(test)]
mod simulated;
mod stack;
mod transport;

pub use connection::Connection;
pub use packet::sealed;
pub use profile::SciopProfile;
pub use protocol::SciopProtocol;
pub use transport::{DEFAULT_PORT, SCIOP_SCHEME, SctpTransport};
pub use zorb_transport::driven::Settings;
