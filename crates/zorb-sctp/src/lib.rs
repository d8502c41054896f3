//! SCIOP: GIOP over SCTP in UDP datagrams (RFC 6951), by a stack in user space, which needs neither
//! kernel support nor privileges.
//!
//! [`SctpTransport`] is the transport, `sciop://host:port`, and [`SciopProtocol`] is GIOP over it.
//! The stack is `sctp-proto`, which does no I/O and reads no clock. [`Connection`] adds what the
//! stack leaves to its user: it filters every datagram before the stack sees it, probes silent
//! peers, detects their failure, ends connections, and limits buffers. Sockets, threads and timers
//! are those of [`zorb_transport::driven`].
//!
//! One send, that is one GIOP message, is one ordered and reliable user message on stream 0; if it
//! is longer than 64 KiB, or half of the peer's window, it is several. A message without contents
//! (payload protocol 57, as in WebRTC) announces that its sender will send no more; `SHUTDOWN`
//! follows when both sides have sent one.
//!
//! An association has a random tag of each side, and packets without the receiver's tag are
//! ignored: an attacker who does not see the datagrams can neither end nor change it. A server
//! stores a client from its `INIT` on, but only so many [that have not returned their
//! cookie](zorb_transport::driven).
//! An attacker who sees the datagrams can read and forge them: nothing is encrypted.
//!
//! Limits: 256 KiB of buffer per direction (or the buffer sizes of the options), up to 2048 unread
//! segments, and the limits of [`zorb_transport::driven`] for the connections of a socket. A
//! connection fails after 15 seconds without a packet of the peer; idle peers are probed every five
//! seconds. A connection ends after about 2,000 million segments, before their numbers wrap around.
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
