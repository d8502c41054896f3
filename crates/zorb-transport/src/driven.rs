//! Reliable streams over datagrams, for authors of transports: sockets, threads and clocks for a
//! protocol without I/O.
//!
//! The protocol is a [`Driven`] connection: it takes datagrams and times and produces datagrams,
//! and can be tested on a simulated network and clock. [`Driver`] makes it the streams and
//! acceptors of a [`Transport`](crate::Transport). A client's connection has its own socket and
//! receiving thread; the connections of a server share both. Another thread serves the timers of a
//! server's socket, and one serves the timers of all clients of a driver.
//! [`ListenOptions::workers`](crate::ListenOptions) configures the threads of a server, which exist
//! as long as its socket; the threads of clients run at the highest priority of the threads that
//! connected.
//!
//! A server's socket is limited to 1,024 clients whose addresses are not validated, 16 of them at one
//! address (a new one evicts the oldest), [`ListenOptions::backlog`](crate::ListenOptions) connections
//! that have not been accepted, and 4,096 connections to one address; all sockets of the process
//! together have 65,536. It handles 1,024 requests for connections per second, 256 of them of one address, repeated ones
//! included, and as many at once; clients repeat those beyond. An IPv6 network of 64 bits counts as one address.

mod acceptor;
mod admission;
mod connection;
mod driver;
mod link;
mod port;
mod rates;
mod settings;
mod stream;
mod timers;

pub use connection::{Driven, Failure, MAX_DATAGRAM, Route};
pub use driver::Driver;
pub use settings::{Micros, Settings};
