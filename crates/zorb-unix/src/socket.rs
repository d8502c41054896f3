//! New sockets.

use std::io;
use std::os::fd::AsFd;

use socket2::{Domain, Socket, Type};
use zorb_os::socket::refuse_descriptors;

/// A new socket, to which peers can send no descriptors if the system can refuse them. Nobody asks for any, and closing
/// them would delay the thread that receives for as long as their sender wants.
pub(crate) fn new_socket() -> io::Result<Socket> {
    let socket = new_socket_for_descriptors()?;
    refuse_descriptors(socket.as_fd())?;
    Ok(socket)
}

/// A new socket, to which peers can send descriptors.
pub(crate) fn new_socket_for_descriptors() -> io::Result<Socket> {
    Socket::new(Domain::UNIX, Type::STREAM, None)
}
