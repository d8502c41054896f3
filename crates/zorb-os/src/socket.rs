//! Pending data of sockets, credentials of peers, and passing descriptors.

use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::poll::is_readable;
use crate::sys;

/// The state of an idle socket.
#[derive(Debug)]
pub enum Pending {
    /// The connection is idle.
    Nothing,
    /// There is unread data.
    Data,
    /// The peer has ended the stream.
    End,
    /// The connection has failed.
    Error(io::Error),
}

/// Limits the rate at which the system sends through `socket`, in octets per second
/// (`SO_MAX_PACING_RATE`), if its protocol supports that.
///
/// # Errors
/// The system call fails.
pub fn set_pacing_rate(socket: BorrowedFd<'_>, octets_per_second: u64) -> io::Result<()> {
    sys::fd::set_pacing_rate(socket, octets_per_second)
}

/// The limit of the rate at which the system sends through `socket`, in octets per second
/// (`SO_MAX_PACING_RATE`); `None` for no limit.
///
/// # Errors
/// The system call fails.
pub fn pacing_rate(socket: BorrowedFd<'_>) -> io::Result<Option<u64>> {
    sys::fd::pacing_rate(socket).map(|rate| (rate != u64::MAX).then_some(rate))
}

/// Receives a datagram. Returns its size, and the octet of its header that contains the class of
/// service (DSCP) in the upper six bits, if the socket reports it (`IP_RECVTOS`,
/// `IPV6_RECVTCLASS`). One system call, more when interrupted.
///
/// # Errors
/// The system call fails; [`io::ErrorKind::WouldBlock`] for the socket's timeout.
pub fn recv_with_class(
    socket: BorrowedFd<'_>,
    buffer: &mut [u8],
) -> io::Result<(usize, Option<u8>)> {
    const WORD: usize = size_of::<usize>();
    // A length, a level and a type, then one octet or a number of four.
    let mut control = [0; 64];
    let (count, length) = loop {
        match sys::fd::recv_with_control(socket, buffer, &mut control) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            received => break received?,
        }
    };
    let reported = control.get(..length).unwrap_or_default();
    let number = |at: usize| {
        let octets = reported.get(at..at.checked_add(4)?)?;
        octets.try_into().ok().map(i32::from_ne_bytes)
    };
    let class = match (number(WORD), number(WORD + 4)) {
        (Some(libc::IPPROTO_IP), Some(libc::IP_TOS)) => reported.get(WORD + 8).copied(),
        (Some(libc::IPPROTO_IPV6), Some(libc::IPV6_TCLASS)) => {
            number(WORD + 8).and_then(|class| u8::try_from(class).ok())
        }
        _ => None,
    };
    Ok((count, class))
}

/// Sets whether `socket` sends only to hosts on directly connected networks, bypassing routers
/// (`SO_DONTROUTE`).
///
/// # Errors
/// The system call fails.
pub fn set_dont_route(socket: BorrowedFd<'_>, on: bool) -> io::Result<()> {
    sys::fd::set_dont_route(socket, on)
}

/// Whether `socket` sends only to hosts on directly connected networks (`SO_DONTROUTE`).
///
/// # Errors
/// The system call fails.
pub fn dont_route(socket: BorrowedFd<'_>) -> io::Result<bool> {
    sys::fd::dont_route(socket)
}

/// Checks for pending data without waiting or reading. One system call. An error of the socket is
/// reported once and cleared by the system.
#[must_use]
pub fn peek(socket: BorrowedFd<'_>) -> Pending {
    loop {
        return match sys::fd::peek(socket) {
            Ok(0) => Pending::End,
            Ok(_) => Pending::Data,
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock => Pending::Nothing,
                io::ErrorKind::Interrupted => continue,
                _ => Pending::Error(error),
            },
        };
    }
}

/// Reads up to `buffer.len()` pending bytes without waiting, whether or not the socket is blocking.
/// `Some(0)` is the end of the stream; `None` means that nothing is pending. One system call, more
/// when interrupted.
///
/// # Errors
/// The system call fails.
pub fn recv_now(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    loop {
        return match sys::fd::recv_now(socket, buffer) {
            Ok(count) => Ok(Some(count)),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock => Ok(None),
                io::ErrorKind::Interrupted => continue,
                _ => Err(error),
            },
        };
    }
}

/// Sends `bytes` together with a descriptor, which is duplicated for the receiver. Does not wait: a
/// new Unix-domain socket has room for a small message. One system call.
///
/// # Errors
/// [`io::ErrorKind::WriteZero`] if `bytes` were not sent completely; otherwise the error of the
/// system call.
pub fn send_descriptor(
    socket: BorrowedFd<'_>,
    bytes: &[u8],
    descriptor: BorrowedFd<'_>,
) -> io::Result<()> {
    let descriptors = [descriptor];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    let parts = [IoSlice::new(bytes)];
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    let sent = retry_on_intr(|| rustix::net::sendmsg(socket, &parts, &mut ancillary, flags))?;
    if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Makes the system refuse descriptors that the peer of `socket`, a Unix-domain socket, sends: its call fails with
/// `EPERM`. Connections that a listening socket accepts do the same. Returns whether the system can do that
/// (`SO_PASSRIGHTS`, Linux 6.16).
///
/// Otherwise it closes descriptors that nobody has asked for on the thread that receives the octets with which they came,
/// and the sender determines for how long that can take: a socket can linger.
///
/// # Errors
/// The system call fails for another reason.
pub fn refuse_descriptors(socket: BorrowedFd<'_>) -> io::Result<bool> {
    match sys::fd::set_pass_rights(socket, false) {
        Ok(()) => Ok(true),
        Err(error) if error.raw_os_error() == Some(libc::ENOPROTOOPT) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Receives up to `buffer.len()` bytes, and the descriptor sent with them, if any. 0 bytes are the
/// end of the stream. Waits up to the socket's timeout. One system call, more when interrupted.
///
/// # Errors
/// The system call fails; [`io::ErrorKind::WouldBlock`] for the timeout. `EMFILE` if the process is out of descriptors:
/// the one that was sent is lost.
pub fn recv_descriptor(
    socket: BorrowedFd<'_>,
    buffer: &mut [u8],
) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(buffer)];
    // There is room for one descriptor; the system closes any others.
    let received = retry_on_intr(|| {
        rustix::net::recvmsg(socket, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC)
    })?;
    let mut descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    let descriptor = descriptors.next().and_then(|mut descriptors| descriptors.next());
    if descriptor.is_none() && received.flags.contains(ReturnFlags::CTRUNC) {
        return Err(Errno::MFILE.into());
    }
    Ok((received.bytes, descriptor))
}

/// The process that connected, or began to listen, at the other end of a Unix-domain socket.
/// Displayed as `pid 4711, uid 1000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PeerCredentials {
    /// The process id; 0 if it is in a PID namespace that is not visible here.
    pub pid: u32,
    /// The user id.
    pub uid: u32,
    /// The group id.
    pub gid: u32,
}

impl fmt::Display for PeerCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pid {}, uid {}", self.pid, self.uid)
    }
}

/// The peer of `socket`, a connected Unix-domain socket (`SO_PEERCRED`), as verified by the system.
/// One system call.
///
/// # Errors
/// The system call fails.
pub fn peer_credentials(socket: BorrowedFd<'_>) -> io::Result<PeerCredentials> {
    let libc::ucred { pid, uid, gid } = sys::fd::peer_credentials(socket)?;
    Ok(PeerCredentials { pid: u32::try_from(pid).unwrap_or(0), uid, gid })
}

/// A descriptor (pidfd) that becomes readable when the process at the other end of `socket`, a
/// connected Unix-domain socket, ends: the process that connected or began to listen, even if
/// others have inherited the socket. `None` if it is this process, has already ended or is not
/// visible here, or if the system has no such descriptors.
///
/// # Errors
/// The process or the system is out of descriptors.
pub fn peer_process(socket: BorrowedFd<'_>) -> io::Result<Option<OwnedFd>> {
    let pid = peer_credentials(socket)?.pid;
    if pid == std::process::id() {
        return Ok(None);
    }
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(None) };
    let process = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => process,
        Err(error @ (Errno::MFILE | Errno::NFILE | Errno::NOMEM)) => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    let has_ended = is_readable(process.as_fd())?;
    Ok((!has_ended).then_some(process))
}

/// Evidence that the peer runs as the same user as this process. Such a peer has full control of
/// this process anyway, so it is trusted with memory that both write.
#[derive(Debug, Clone, Copy)]
pub struct SameUser(());

/// The id that stands for users unknown in a user namespace.
const OVERFLOW_UID: u32 = 65_534;

/// Whether the process at the other end of `socket`, a connected Unix-domain socket, runs as the
/// same user. Two system calls.
///
/// # Errors
/// The system call fails.
pub fn same_user(socket: BorrowedFd<'_>) -> io::Result<Option<SameUser>> {
    let (theirs, ours) = (peer_credentials(socket)?.uid, sys::process::effective_user());
    Ok((theirs == ours && ours != OVERFLOW_UID).then_some(SameUser(())))
}

#[cfg(test)]
mod tests;
