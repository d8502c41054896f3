//! UDP: DIOP, which is GIOP in datagrams as TAO has it, and [MIOP](miop) by multicast.
//!
//! A request is a datagram. So it is one that is not answered, of at most 65,507 octets with all that
//! belongs to it; it may be lost, and come after one that was sent later. What is in a datagram and is
//! not such a request is dropped and counted, and nothing else comes of it.
//!
//! | | connecting | listening |
//! |---|---|---|
//! | `diop://host:2809` | a name or IPv4 address | the address of one interface |
//! | `diop://[2001:db8::1]:2809` | IPv6 goes in brackets | the same |
//! | `diop://:2809`, `diop://` | - | all IPv4 interfaces; without a port one that the system chooses |
//!
//! There are no connections. A server has one [`Stream`] for its socket, out of which the requests of
//! all clients come as if one had sent them; a client's stream takes what fits a datagram and brings
//! nothing back. Two-way calls take another profile of the reference, or fail
//! ([`Protocol::carries_replies`](zorb_transport::Protocol::carries_replies)).
//!
//! [`miop`] sends such calls to groups of objects, by multicast.
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
