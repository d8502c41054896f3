//! Descriptors: events, readiness, pending data, peers.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;
use std::time::Duration;

use super::{check, own};

/// A new eventfd with count 0, non-blocking.
pub(crate) fn eventfd() -> io::Result<OwnedFd> {
    // SAFETY: takes two numbers, no memory.
    own(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })
}

/// A new timerfd for the monotonic clock, non-blocking.
pub(crate) fn timerfd() -> io::Result<OwnedFd> {
    // SAFETY: takes two numbers, no memory.
    own(unsafe {
        libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK)
    })
}

/// Makes a timerfd expire every `period`, first after one `period`.
pub(crate) fn tick_every(timer: BorrowedFd<'_>, period: Duration) -> io::Result<()> {
    // Zero would stop it.
    let period = period.max(Duration::from_nanos(1));
    let period = libc::timespec {
        tv_sec: libc::time_t::try_from(period.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: libc::c_long::from(period.subsec_nanos().cast_signed()),
    };
    let times = libc::itimerspec { it_interval: period, it_value: period };
    let old = ptr::null_mut();
    // SAFETY: `times` outlives the call, which only reads it; null means that the old setting is
    // not requested.
    check(unsafe { libc::timerfd_settime(timer.as_raw_fd(), 0, &raw const times, old) }).map(drop)
}

/// Waits for an event of one of `fds`, or the timeout (`None`: none). Returns the number of
/// descriptors with events. Not repeated when interrupted.
pub(crate) fn ppoll(fds: &mut [libc::pollfd], timeout: Option<Duration>) -> io::Result<usize> {
    let limit = timeout.map(|t| libc::timespec {
        tv_sec: libc::time_t::try_from(t.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: libc::c_long::from(t.subsec_nanos().cast_signed()),
    });
    let limit = limit.as_ref().map_or(ptr::null(), ptr::from_ref);
    let count = fds.len() as libc::nfds_t;
    // SAFETY: pointer and count describe one live slice of pollfd that the call may write; `limit`
    // is null or points to a timespec that outlives the call; the mask is null.
    let ready = check(unsafe { libc::ppoll(fds.as_mut_ptr(), count, limit, ptr::null()) })?;
    Ok(usize::try_from(ready).unwrap_or_default())
}

/// Peeks at up to one pending byte of a socket without waiting. `Ok(0)` is the end of the stream;
/// `WouldBlock` means that nothing is pending.
pub(crate) fn peek(socket: BorrowedFd<'_>) -> io::Result<usize> {
    let mut byte = 0_u8;
    let target = (&raw mut byte).cast();
    // SAFETY: `target` points to one byte that the call may write, and the length is one.
    let seen =
        unsafe { libc::recv(socket.as_raw_fd(), target, 1, libc::MSG_PEEK | libc::MSG_DONTWAIT) };
    usize::try_from(seen).map_err(|_| io::Error::last_os_error())
}

/// Reads the pending data of a socket, up to the size of `buffer`, without waiting. `Ok(0)` is the
/// end of the stream (or an empty `buffer`); `WouldBlock` means that nothing is pending.
pub(crate) fn recv_now(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    let (target, len) = (buffer.as_mut_ptr().cast(), buffer.len());
    // SAFETY: pointer and length describe one live slice that the call may write.
    let received = unsafe { libc::recv(socket.as_raw_fd(), target, len, libc::MSG_DONTWAIT) };
    usize::try_from(received).map_err(|_| io::Error::last_os_error())
}

/// Receives a datagram with its control messages; returns the sizes of both.
pub(crate) fn recv_with_control(
    socket: BorrowedFd<'_>,
    buffer: &mut [u8],
    control: &mut [u8],
) -> io::Result<(usize, usize)> {
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: it consists of integers and pointers, for which zero is valid.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_control = control.as_mut_ptr().cast();
    header.msg_controllen = control.len() as _;
    // SAFETY: the header's pointers and lengths describe two live slices that the call may write;
    // the part that describes one of them outlives the call.
    let received = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut header, 0) };
    let received = usize::try_from(received).map_err(|_| io::Error::last_os_error())?;
    Ok((received, header.msg_controllen as usize))
}

/// `SO_PASSRIGHTS`, which the crate `libc` does not have.
#[cfg(not(any(target_arch = "sparc", target_arch = "sparc64")))]
const SO_PASSRIGHTS: libc::c_int = 83;
#[cfg(any(target_arch = "sparc", target_arch = "sparc64"))]
const SO_PASSRIGHTS: libc::c_int = 92;

/// Sets whether a peer may pass descriptors to a socket.
pub(crate) fn set_pass_rights(socket: BorrowedFd<'_>, on: bool) -> io::Result<()> {
    let flag = libc::c_int::from(on);
    let value = (&raw const flag).cast();
    let len = size_of::<libc::c_int>() as libc::socklen_t;
    let (level, option) = (libc::SOL_SOCKET, SO_PASSRIGHTS);
    // SAFETY: `value` points to a number of `len` octets that outlives the call.
    check(unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value, len) }).map(drop)
}

/// Limits the octets per second that a socket sends.
pub(crate) fn set_pacing_rate(socket: BorrowedFd<'_>, octets_per_second: u64) -> io::Result<()> {
    let value = (&raw const octets_per_second).cast();
    let len = size_of::<u64>() as libc::socklen_t;
    let (level, option) = (libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE);
    // SAFETY: `value` points to a number of `len` octets that outlives the call.
    check(unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value, len) }).map(drop)
}

/// The limit of octets per second that a socket sends; all ones for no limit.
pub(crate) fn pacing_rate(socket: BorrowedFd<'_>) -> io::Result<u64> {
    let mut rate = 0_u64;
    let mut len = size_of::<u64>() as libc::socklen_t;
    let target = (&raw mut rate).cast();
    let (level, option) = (libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE);
    // SAFETY: `target` points to a number that the call may write, and `len`, which it may also
    // write, is the size of that number.
    check(unsafe { libc::getsockopt(socket.as_raw_fd(), level, option, target, &raw mut len) })?;
    Ok(rate)
}

/// Sets whether a socket bypasses routers.
pub(crate) fn set_dont_route(socket: BorrowedFd<'_>, on: bool) -> io::Result<()> {
    let flag = libc::c_int::from(on);
    let value = (&raw const flag).cast();
    let len = size_of::<libc::c_int>() as libc::socklen_t;
    let (level, option) = (libc::SOL_SOCKET, libc::SO_DONTROUTE);
    // SAFETY: `value` points to a number of `len` octets that outlives the call.
    check(unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value, len) }).map(drop)
}

/// Whether a socket bypasses routers.
pub(crate) fn dont_route(socket: BorrowedFd<'_>) -> io::Result<bool> {
    let mut flag: libc::c_int = 0;
    let mut len = size_of::<libc::c_int>() as libc::socklen_t;
    let target = (&raw mut flag).cast();
    let (level, option) = (libc::SOL_SOCKET, libc::SO_DONTROUTE);
    // SAFETY: `target` points to a number that the call may write, and `len`, which it may also
    // write, is the size of that number.
    check(unsafe { libc::getsockopt(socket.as_raw_fd(), level, option, target, &raw mut len) })?;
    Ok(flag != 0)
}

/// The process at the other end of a Unix-domain socket, as it was when it connected or listened.
pub(crate) fn peer_credentials(socket: BorrowedFd<'_>) -> io::Result<libc::ucred> {
    let mut credentials = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut len = size_of::<libc::ucred>() as libc::socklen_t;
    let target = (&raw mut credentials).cast();
    let (level, option) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
    // SAFETY: `target` points to a ucred that the call may write, and `len`, which it may also
    // write, is the size of that ucred.
    check(unsafe { libc::getsockopt(socket.as_raw_fd(), level, option, target, &raw mut len) })?;
    Ok(credentials)
}
