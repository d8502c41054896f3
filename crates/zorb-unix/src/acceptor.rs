//! A listening Unix-domain socket.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use socket2::Socket;
use zorb_os::lock::Lock;
use zorb_os::poll::is_readable;
use zorb_os::process::is_out_of_descriptors;
use zorb_os::socket::peer_credentials;
use zorb_transport::socket::ListeningSocket;

use crate::file::SocketFile;
use crate::handover::{Handover, Names};

/// How often a client is tried that needs more descriptors than the process has: with the pauses of
/// [`Backoff`](zorb_transport::Backoff), for about three seconds.
const MAX_TRIES: u32 = 9;

/// A listening Unix-domain socket, its file, and the handler of its connections.
#[derive(Debug)]
pub(crate) struct ListeningUnix<H> {
    socket: Socket,
    /// `None` for an abstract name.
    file: Option<SocketFile>,
    /// The socket's name in messages.
    name: String,
    handover: H,
    /// Clients that have been accepted, but need more descriptors, at most one for each accepting thread. `None` when it is
    /// closed.
    unprepared: Lock<Option<Vec<Unprepared>>>,
}

/// A client that needs more descriptors than there were.
#[derive(Debug)]
struct Unprepared {
    socket: Socket,
    tries: u32,
}

impl<H> ListeningUnix<H> {
    pub(crate) fn new(socket: Socket, file: Option<SocketFile>, name: String, handover: H) -> Self {
        Self { socket, file, name, handover, unprepared: Lock::new(Some(Vec::new())) }
    }

    /// The next client: one that has been tried before, or a new one.
    fn next(&self) -> io::Result<Unprepared> {
        let waiting = self.unprepared.lock().as_mut().and_then(Vec::pop);
        match waiting {
            Some(waiting) => Ok(waiting),
            // Clients usually have no name, so the address is ignored.
            None => self.socket.accept().map(|(socket, _)| Unprepared { socket, tries: 0 }),
        }
    }
}

impl<H> AsFd for ListeningUnix<H> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl<H: Handover> ListeningSocket for ListeningUnix<H> {
    type Connection = (Socket, io::Result<H::Prepared>);
    type Stream = H::Stream;

    fn accept(&self) -> io::Result<Self::Connection> {
        let Unprepared { socket, tries } = self.next()?;
        match self.handover.prepare(&socket) {
            Err(error) if is_out_of_descriptors(&error) && tries < MAX_TRIES => {
                if let Some(unprepared) = &mut *self.unprepared.lock() {
                    unprepared.push(Unprepared { socket, tries: tries + 1 });
                }
                Err(error)
            }
            prepared => Ok((socket, prepared)),
        }
    }

    fn set_up(&self, (socket, prepared): Self::Connection) -> io::Result<H::Stream> {
        let prepared = prepared?;
        let peer = peer_credentials(socket.as_fd())?.to_string();
        self.handover.accepted(socket, prepared, Names { local: self.name.clone(), peer })
    }

    fn has_client(&self) -> bool {
        let tried = self.unprepared.lock().as_ref().is_some_and(|tried| !tried.is_empty());
        tried || is_readable(self.as_fd()).unwrap_or(true)
    }

    fn closed(&self) {
        if let Some(file) = &self.file {
            file.remove();
        }
        let tried = self.unprepared.lock().take();
        drop(tried);
        // Clients in the backlog are connected and would wait until the descriptor is closed. No
        // more can arrive, so the loop ends.
        while self.socket.accept().is_ok() {}
    }
}
