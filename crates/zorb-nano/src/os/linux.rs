//! Linux, by its system calls.

use alloc::vec::Vec;
use core::net::SocketAddr;
use core::time::Duration;

use arrayvec::ArrayVec;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, sockopt};
use rustix::time::{ClockId, clock_gettime};

use super::{Interest, MAX_POLLED, Os, OsError, Socket};

/// Connections that wait to be accepted.
const BACKLOG: i32 = 16;

/// Linux: TCP over IPv4 and IPv6. It needs no C library.
#[derive(Debug)]
pub struct Linux {
    sockets: Vec<Option<OwnedFd>>,
}

impl Linux {
    /// The system, with a table for this number of listeners and connections.
    pub fn new(sockets: u16) -> Self {
        Self { sockets: core::iter::repeat_with(|| None).take(sockets.into()).collect() }
    }

    /// The number of the first free entry.
    fn free(&self) -> Result<Socket, OsError> {
        let free = self.sockets.iter().position(Option::is_none);
        free.and_then(|index| u16::try_from(index).ok()).map(Socket).ok_or(OsError::NoSocket)
    }

    fn put(&mut self, at: Socket, socket: OwnedFd) -> Socket {
        if let Some(entry) = self.sockets.get_mut(usize::from(at.0)) {
            *entry = Some(socket);
        }
        at
    }

    fn descriptor(&self, socket: Socket) -> Result<BorrowedFd<'_>, OsError> {
        let entry = self.sockets.get(usize::from(socket.0)).and_then(Option::as_ref);
        entry.map(AsFd::as_fd).ok_or_else(|| OsError::from(Errno::BADF))
    }
}

impl From<Errno> for OsError {
    fn from(error: Errno) -> Self {
        match error {
            Errno::WOULDBLOCK => Self::WouldBlock,
            other => Self::Other(other.raw_os_error()),
        }
    }
}

/// A socket of the family of `address` that does not block.
fn socket_for(address: SocketAddr) -> rustix::io::Result<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    rustix::net::socket_with(family, SocketType::STREAM, flags, None)
}

impl Os for Linux {
    fn now(&mut self) -> Duration {
        let time = clock_gettime(ClockId::Monotonic);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
    }

    fn connect(&mut self, address: SocketAddr) -> Result<Socket, OsError> {
        let at = self.free()?;
        let socket = socket_for(address)?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        match rustix::net::connect(&socket, &address) {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(self.put(at, socket)),
            Err(error) => Err(error.into()),
        }
    }

    fn listen(&mut self, address: SocketAddr) -> Result<Socket, OsError> {
        let at = self.free()?;
        let socket = socket_for(address)?;
        sockopt::set_socket_reuseaddr(&socket, true)?;
        rustix::net::bind(&socket, &address)?;
        rustix::net::listen(&socket, BACKLOG)?;
        Ok(self.put(at, socket))
    }

    fn address(&mut self, listener: Socket) -> Result<SocketAddr, OsError> {
        let address = rustix::net::getsockname(self.descriptor(listener)?)?;
        Ok(SocketAddr::try_from(address)?)
    }

    fn accept(&mut self, listener: Socket) -> Result<Socket, OsError> {
        let at = self.free()?;
        let descriptor = self.descriptor(listener)?;
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = retry_on_intr(|| rustix::net::accept_with(descriptor, flags))?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        Ok(self.put(at, socket))
    }

    fn read(&mut self, connection: Socket, space: &mut [u8]) -> Result<usize, OsError> {
        let descriptor = self.descriptor(connection)?;
        let read = retry_on_intr(|| {
            rustix::net::recv(descriptor, &mut *space, RecvFlags::empty()).map(|(count, _)| count)
        });
        Ok(read?)
    }

    fn write(&mut self, connection: Socket, octets: &[u8]) -> Result<usize, OsError> {
        let descriptor = self.descriptor(connection)?;
        let flags = SendFlags::NOSIGNAL;
        Ok(retry_on_intr(|| rustix::net::send(descriptor, octets, flags))?)
    }

    fn close(&mut self, socket: Socket) {
        if let Some(entry) = self.sockets.get_mut(usize::from(socket.0)) {
            *entry = None;
        }
    }

    fn poll(
        &mut self,
        interests: &mut [Interest],
        timeout: Option<Duration>,
    ) -> Result<(), OsError> {
        let mut polled = ArrayVec::<PollFd<'_>, MAX_POLLED>::new();
        for interest in &*interests {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, interest.read);
            flags.set(PollFlags::OUT, interest.write);
            let fd = PollFd::from_borrowed_fd(self.descriptor(interest.socket)?, flags);
            polled.try_push(fd).map_err(|_| OsError::NoSocket)?;
        }
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        match rustix::event::poll(&mut polled, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for (interest, polled) in interests.iter_mut().zip(&polled) {
            interest.is_ready = !polled.revents().is_empty();
        }
        Ok(())
    }
}
