//! A listening Unix-domain socket.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use socket2::Socket;
use zorb_os::socket::peer_credentials;
use zorb_transport::StreamOptions;
use zorb_transport::socket::{ListeningSocket, SocketStream, set_buffers};

use crate::file::SocketFile;

/// A listening Unix-domain socket, its file, and how its connections are set up.
#[derive(Debug)]
pub(crate) struct ListeningUnix {
    pub(crate) socket: Socket,
    /// `None` for an abstract name.
    pub(crate) file: Option<SocketFile>,
    /// What the socket is called in messages.
    pub(crate) name: String,
    pub(crate) options: StreamOptions,
}

impl AsFd for ListeningUnix {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl ListeningSocket for ListeningUnix {
    type Connection = Socket;

    fn accept(&self) -> io::Result<Socket> {
        // Clients mostly have no name, so the address is of no interest.
        self.socket.accept().map(|(connection, _)| connection)
    }

    fn set_up(&self, connection: Socket) -> io::Result<SocketStream> {
        // Unlike TCP's, these sockets inherit nothing from the one that listens.
        set_buffers(&connection, &self.options)?;
        let client = peer_credentials(connection.as_fd())?;
        Ok(SocketStream::new(connection, self.name.clone(), client.to_string()))
    }

    fn closed(&self) {
        if let Some(file) = &self.file {
            file.remove();
        }
        // Clients in the backlog count as connected and would wait until the descriptor is
        // closed. There are no more to come, so this ends when the last is gone.
        while self.socket.accept().is_ok() {}
    }
}
