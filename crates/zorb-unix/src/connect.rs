//! Connecting.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use socket2::Socket;
use zorb_os::clock::MonotonicTime;
use zorb_os::socket::peer_credentials;
use zorb_transport::socket::set_buffers;
use zorb_transport::{ConnectError, ConnectOptions, ConnectPhase, Endpoint};

use crate::handover::Names;
use crate::name::{SocketName, next_number};

/// The prefix of clients' socket names.
pub(crate) const NAMES: &str = "zorb-client-";

/// The maximum number of generated names that are tried.
const MAX_TRIES: usize = 1000;

/// The minimum timeout of a socket: it counts microseconds, and 0 means none.
const SHORTEST: Duration = Duration::from_micros(1);

/// Connects a socket of `new`.
pub(crate) fn connect(
    scheme: &str,
    endpoint: &Endpoint,
    options: &ConnectOptions,
    new: impl FnOnce() -> io::Result<Socket>,
) -> Result<(Socket, Names), ConnectError> {
    let bad_address = |reason: &str| {
        let error = io::Error::new(io::ErrorKind::InvalidInput, reason);
        ConnectError::single(endpoint, ConnectPhase::Address, error)
    };
    if endpoint.scheme() != scheme {
        return Err(bad_address(&format!("this transport's scheme is {scheme}")));
    }
    let name =
        SocketName::parse(endpoint.address()).map_err(|error| bad_address(error.reason()))?;
    let failed = |error| with_hint(ConnectError::single(endpoint, ConnectPhase::Connect, error));
    new().and_then(|socket| connect_to(socket, &name, options)).map_err(failed)
}

fn connect_to(
    socket: Socket,
    name: &SocketName,
    options: &ConnectOptions,
) -> io::Result<(Socket, Names)> {
    set_buffers(&socket, &options.stream)?;
    let address = name.to_address()?;
    let deadline = options.timeout.map(|timeout| MonotonicTime::now() + timeout);
    loop {
        // Connecting waits only for room in the server's backlog, which the send timeout limits.
        if let Some(deadline) = deadline {
            socket.set_write_timeout(Some(deadline.time_left().max(SHORTEST)))?;
        }
        match socket.connect(&address) {
            Ok(()) => break,
            // Nothing was changed, so it can be repeated.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(map_kind(error)),
        }
    }
    if deadline.is_some() {
        socket.set_write_timeout(None)?;
    }
    let server = peer_credentials(socket.as_fd())?;
    let local = format!("pid {}", std::process::id());
    Ok((socket, Names { local, peer: format!("{name} ({server})") }))
}

/// Binds a socket to an abstract name that ends in `word`.
pub(crate) fn bind_unique_name(socket: &Socket, word: &str) -> io::Result<()> {
    let mut tries = 1;
    loop {
        let name = format!("{NAMES}{}-{}-{word}", std::process::id(), next_number());
        match socket.bind(&SocketName::Abstract(name).to_address()?) {
            // The name of a process in another PID namespace.
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && tries < MAX_TRIES => {
                tries += 1;
            }
            done => return done,
        }
    }
}

/// Maps errors to the kinds that TCP uses.
fn map_kind(error: io::Error) -> io::Error {
    let (kind, what) = match error.kind() {
        io::ErrorKind::WouldBlock => {
            (io::ErrorKind::TimedOut, "the server accepts no connections, and its backlog is full")
        }
        // The server has closed it or never existed.
        io::ErrorKind::NotFound => (io::ErrorKind::ConnectionRefused, "there is no such socket"),
        _ => return error,
    };
    io::Error::new(kind, what)
}

fn with_hint(error: ConnectError) -> ConnectError {
    let hint = match error.kind() {
        io::ErrorKind::ConnectionRefused => "is the server running on this machine?",
        io::ErrorKind::TimedOut => "is the server blocked, or does it have too few threads?",
        io::ErrorKind::PermissionDenied => {
            "a server lets in its own user alone unless it listens with another mode, as in \
             /path?mode=0660"
        }
        _ => return error,
    };
    error.with_hint(hint)
}
