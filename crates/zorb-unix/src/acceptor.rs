//! A listening Unix-domain socket.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use socket2::Socket;
use zorb_os::socket::peer_credentials;
use zorb_transport::socket::ListeningSocket;

use crate::file::SocketFile;
use crate::handover::{Handover, Names};

/// A listening Unix-domain socket, its file, and the handler of its connections.
#[derive(Debug)]
pub(crate) struct ListeningUnix<H> {
    pub(crate) socket: Socket,
    /// `None` for an abstract name.
    pub(crate) file: Option<SocketFile>,
    /// The socket's name in messages.
    pub(crate) name: String,
    pub(crate) handover: H,
}

impl<H> AsFd for ListeningUnix<H> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl<H: Handover> ListeningSocket for ListeningUnix<H> {
    type Connection = Socket;
    type Stream = H::Stream;

    fn accept(&self) -> io::Result<Socket> {
        // Clients usually have no name, so the address is ignored.
        self.socket.accept().map(|(connection, _)| connection)
    }

    fn set_up(&self, connection: Socket) -> io::Result<H::Stream> {
        let peer = peer_credentials(connection.as_fd())?.to_string();
        self.handover.accepted(connection, Names { local: self.name.clone(), peer })
    }

    fn closed(&self) {
        if let Some(file) = &self.file {
            file.remove();
        }
        // Clients in the backlog are connected and would wait until the descriptor is closed. No
        // more can arrive, so the loop ends.
        while self.socket.accept().is_ok() {}
    }
}
