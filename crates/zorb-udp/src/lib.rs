//! UDP: DIOP, which is GIOP in datagrams as in TAO, and [MIOP](miop) over multicast.
//!
//! A request is one datagram. It expects no reply and has at most 65,507 octets, including headers;
//! it may be lost or reordered. Datagrams with anything else are dropped and counted.
//!
//! | | connecting | listening |
//! |---|---|---|
//! | `diop://host:2809` | a name or IPv4 address | the address of an interface |
//! | `diop://[2001:db8::1]:2809` | IPv6 in brackets | the same |
//! | `diop://:2809`, `diop://` | - | all IPv4 interfaces; without a port, one that the system chooses |
//!
//! There are no connections. A server has one [`Stream`](zorb_transport::Stream) for its socket, which contains the
//! requests of all clients; a client's stream sends requests that fit into a datagram, and receives
//! nothing. Two-way calls use another profile of the reference, or fail
//! ([`Protocol::carries_replies`](zorb_transport::Protocol::carries_replies)).
//!
//! [`miop`] sends such calls to groups of objects over multicast.
//!
//! This crate is for Zorb itself and its facade crate `zorb`, which registers it.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod acceptor;
mod client;
mod counters;
mod datagram;
mod diop;
pub mod miop;
mod server;
mod transport;

pub use datagram::{Datagram, MAX_DATAGRAM};
pub use diop::DiopProtocol;

pub use transport::{DEFAULT_PORT, DIOP_SCHEME, UdpTransport};
