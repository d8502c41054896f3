//! A thread for each connection: a server of the small ORB that has no other one.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use zorb_nano::{Address, Interest, Os, OsError, Socket};
use zorb_os::clock::MonotonicTime;

const LISTENER: Socket = Socket(0);
const CONNECTION: Socket = Socket(1);

/// What a server needs of the system in a thread of a connection that has been accepted: it waits in
/// [`read`](Self::read), without a call of the system to wait for octets first.
pub(super) struct Connection {
    stream: Option<TcpStream>,
    is_accepted: bool,
}

impl Connection {
    /// `limit` is how long a client may not read.
    pub(super) fn new(stream: TcpStream, limit: Duration) -> std::io::Result<Self> {
        stream.set_write_timeout(Some(limit))?;
        Ok(Self { stream: Some(stream), is_accepted: false })
    }

    fn stream(&mut self, socket: Socket) -> Result<&mut TcpStream, OsError> {
        self.stream.as_mut().filter(|_| socket == CONNECTION).ok_or(OsError::NoSocket)
    }
}

fn failure(error: &std::io::Error) -> OsError {
    match error.kind() {
        ErrorKind::Interrupted => OsError::WouldBlock,
        _ => OsError::Other(error.raw_os_error().unwrap_or_default()),
    }
}

impl Os for Connection {
    fn now(&mut self) -> Duration {
        Duration::from_nanos(MonotonicTime::now().as_nanos())
    }

    fn connect(&mut self, _: Address) -> Result<Socket, OsError> {
        Err(OsError::NoSocket)
    }

    fn listen(&mut self, _: Address) -> Result<Socket, OsError> {
        Ok(LISTENER)
    }

    fn port(&mut self, _: Socket) -> Result<u16, OsError> {
        Ok(0)
    }

    fn accept(&mut self, _: Socket) -> Result<Socket, OsError> {
        match std::mem::replace(&mut self.is_accepted, true) {
            false => Ok(CONNECTION),
            true => Err(OsError::WouldBlock),
        }
    }

    fn read(&mut self, connection: Socket, space: &mut [u8]) -> Result<usize, OsError> {
        self.stream(connection)?.read(space).map_err(|error| failure(&error))
    }

    fn write(&mut self, connection: Socket, octets: &[u8]) -> Result<usize, OsError> {
        self.stream(connection)?.write(octets).map_err(|error| failure(&error))
    }

    fn close(&mut self, socket: Socket) {
        if socket == CONNECTION {
            self.stream = None;
        }
    }

    /// Does not wait. Fails once the connection is closed, which ends the server.
    fn poll(&mut self, interests: &mut [Interest], _: Option<Duration>) -> Result<(), OsError> {
        let ready = if self.is_accepted { CONNECTION } else { LISTENER };
        self.stream(CONNECTION)?;
        for interest in interests {
            interest.is_ready = interest.socket == ready;
        }
        Ok(())
    }
}
