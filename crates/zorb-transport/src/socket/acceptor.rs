//! A listening socket as an acceptor.

use std::fmt;
use std::io;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use socket2::SockRef;

use crate::{AcceptError, Acceptor, Backoff, Endpoint, Stream};

/// How many connections that died in the backlog one `accept` skips before it has its caller
/// pause: a flood of them must not keep a thread spinning.
const MAX_SKIPPED: usize = 1000;

/// A blocking socket that listens: what is a transport's own about accepting.
pub trait ListeningSocket: AsFd + Send + Sync + fmt::Debug {
    /// A connection as the system hands it over: the socket and, mostly, the peer's address.
    type Connection;

    /// What is made of it: mostly a [`SocketStream`](super::SocketStream).
    type Stream: Stream + 'static;

    /// One `accept` of the system.
    ///
    /// # Errors
    /// What the system says.
    fn accept(&self) -> io::Result<Self::Connection>;

    /// Makes a stream of a connection.
    ///
    /// # Errors
    /// What the system says; the connection is dropped and the next one taken.
    fn set_up(&self, connection: Self::Connection) -> io::Result<Self::Stream>;

    /// Called once, after the socket was closed by being shut down: `accept` waits no more, and
    /// clients are refused. Default: does nothing.
    fn closed(&self) {}
}

/// A [`ListeningSocket`] as an [`Acceptor`]: skips connections that are lost, backs off when the
/// system is short of resources, and wakes all waiting threads when it is closed.
#[derive(Debug)]
pub struct SocketAcceptor<L> {
    socket: L,
    endpoint: Endpoint,
    published: [Endpoint; 1],
    closed: AtomicBool,
    backoff: Backoff,
}

impl<L: ListeningSocket> SocketAcceptor<L> {
    /// An acceptor on `socket`, which is bound to `endpoint` and goes into references as
    /// `published`.
    pub fn new(socket: L, endpoint: Endpoint, published: Endpoint) -> Self {
        Self {
            socket,
            endpoint,
            published: [published],
            closed: AtomicBool::new(false),
            backoff: Backoff::default(),
        }
    }

    fn busy(&self, source: io::Error) -> AcceptError {
        AcceptError::Busy { retry_after: self.backoff.next_wait(), source }
    }
}

impl<L: ListeningSocket> Acceptor for SocketAcceptor<L> {
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        for _ in 0..MAX_SKIPPED {
            let accepted = self.socket.accept();
            if self.closed.load(Ordering::Acquire) {
                return Err(AcceptError::Closed);
            }
            let error = match accepted {
                // Setting up fails only when the peer is gone by now: the next, then.
                Ok(connection) => match self.socket.set_up(connection) {
                    Ok(stream) => {
                        self.backoff.reset();
                        return Ok(Arc::new(stream));
                    }
                    Err(_) => continue,
                },
                Err(error) => error,
            };
            match Reaction::to(&error) {
                Reaction::Skip => {}
                Reaction::Pause => return Err(self.busy(error)),
                Reaction::Fail => return Err(AcceptError::Failed(error)),
            }
        }
        Err(self.busy(io::ErrorKind::ConnectionAborted.into()))
    }

    fn close(&self) {
        if !self.closed.swap(true, Ordering::AcqRel) {
            // On Linux this wakes every thread in `accept`, now and later, and refuses clients,
            // which dropping the descriptor under those threads would not do. It fails only
            // when it was done before.
            let _done_before = SockRef::from(&self.socket).shutdown(Shutdown::Both);
            self.socket.closed();
        }
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn published(&self) -> &[Endpoint] {
        &self.published
    }
}

/// What an error of the system's `accept` calls for.
#[derive(Debug, PartialEq, Eq)]
enum Reaction {
    /// That connection is lost; take the next.
    Skip,
    /// A resource is short; pause.
    Pause,
    /// The socket is of no use any more.
    Fail,
}

impl Reaction {
    fn to(error: &io::Error) -> Self {
        match error.raw_os_error() {
            // Linux hands errors that wait on the new connection to `accept`, see accept(2).
            Some(
                libc::EINTR
                | libc::ECONNABORTED
                | libc::ECONNRESET
                | libc::EPROTO
                | libc::ENOPROTOOPT
                | libc::ENETDOWN
                | libc::ENETUNREACH
                | libc::EHOSTDOWN
                | libc::EHOSTUNREACH
                | libc::ENONET
                | libc::ETIMEDOUT
                | libc::EPERM,
            ) => Self::Skip,
            Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM) => Self::Pause,
            _ => Self::Fail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_accept_call_for_the_right_thing() {
        let reaction = |code| Reaction::to(&io::Error::from_raw_os_error(code));
        for lost in [libc::ECONNABORTED, libc::EPROTO, libc::EHOSTUNREACH, libc::EPERM] {
            assert_eq!(reaction(lost), Reaction::Skip, "{lost}");
        }
        for short in [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOMEM] {
            assert_eq!(reaction(short), Reaction::Pause, "{short}");
        }
        for over in [libc::EBADF, libc::EINVAL, libc::ENOTSOCK] {
            assert_eq!(reaction(over), Reaction::Fail, "{over}");
        }
    }
}
