//! Shared memory, and SHMIOP: GIOP over it.
//!
//! [`ShmTransport`] implements [`Transport`](zorb_transport::Transport) for processes on one machine: octets go through two
//! rings in memory that both processes have mapped, one ring for each direction. While both sides
//! are at work a message takes no system call. A thread that has nothing to receive, or no room to
//! send, sleeps, and the other side wakes it: one system call each.
//!
//! The two meet at a Unix-domain socket, over which the server hands the memory to the client.
//! After that the socket carries nothing: it is the sign of life. When a process ends, however it
//! does, the other notices at once.
//!
//! What may be written where is what [`zorb_unix`] has, with another scheme: `shmiop:///tmp/x.sock`,
//! `shmiop://@name`, `shmiop://`, `shmiop://@`, `shmiop:///tmp/x.sock?mode=0660`. So are the rules
//! about files, and about who may connect.
//!
//! # The size of the rings
//! A ring has 256 KiB ([`DEFAULT_RING_SIZE`]) unless [`ShmTransport::with_ring_size`] or the
//! server's options say otherwise: `send_buffer` for what the server sends, `receive_buffer` for what
//! it receives. Sizes are rounded up to a power of two from 4 KiB to 1 GiB. The client takes what the
//! server has made. Memory is in use from when it is first written to.
//!
//! # Buffers (feature `buffers`)
//! What a side sends goes through its ring, but for long runs of octets at the end of a message. They
//! go in one of its 8 buffers of 1 MiB ([`ShmTransport::with_buffers`]), where the other reads them
//! without copying them. An application draws such a buffer with
//! [`Stream::loan`](zorb_transport::Stream::loan) and fills it itself, or what it sends is copied into
//! one. When none is free, the octets go through the ring. Taking a buffer, sending it and giving it
//! back take no lock and no system call.
//!
//! The server makes the buffers of both directions, in memory of their own, and hands it to the client.
//! They are for processes of one user. From a client of another user's the server copies what is in
//! them, and neither side draws any. A side that has no buffers for what the server sends, as those of
//! earlier versions have not, gets it through the ring.
//!
//! # A peer that does not keep to the rules
//! The peer can write anything anywhere into the memory at any moment. What is read from it is
//! looked at like octets from a network: positions that cannot be end the connection with
//! [`InvalidData`](std::io::ErrorKind::InvalidData), and what is in the rings is GIOP's to judge.
//! The size of the memory is sealed, so that no peer can take it away.
//!
//! # Threads
//! The first connection starts the thread `zorb-shm`, which sleeps until a peer goes away. It is
//! one for the whole process, and stays.
//!
//! [`ShmiopProtocol`] is what object references know of it.
//!
//! This crate is for Zorb itself and its facade crate `zorb`, which registers it.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

/// Whether there are buffers for what goes past the rings.
const BUFFERS: bool = cfg!(feature = "buffers");

mod connection;
mod handshake;
mod profile;
mod ring;
mod shmiop;
mod stream;
mod transport;
mod watch;

pub use ring::{DEFAULT_RING_SIZE, MAX_RING_SIZE, MIN_RING_SIZE};
pub use shmiop::ShmiopProtocol;
pub use transport::{
    DEFAULT_BUFFER_SIZE, DEFAULT_BUFFERS, MAX_WISHED_RING_SIZE, SHMIOP_SCHEME, ShmTransport,
};
