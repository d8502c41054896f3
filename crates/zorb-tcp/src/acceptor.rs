//! A listening TCP socket.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

use zorb_transport::StreamOptions;
use zorb_transport::socket::{ListeningSocket, SocketStream, set_traffic};

use crate::stream::set_up;

/// A listening TCP socket with the options of its connections.
#[derive(Debug)]
pub(crate) struct ListeningTcp {
    pub(crate) listener: TcpListener,
    pub(crate) options: StreamOptions,
}

impl AsFd for ListeningTcp {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl ListeningSocket for ListeningTcp {
    type Connection = (TcpStream, SocketAddr);
    type Stream = SocketStream;

    fn accept(&self) -> io::Result<Self::Connection> {
        self.listener.accept()
    }

    fn set_up(&self, (socket, peer): Self::Connection) -> io::Result<SocketStream> {
        set_traffic(&socket, &self.options)?;
        set_up(socket, peer, &self.options)
    }
}
