//! What the transports over the system's stream sockets share, for authors of transports.
//!
//! A transport brings the two things that are its own: connecting a socket, and listening on one
//! ([`ListeningSocket`]). From there on a connected socket of any family is a [`SocketStream`],
//! and a listening one is served by a [`SocketAcceptor`].

mod acceptor;
mod stream;
mod timeout;

use std::io;
use std::os::fd::AsFd;

use socket2::SockRef;

use crate::StreamOptions;

pub use acceptor::{ListeningSocket, SocketAcceptor};
pub use stream::SocketStream;
pub use timeout::Timeout;

/// Sets the sizes of `socket`'s buffers that `options` name. In TCP they count from the first
/// packet on, so they are set before there is one: on a socket that is not connected yet, or on
/// the listening one, whose connections inherit them.
///
/// # Errors
/// What the system says.
pub fn set_buffers(socket: impl AsFd, options: &StreamOptions) -> io::Result<()> {
    let socket = SockRef::from(&socket);
    if let Some(bytes) = options.send_buffer {
        socket.set_send_buffer_size(bytes)?;
    }
    if let Some(bytes) = options.recv_buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    Ok(())
}
