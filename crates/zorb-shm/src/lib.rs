//! Shared memory, and SHMIOP: GIOP over it.
//!
//! [`ShmTransport`] implements [`Transport`](zorb_transport::Transport) for processes on one
//! machine: octets pass through two rings in memory mapped by both processes, one per direction.
//! While both sides are active, a message needs no system call. A thread without octets to read, or
//! without room to write, sleeps until the other side wakes it: one system call each.
//!
//! The processes meet at a Unix-domain socket, over which the server passes the memory to the
//! client. After that the socket only shows that the peer is alive: when a process ends for any
//! reason, the other notices at once.
//!
//! Addresses are those of [`zorb_unix`] with another scheme: `shmiop:///tmp/x.sock`,
//! `shmiop://@name`, `shmiop://`, `shmiop://@`, `shmiop:///tmp/x.sock?mode=0660`. The rules for
//! files and permissions are also the same.
//!
//! # The size of the rings
//! A ring has 256 KiB ([`DEFAULT_RING_SIZE`]) unless [`ShmTransport::with_ring_size`] or the
//! server's options change it: `send_buffer` for what the server sends, `receive_buffer` for what
//! it receives. Sizes are rounded up to a power of two from 4 KiB to 1 GiB. The client uses the
//! server's rings. The system allocates memory on the first write.
//!
//! # Buffers (feature `buffers`)
//! Octets pass through the ring, except for long runs at the end of a message: they are placed in
//! one of the sender's 8 buffers of 1 MiB ([`ShmTransport::with_buffers`]), where the other side
//! reads them without a copy. An application takes such a buffer with
//! [`Stream::loan`](zorb_transport::Stream::loan) and fills it itself; otherwise the octets are
//! copied into one. If none is free, they pass through the ring. Taking, sending and returning a
//! buffer needs no lock and no system call.
//!
//! The server creates the buffers of both directions in separate memory and passes it to the
//! client. They are for processes of one user: the server copies octets from buffers of another
//! user's client, and neither side can borrow any. A side that does not support buffers of the
//! server, like earlier versions, receives everything through the ring.
//!
//! # A peer that does not keep to the rules
//! The peer can write anything to the memory at any time. What is read is treated like data from a
//! network: an invalid position ends the connection with
//! [`InvalidData`](std::io::ErrorKind::InvalidData), and GIOP checks the contents of the rings. The
//! size of the memory is sealed, so that the peer cannot shrink it.
//!
//! # Threads
//! The first connection starts the thread `zorb-shm`, which sleeps until a peer disconnects. There
//! is one per process, and it never ends.
//!
//! [`ShmiopProtocol`] is the protocol, with its profiles and URLs.
//!
//! This crate is for Zorb itself and its facade crate `zorb`, which registers it.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

/// Whether the build supports buffers.
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
    DEFAULT_BUFFER_SIZE, DEFAULT_BUFFERS, MAX_REQUESTED_RING_SIZE, SHMIOP_SCHEME, ShmTransport,
};
