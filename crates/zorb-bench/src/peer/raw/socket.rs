//! Blocking streams: sockets of either family, or rings in shared memory.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use socket2::{Domain, SockAddr, Socket, Type};
use zorb_os::socket::recv_now;

use super::shared::{self, Shared};

/// Backlog of connections to accept.
const BACKLOG: i32 = 1024;

/// A connected stream, and its maximum busy-wait.
#[derive(Debug)]
pub(super) struct Stream {
    socket: Connected,
    busy_wait: Duration,
}

#[derive(Debug)]
enum Connected {
    Tcp(TcpStream),
    Unix(UnixStream),
    Shared(Shared),
}

/// A listening socket.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
    /// The socket over which rings are passed, and their size.
    Shared(UnixListener, Option<usize>),
}

impl Stream {
    /// Connects to the address of a listener of `transport`.
    pub(super) fn connect(
        transport: &str,
        to: &str,
        queue: Option<usize>,
        busy_wait: Duration,
    ) -> io::Result<Self> {
        if transport == "shmiop" {
            return Ok(Self { socket: Connected::Shared(Shared::connect(to)?), busy_wait });
        }
        if transport == "uiop" {
            let socket = sized(Domain::UNIX, queue)?;
            socket.connect(&SockAddr::unix(to)?)?;
            return Ok(Self { socket: Connected::Unix(socket.into()), busy_wait });
        }
        let to: SocketAddr = to.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
        let socket = sized(Domain::for_address(to), queue)?;
        socket.connect(&to.into())?;
        let stream = TcpStream::from(socket);
        stream.set_nodelay(true)?;
        Ok(Self { socket: Connected::Tcp(stream), busy_wait })
    }

    /// Busy-waits for octets; `None` after the maximum busy-wait.
    fn look(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let socket = match &self.socket {
            Connected::Tcp(stream) => stream.as_fd(),
            Connected::Unix(stream) => stream.as_fd(),
            Connected::Shared(rings) => return rings.read(buffer, self.busy_wait).map(Some),
        };
        let started = Instant::now();
        loop {
            let received = recv_now(socket, buffer)?;
            if received.is_some() || started.elapsed() >= self.busy_wait {
                return Ok(received);
            }
            std::hint::spin_loop();
        }
    }
}

impl Listener {
    /// Listens on any free port, or at `path`.
    pub(super) fn bind(
        transport: &str,
        path: Option<&Path>,
        queue: Option<usize>,
    ) -> io::Result<Self> {
        if transport == "shmiop" {
            return Ok(Self::Shared(shared::bind(path)?, queue));
        }
        if transport == "uiop" {
            let path = path.ok_or_else(|| io::Error::other("uiop needs --path"))?;
            let socket = sized(Domain::UNIX, queue)?;
            socket.bind(&SockAddr::unix(path)?)?;
            socket.listen(BACKLOG)?;
            return Ok(Self::Unix(socket.into()));
        }
        let socket = sized(Domain::IPV4, queue)?;
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        socket.listen(BACKLOG)?;
        Ok(Self::Tcp(socket.into()))
    }

    /// The address for clients.
    pub(super) fn address(&self) -> io::Result<String> {
        match self {
            Self::Tcp(listener) => Ok(listener.local_addr()?.to_string()),
            Self::Unix(listener) | Self::Shared(listener, _) => {
                let address = listener.local_addr()?;
                let path = address.as_pathname().and_then(Path::to_str);
                path.map(str::to_owned).ok_or_else(|| io::Error::other("the path is not text"))
            }
        }
    }

    /// The next connection.
    pub(super) fn accept(&self, busy_wait: Duration) -> io::Result<Stream> {
        let socket = match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                Connected::Tcp(stream)
            }
            Self::Unix(listener) => Connected::Unix(listener.accept()?.0),
            Self::Shared(listener, size) => Connected::Shared(Shared::accept(listener, *size)?),
        };
        Ok(Stream { socket, busy_wait })
    }
}

fn sized(domain: Domain, queue: Option<usize>) -> io::Result<Socket> {
    let socket = Socket::new(domain, Type::STREAM, None)?;
    if let Some(octets) = queue {
        socket.set_send_buffer_size(octets)?;
        socket.set_recv_buffer_size(octets)?;
    }
    Ok(socket)
}

impl Read for &Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.busy_wait.is_zero()
            && let Some(count) = self.look(buffer)?
        {
            return Ok(count);
        }
        match &self.socket {
            Connected::Tcp(stream) => (&*stream).read(buffer),
            Connected::Unix(stream) => (&*stream).read(buffer),
            Connected::Shared(rings) => rings.read(buffer, self.busy_wait),
        }
    }
}

impl Write for &Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match &self.socket {
            Connected::Tcp(stream) => (&*stream).write(buffer),
            Connected::Unix(stream) => (&*stream).write(buffer),
            Connected::Shared(rings) => rings.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
