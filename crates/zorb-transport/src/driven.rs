//! Reliable streams over datagrams, for authors of transports: the sockets, threads and clocks around
//! a protocol that has none of its own.
//!
//! The protocol is a [`Driven`] connection: datagrams and time go in, datagrams come out, and its rules
//! can be tested over a network and under a clock that a test makes up. [`Driver`] makes the streams and
//! acceptors of a [`Transport`](crate::Transport) of it. A client's connection has a socket and a thread
//! of its own; those of a server share both. One thread more keeps the time for the connections of a server's
//! socket, and one for those of all clients of a driver. The threads of a server are as
//! [`ListenOptions::workers`](crate::ListenOptions) says, and there as long as its socket; those of clients
//! have the highest priority of the threads that connected.
//!
//! Limits of a server's socket: 128 clients that have not proven to be where they say (the oldest makes
//! room), as many connections that nobody has accepted as
//! [`ListenOptions::backlog`](crate::ListenOptions) says, and 65,536 connections altogether.

mod acceptor;
mod connection;
mod driver;
mod link;
mod settings;
mod stream;
mod timers;

pub use connection::{Driven, Failure, MAX_DATAGRAM, Route};
pub use driver::Driver;
pub use settings::{Micros, Settings};
