//! Linux, by its system calls.

use alloc::vec::Vec;
use core::net::SocketAddr;
use core::time::Duration;

use arrayvec::ArrayVec;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, sockopt};
use rustix::time::{ClockId, DynamicClockId, clock_gettime_dynamic};

use self::descriptor::borrowed;
use super::{Interest, MAX_POLLED, Os, OsError, Socket};
use crate::{Address, room};

/// Connections that wait to be accepted.
const BACKLOG: i32 = 16;

/// Linux: TCP and UDP over IPv4 and IPv6, and Unix-domain sockets. It needs no C library.
///
/// The file of a Unix-domain socket is accessible to its owner only. It remains when the server ends; the next server
/// replaces it unless another process listens there.
#[derive(Debug)]
pub struct Linux {
    sockets: Vec<Option<Entry>>,
    priority: Option<i16>,
}

/// An open socket.
#[derive(Debug)]
struct Entry {
    descriptor: OwnedFd,
    /// How long receiving waits where it may: the system's option. Zero as long as the socket does not block at all.
    wait: Duration,
}

impl Linux {
    /// The system, with a table for this number of listeners and connections. The table stays empty if the number is 0 or
    /// there is no memory for it: then a [`Server`](crate::Server) cannot be made (`INITIALIZE`), and a
    /// [`Client`](crate::Client) cannot connect (`TRANSIENT`).
    pub fn new(sockets: u16) -> Self {
        let (mut table, sockets) = (Vec::new(), usize::from(sockets));
        if table.try_reserve_exact(sockets).is_ok() {
            (0..sockets).all(|_| room::push(&mut table, None));
        }
        Self { sockets: table, priority: None }
    }

    /// Sets the RT-CORBA priority of the calling thread. It does not change how Linux schedules the thread.
    pub fn set_priority(&mut self, priority: Option<i16>) {
        self.priority = priority;
    }

    /// The number of the first free entry.
    fn free(&self) -> Result<Socket, OsError> {
        let free = self.sockets.iter().position(Option::is_none);
        free.and_then(|index| u16::try_from(index).ok()).map(Socket).ok_or(OsError::NoSocket)
    }

    fn put(&mut self, at: Socket, socket: OwnedFd) -> Socket {
        if let Some(entry) = self.sockets.get_mut(usize::from(at.0)) {
            *entry = Some(Entry { descriptor: socket, wait: Duration::ZERO });
        }
        at
    }

    fn descriptor(&self, socket: Socket) -> Result<BorrowedFd<'_>, OsError> {
        let entry = self.sockets.get(usize::from(socket.0)).and_then(Option::as_ref);
        Ok(borrowed(&entry.ok_or(Errno::BADF)?.descriptor)?)
    }
}

impl Entry {
    /// Lets receiving wait, at most for `timeout`. To send, accept and otherwise receive, the socket still does not block.
    #[cold]
    fn set_wait(&mut self, timeout: Duration) -> rustix::io::Result<()> {
        let descriptor = borrowed(&self.descriptor)?;
        rustix::io::ioctl_fionbio(descriptor, false)?;
        sockopt::set_socket_timeout(descriptor, sockopt::Timeout::Recv, Some(timeout))?;
        self.wait = timeout;
        Ok(())
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

mod descriptor {
    use rustix::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
    use rustix::io::Errno;

    /// The descriptor, which is never -1. The check spares the image the panic of the borrowing for that.
    pub(super) fn borrowed(socket: &OwnedFd) -> rustix::io::Result<BorrowedFd<'_>> {
        if socket.as_raw_fd() == -1 { Err(Errno::BADF) } else { Ok(socket.as_fd()) }
    }
}

/// A socket of the family of `address` that does not block.
fn ip_socket(address: SocketAddr, kind: SocketType) -> rustix::io::Result<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    rustix::net::socket_with(family, kind, flags, None)
}

fn tcp_socket(address: SocketAddr) -> rustix::io::Result<OwnedFd> {
    let socket = ip_socket(address, SocketType::STREAM)?;
    // Accepted connections inherit it.
    sockopt::set_tcp_nodelay(borrowed(&socket)?, true)?;
    Ok(socket)
}

#[cfg(feature = "unix")]
mod unix {
    use core::ffi::CStr;

    use rustix::fd::OwnedFd;
    use rustix::fs::{FileType, Mode};
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

    use super::descriptor::borrowed;
    use crate::SocketName;

    /// The room for an abstract name in `sockaddr_un`, without the NUL before it.
    const MAX_ABSTRACT: usize = 107;

    pub(super) fn socket() -> rustix::io::Result<OwnedFd> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
    }

    pub(super) fn address(name: &SocketName) -> rustix::io::Result<SocketAddrUnix> {
        // By the first check the compiler knows that an abstract name fits, and removes those that would panic.
        match name.with_nul().ok_or(Errno::INVAL)? {
            [b'@', name @ .., _] if name.len() <= MAX_ABSTRACT => {
                SocketAddrUnix::new_abstract_name(name)
            }
            [b'@', ..] => Err(Errno::NAMETOOLONG),
            path => {
                let path = CStr::from_bytes_with_nul(path).map_err(|_| Errno::INVAL)?;
                SocketAddrUnix::new(path)
            }
        }
    }

    /// Binds a socket, whose file only its owner can connect to. A socket that nobody listens at is replaced.
    pub(super) fn bind(name: &SocketName) -> rustix::io::Result<OwnedFd> {
        let (socket, address) = (socket()?, address(name)?);
        rustix::fs::fchmod(borrowed(&socket)?, Mode::RUSR | Mode::WUSR)?;
        match rustix::net::bind(borrowed(&socket)?, &address) {
            Err(Errno::ADDRINUSE) if is_left_over(name, &address)? => {
                rustix::fs::unlink(name.as_octets())?;
                rustix::net::bind(borrowed(&socket)?, &address)?;
            }
            other => other?,
        }
        Ok(socket)
    }

    /// Whether the file is a socket at which nobody listens.
    fn is_left_over(name: &SocketName, address: &SocketAddrUnix) -> rustix::io::Result<bool> {
        if name.is_abstract() {
            return Ok(false);
        }
        let kind = FileType::from_raw_mode(rustix::fs::lstat(name.as_octets())?.st_mode);
        if kind != FileType::Socket {
            return Ok(false);
        }
        let socket = socket()?;
        Ok(rustix::net::connect(borrowed(&socket)?, address) == Err(Errno::CONNREFUSED))
    }
}

impl Os for Linux {
    fn now(&mut self) -> Duration {
        // This clock never fails; `clock_gettime` would panic if it did.
        let time = clock_gettime_dynamic(DynamicClockId::Known(ClockId::Monotonic));
        let Ok(time) = time else { return Duration::ZERO };
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or_default();
        // The sum of two `Duration`s could panic.
        Duration::from_nanos(seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds))
    }

    fn priority(&mut self) -> Option<i16> {
        self.priority
    }

    fn connect(&mut self, address: Address) -> Result<Socket, OsError> {
        let at = self.free()?;
        let (socket, begun) = match address {
            Address::Tcp(address) => {
                let socket = tcp_socket(address)?;
                let begun = rustix::net::connect(borrowed(&socket)?, &address);
                (socket, begun)
            }
            #[cfg(feature = "unix")]
            Address::Unix(name) => {
                let socket = unix::socket()?;
                let begun = rustix::net::connect(borrowed(&socket)?, &unix::address(&name)?);
                (socket, begun)
            }
            #[cfg(feature = "udp")]
            Address::Udp(address) => {
                let socket = ip_socket(address, SocketType::DGRAM)?;
                let begun = rustix::net::connect(borrowed(&socket)?, &address);
                (socket, begun)
            }
        };
        match begun {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(self.put(at, socket)),
            // The queue of a Unix-domain socket is full, and nothing says when it is not.
            Err(Errno::WOULDBLOCK) => Err(OsError::from(Errno::CONNREFUSED)),
            Err(error) => Err(error.into()),
        }
    }

    fn listen(&mut self, address: Address) -> Result<Socket, OsError> {
        let at = self.free()?;
        let socket = match address {
            Address::Tcp(address) => {
                let socket = tcp_socket(address)?;
                sockopt::set_socket_reuseaddr(borrowed(&socket)?, true)?;
                rustix::net::bind(borrowed(&socket)?, &address)?;
                socket
            }
            #[cfg(feature = "unix")]
            Address::Unix(name) => unix::bind(&name)?,
            #[cfg(feature = "udp")]
            Address::Udp(address) => {
                let socket = ip_socket(address, SocketType::DGRAM)?;
                rustix::net::bind(borrowed(&socket)?, &address)?;
                return Ok(self.put(at, socket));
            }
        };
        rustix::net::listen(borrowed(&socket)?, BACKLOG)?;
        Ok(self.put(at, socket))
    }

    fn port(&mut self, listener: Socket) -> Result<u16, OsError> {
        let address = rustix::net::getsockname(self.descriptor(listener)?)?;
        // The conversion of a shorter one would panic.
        let size = if address.address_family() == AddressFamily::INET { 16 } else { 28 };
        if address.addr_len() < size {
            return Err(Errno::INVAL.into());
        }
        Ok(SocketAddr::try_from(address)?.port())
    }

    fn accept(&mut self, listener: Socket) -> Result<Socket, OsError> {
        let at = self.free()?;
        let descriptor = self.descriptor(listener)?;
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = retry_on_intr(|| rustix::net::accept_with(descriptor, flags))?;
        Ok(self.put(at, socket))
    }

    fn read(&mut self, connection: Socket, space: &mut [u8]) -> Result<usize, OsError> {
        let descriptor = self.descriptor(connection)?;
        let read = retry_on_intr(|| {
            rustix::net::recv(descriptor, &mut *space, RecvFlags::DONTWAIT).map(|(count, _)| count)
        });
        Ok(read?)
    }

    fn read_within(
        &mut self,
        connection: Socket,
        space: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, OsError> {
        if timeout.is_zero() {
            return self.read(connection, space);
        }
        let entry = self.sockets.get_mut(usize::from(connection.0)).and_then(Option::as_mut);
        let entry = entry.ok_or(Errno::BADF)?;
        if entry.wait != timeout {
            entry.set_wait(timeout)?;
        }
        match rustix::net::recv(borrowed(&entry.descriptor)?, space, RecvFlags::empty()) {
            Ok((count, _)) => Ok(count),
            Err(Errno::INTR) => Err(OsError::WouldBlock),
            Err(error) => Err(error.into()),
        }
    }

    fn write(&mut self, connection: Socket, octets: &[u8]) -> Result<usize, OsError> {
        let descriptor = self.descriptor(connection)?;
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
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
