//! A listening socket as an acceptor.

use std::fmt;
use std::io;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use socket2::{SockFilter, SockRef};
use zorb_os::poll::is_readable;

use super::backlog;
use crate::{AcceptError, Acceptor, Backoff, Endpoint, ListenOptions, Stream, log_limited};

/// The maximum number of failed connections that one `accept` skips before the caller pauses, so
/// that a flood of them does not occupy a thread.
const MAX_SKIPPED: usize = 1000;

/// A packet filter of a listening TCP socket, which sees segments from their TCP headers on: drops those with the flag SYN,
/// so that no handshake begins. Those that have begun end.
const DROP_SYN: [SockFilter; 4] = [
    SockFilter::new((libc::BPF_LD | libc::BPF_B | libc::BPF_ABS) as u16, 0, 0, FLAGS_AT),
    SockFilter::new((libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16, 0, 1, SYN),
    SockFilter::new((libc::BPF_RET | libc::BPF_K) as u16, 0, 0, 0),
    SockFilter::new((libc::BPF_RET | libc::BPF_K) as u16, 0, 0, u32::MAX),
];

/// The octet of the flags in a TCP header.
const FLAGS_AT: u32 = 13;
/// The flag of segments that begin a handshake.
const SYN: u32 = 2;

/// A blocking listening socket: the transport's own part of accepting.
pub trait ListeningSocket: AsFd + Send + Sync + fmt::Debug {
    /// A connection as returned by the system: the socket and usually the peer's address.
    type Connection;

    /// The stream of a connection, usually a [`SocketStream`](super::SocketStream).
    type Stream: Stream + 'static;

    /// The next connection, usually by one `accept` system call.
    ///
    /// # Errors
    /// The system call fails.
    fn accept(&self) -> io::Result<Self::Connection>;

    /// Creates a stream of a connection.
    ///
    /// # Errors
    /// The system call fails; the connection is dropped. If the system is short of descriptors or
    /// memory, the acceptor [says so](AcceptError::Busy); otherwise it accepts the next one.
    fn set_up(&self, connection: Self::Connection) -> io::Result<Self::Stream>;

    /// Whether a client waits to be accepted. Default: the socket is readable.
    fn has_client(&self) -> bool {
        is_readable(self.as_fd()).unwrap_or(true)
    }

    /// Called once, after the socket was shut down: `accept` does not wait anymore, and clients are
    /// refused. Default: does nothing.
    fn closed(&self) {}
}

/// A [`ListeningSocket`] as an [`Acceptor`]: skips failed connections, backs off when the system is
/// short of resources, and wakes all waiting threads on close.
#[derive(Debug)]
pub struct SocketAcceptor<L> {
    socket: L,
    endpoint: Endpoint,
    published: Vec<Endpoint>,
    /// The length of the backlog, if the socket is only bound.
    bound: Option<i32>,
    /// Whether no thread waits for connections any more.
    closing: AtomicBool,
    closed: AtomicBool,
    backoff: Backoff,
}

impl<L: ListeningSocket> SocketAcceptor<L> {
    /// An acceptor on `socket`, which is bound to `endpoint`; references contain `published`.
    pub fn new(socket: L, endpoint: Endpoint, published: Vec<Endpoint>) -> Self {
        Self {
            socket,
            endpoint,
            published,
            bound: None,
            closing: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            backoff: Backoff::default(),
        }
    }

    /// The same on a socket that [`listen`](super::listen) has left bound with these options.
    #[must_use]
    pub fn with_options(self, options: &ListenOptions) -> Self {
        Self { bound: options.bind_only.then(|| backlog(options)), ..self }
    }

    /// On Linux this wakes all current and later `accept` calls and refuses clients; closing the descriptor would not
    /// wake them. It fails only the second time, and on a socket that does not listen.
    fn shut_down(&self) {
        let _done_before = SockRef::from(&self.socket).shutdown(Shutdown::Both);
    }

    #[cold]
    fn log_failure(&self, error: &io::Error) {
        let endpoint = &self.endpoint;
        log_limited!(warn, %error, %endpoint, "an accepted connection was not set up");
    }

    fn busy(&self, source: io::Error, has_client: bool) -> AcceptError {
        AcceptError::Busy { retry_after: self.backoff.next_wait(), source, has_client }
    }
}

impl<L: ListeningSocket> Acceptor for SocketAcceptor<L> {
    fn listen(&self) -> io::Result<()> {
        let Some(backlog) = self.bound else { return Ok(()) };
        SockRef::from(&self.socket).listen(backlog)?;
        if self.closed.load(Ordering::SeqCst) {
            // `close` may have come too early to have an effect on the socket.
            self.shut_down();
        }
        Ok(())
    }

    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        for _ in 0..MAX_SKIPPED {
            let error = match self.socket.accept() {
                // Also if the acceptor has been closed meanwhile: dropped here, the client would see a reset.
                Ok(connection) => match self.socket.set_up(connection) {
                    Ok(stream) => {
                        self.backoff.reset();
                        return Ok(Arc::new(stream));
                    }
                    Err(error) if Reaction::to(&error) == Reaction::Pause => {
                        return Err(self.busy(error, true));
                    }
                    // Usually the peer has disconnected.
                    Err(error) => {
                        self.log_failure(&error);
                        continue;
                    }
                },
                Err(error) => error,
            };
            if self.closed.load(Ordering::Acquire) {
                return Err(AcceptError::Closed);
            }
            match Reaction::to(&error) {
                Reaction::Fail if self.closing.load(Ordering::Acquire) => {
                    return Err(AcceptError::Closed);
                }
                Reaction::Skip => {}
                Reaction::Pause => {
                    return Err(self.busy(error, self.socket.has_client()));
                }
                Reaction::Fail => return Err(AcceptError::Failed(error)),
            }
        }
        Err(self.busy(io::ErrorKind::ConnectionAborted.into(), true))
    }

    fn close_backlog(&self) {
        let socket = SockRef::from(&self.socket);
        if socket.domain().is_ok_and(super::is_of_a_network) {
            // Without it, clients that connect just before the end are reset.
            if let Err(error) = socket.attach_filter(&DROP_SYN) {
                tracing::debug!(%error, endpoint = %self.endpoint, "cannot close the backlog");
            }
        }
    }

    fn accept_waiting(&self) -> Option<Arc<dyn Stream>> {
        // Whoever waits for a connection now waits on.
        if !self.closing.swap(true, Ordering::AcqRel) {
            SockRef::from(&self.socket).set_nonblocking(true).ok()?;
        }
        for _ in 0..MAX_SKIPPED {
            match self.socket.accept() {
                Ok(connection) => match self.socket.set_up(connection) {
                    Ok(stream) => return Some(Arc::new(stream)),
                    Err(error) => self.log_failure(&error),
                },
                Err(error) if Reaction::to(&error) == Reaction::Skip => {}
                Err(_) => return None,
            }
        }
        None
    }

    fn close(&self) {
        if !self.closed.swap(true, Ordering::SeqCst) {
            self.shut_down();
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

/// The reaction to an error of `accept`.
#[derive(Debug, PartialEq, Eq)]
enum Reaction {
    /// The connection has failed; accept the next.
    Skip,
    /// Short of resources; pause.
    Pause,
    /// The socket has failed.
    Fail,
}

impl Reaction {
    fn to(error: &io::Error) -> Self {
        match error.raw_os_error() {
            // Linux reports pending errors of the new connection in `accept`, see accept(2).
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
    use std::io::Read;
    use std::os::fd::BorrowedFd;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::sync::{OnceLock, Weak};

    use super::*;
    use crate::socket::SocketStream;

    /// A socket whose acceptor is closed while it accepts a connection.
    #[derive(Debug)]
    struct ClosedMeanwhile {
        socket: UnixListener,
        acceptor: OnceLock<Weak<SocketAcceptor<Self>>>,
    }

    impl AsFd for ClosedMeanwhile {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.socket.as_fd()
        }
    }

    impl ListeningSocket for ClosedMeanwhile {
        type Connection = UnixStream;
        type Stream = SocketStream;

        fn accept(&self) -> io::Result<UnixStream> {
            let accepted = self.socket.accept();
            self.acceptor.get().unwrap().upgrade().unwrap().close();
            accepted.map(|(connection, _)| connection)
        }

        fn set_up(&self, connection: UnixStream) -> io::Result<SocketStream> {
            Ok(SocketStream::new(connection, String::new(), String::new()))
        }
    }

    #[test]
    fn a_connection_that_was_accepted_before_the_close_is_not_lost() {
        let name = format!("zorb-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(name).unwrap();
        let socket = UnixListener::bind_addr(&address).unwrap();
        let endpoint = Endpoint::new("test", "here").unwrap();
        let socket = ClosedMeanwhile { socket, acceptor: OnceLock::new() };
        let acceptor = Arc::new(SocketAcceptor::new(socket, endpoint, Vec::new()));
        acceptor.socket.acceptor.set(Arc::downgrade(&acceptor)).unwrap();
        let client = UnixStream::connect_addr(&address).unwrap();
        let server = acceptor.accept().unwrap();
        assert_eq!(server.try_send(b"end").unwrap(), 3);
        let mut received = [0; 3];
        (&client).read_exact(&mut received).unwrap();
        assert_eq!(&received, b"end");
        assert!(matches!(acceptor.accept(), Err(AcceptError::Closed)));
    }

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
