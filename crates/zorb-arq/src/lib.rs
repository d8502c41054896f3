//! A reliable stream over UDP by automatic repeat request (ARQ), for networks with high loss, or
//! where TCP's behavior is unsuitable: octets arrive once and in order.
//!
//! [`ArqTransport`] is the transport, `rudp://host:port`, and [`ArqProtocol`] is GIOP over it. The
//! protocol is in [`Connection`], which does no I/O and reads no clock: it has a sliding window
//! with selective acknowledgements. A segment is retransmitted when one sent well after it was
//! acknowledged, or after a timeout derived from the round-trip time (between 10 ms and 2 s). The
//! congestion window follows the capacity of the network.
//!
//! A connection has two random ids, one chosen by each side, and datagrams without the receiver's
//! id are ignored: an attacker who does not see the datagrams can neither end nor change a
//! connection. A server stores little of a client before the client's address is validated, never
//! answers with more octets than it received, and limits the number of such clients. An attacker
//! who sees the datagrams can read and forge them: nothing is encrypted.
//!
//! Limits: 256 KiB of buffer per direction (or the buffer sizes of the options), 1024 segments
//! behind gaps, and those of servers over datagrams ([`zorb_transport::driven`]). A connection fails
//! after 15 seconds without a datagram of the peer, and 60 seconds after its last use; idle peers are
//! probed every five seconds.
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
pub use protocol::ArqProtocol;
pub use rtt::{MAX_TIMEOUT, MIN_TIMEOUT};
pub use sending::SEGMENT;
pub use transport::{ARQ_SCHEME, ArqTransport, DEFAULT_PORT};
pub use zorb_transport::driven::{Failure, Micros, Settings};
