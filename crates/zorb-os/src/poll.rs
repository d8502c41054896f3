//! Waiting until descriptors are readable, or until peers disconnect.

mod arrivals;
mod ready;

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll;

use crate::clock::MonotonicTime;
use crate::sys;

pub use arrivals::{Arrival, Arrivals};
pub use ready::{Batch, Event, ReadySet, Trigger};

/// The maximum number of descriptors of [`wait_readable`].
pub const MAX_DESCRIPTORS: usize = 16;

/// The ready descriptors among those passed to [`wait_readable`], by position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ready(u16);

impl Ready {
    /// Whether none is ready: the wait timed out.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the descriptor at `position` is ready.
    #[must_use]
    pub fn contains(self, position: usize) -> bool {
        position < MAX_DESCRIPTORS && self.0 & (1 << position) != 0
    }
}

/// Waits until one of `fds` is readable (data, end of stream or error) or `timeout` expires
/// (`None`: never). Allocates nothing. Continues with the remaining time after a signal.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for more than [`MAX_DESCRIPTORS`]; otherwise the error of the
/// system call.
pub fn wait_readable(fds: &[BorrowedFd<'_>], timeout: Option<Duration>) -> io::Result<Ready> {
    let mut slots = [libc::pollfd { fd: -1, events: 0, revents: 0 }; MAX_DESCRIPTORS];
    let Some(slots) = slots.get_mut(..fds.len()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    for (slot, fd) in slots.iter_mut().zip(fds) {
        slot.fd = fd.as_raw_fd();
        slot.events = libc::POLLIN;
    }
    wait(slots, timeout)?;
    let ready = slots.iter().enumerate().filter(|(_, slot)| slot.revents != 0);
    Ok(Ready(ready.fold(0, |bits, (position, _)| bits | 1 << position)))
}

/// Waits until `fd` is writable or in error, or `timeout` expires (`None`: never); returns whether
/// it is. Otherwise like [`wait_readable`].
///
/// # Errors
/// The system call fails.
pub fn wait_writable(fd: BorrowedFd<'_>, timeout: Option<Duration>) -> io::Result<bool> {
    wait_for(fd, libc::POLLOUT, timeout)
}

/// Whether `fd` is readable, as defined for [`wait_readable`].
///
/// # Errors
/// The system call fails.
pub fn is_readable(fd: BorrowedFd<'_>) -> io::Result<bool> {
    wait_for(fd, libc::POLLIN, Some(Duration::ZERO))
}

fn wait_for(fd: BorrowedFd<'_>, events: i16, timeout: Option<Duration>) -> io::Result<bool> {
    let mut slot = [libc::pollfd { fd: fd.as_raw_fd(), events, revents: 0 }];
    wait(&mut slot, timeout)?;
    Ok(slot.iter().any(|slot| slot.revents != 0))
}

fn wait(slots: &mut [libc::pollfd], timeout: Option<Duration>) -> io::Result<()> {
    let deadline = timeout.map(|t| MonotonicTime::now() + t);
    let mut left = timeout;
    loop {
        match sys::fd::ppoll(slots, left) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                left = deadline.map(MonotonicTime::time_left);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Watches any number of sockets and processes; reports when the peer of a socket disconnects or a
/// process ends (epoll). Data does not wake the waiting thread.
#[derive(Debug)]
pub struct HangupWatch {
    epoll: OwnedFd,
}

impl HangupWatch {
    /// An empty watch.
    ///
    /// # Errors
    /// The process or the system is out of descriptors.
    pub fn new() -> io::Result<Self> {
        Ok(Self { epoll: epoll::create(epoll::CreateFlags::CLOEXEC)? })
    }

    /// Adds `socket` with a `key`. It is watched until it is closed (with all its duplicates) or
    /// reported.
    ///
    /// # Errors
    /// It is already watched, or the system's limit is reached.
    pub fn add(&self, socket: BorrowedFd<'_>, key: u64) -> io::Result<()> {
        let data = epoll::EventData::new_u64(key);
        let interest = epoll::EventFlags::RDHUP | epoll::EventFlags::ONESHOT;
        Ok(epoll::add(&self.epoll, socket, data, interest)?)
    }

    /// Adds a process, by a descriptor of [`peer_process`](crate::socket::peer_process). It is
    /// watched until the descriptor is closed or reported.
    ///
    /// # Errors
    /// It is already watched, or the system's limit is reached.
    pub fn add_process(&self, process: BorrowedFd<'_>, key: u64) -> io::Result<()> {
        let data = epoll::EventData::new_u64(key);
        let interest = epoll::EventFlags::IN | epoll::EventFlags::ONESHOT;
        Ok(epoll::add(&self.epoll, process, data, interest)?)
    }

    /// Waits until a peer disconnects or a process ends; returns the key. Each is reported once.
    ///
    /// # Errors
    /// The system call fails. Interrupted waits are continued.
    pub fn next(&self) -> io::Result<u64> {
        loop {
            if let Some(key) = self.next_within(None)? {
                return Ok(key);
            }
        }
    }

    /// The same for at most `limit`. `None`: nothing has happened until then, or a signal has interrupted the wait.
    ///
    /// # Errors
    /// The system call fails.
    pub fn next_within(&self, limit: Option<Duration>) -> io::Result<Option<u64>> {
        let limit = limit.and_then(|limit| rustix::event::Timespec::try_from(limit).ok());
        let mut events = [MaybeUninit::uninit(); 1];
        match epoll::wait(&self.epoll, &mut events, limit.as_ref()) {
            Ok((events, _)) => Ok(events.first().map(|event| event.data.u64())),
            Err(rustix::io::Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use crate::event::EventFd;

    #[test]
    fn ready_descriptors_are_reported() {
        let events: Vec<_> = (0..3).map(|_| EventFd::new().unwrap()).collect();
        let fds: Vec<_> = events.iter().map(AsFd::as_fd).collect();
        let none = wait_readable(&fds, Some(Duration::ZERO)).unwrap();
        assert!(none.is_empty());
        events[0].notify();
        events[2].notify();
        let ready = wait_readable(&fds, None).unwrap();
        assert!(!ready.is_empty());
        let which: Vec<_> = (0..20).filter(|&n| ready.contains(n)).collect();
        assert_eq!(which, [0, 2]);
    }

    #[test]
    fn sending_waits_for_room() {
        let (here, there) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(wait_writable(here.as_fd(), None).unwrap());
        here.set_nonblocking(true).unwrap();
        while std::io::Write::write(&mut &here, &[0; 4096]).is_ok() {}
        assert!(!wait_writable(here.as_fd(), Some(Duration::ZERO)).unwrap());
        drop(there);
        assert!(wait_writable(here.as_fd(), None).unwrap(), "an error counts as writable");
    }

    #[test]
    fn the_end_of_a_stream_is_readable() {
        let (here, there) = std::os::unix::net::UnixStream::pair().unwrap();
        drop(there);
        assert!(wait_readable(&[here.as_fd()], None).unwrap().contains(0));
    }

    #[test]
    fn a_waiting_thread_is_woken() {
        let event = EventFd::new().unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| wait_readable(&[event.as_fd()], None).unwrap());
            event.notify();
            assert!(waiter.join().unwrap().contains(0));
        });
    }

    #[test]
    fn waiting_lasts_for_the_whole_timeout() {
        let event = EventFd::new().unwrap();
        let start = MonotonicTime::now();
        let ready = wait_readable(&[event.as_fd()], Some(Duration::from_millis(5))).unwrap();
        assert!(ready.is_empty());
        assert!(start.elapsed() >= Duration::from_millis(5));
    }

    #[test]
    fn too_many_are_refused() {
        let event = EventFd::new().unwrap();
        let fds = [event.as_fd(); MAX_DESCRIPTORS + 1];
        let error = wait_readable(&fds, None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }

    /// No time passes: the watch reports a killed process as soon as it has ended.
    #[test]
    fn a_watch_reports_a_killed_process_at_once() {
        use std::os::fd::OwnedFd;
        use std::os::unix::net::UnixStream;
        use std::process::{Command, Stdio};

        let watch = HangupWatch::new().unwrap();
        let (here, there) = UnixStream::pair().unwrap();
        watch.add(here.as_fd(), 7).unwrap();
        // `cat` waits for the end of a stream on which nothing is sent.
        let mut command = Command::new("cat");
        command.stdin(OwnedFd::from(there)).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        // `command` has an end of the pair, too.
        drop(command);
        let told = || wait_readable(&[watch.epoll.as_fd()], Some(Duration::ZERO)).unwrap();
        assert!(told().is_empty(), "it lives");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(told().contains(0));
        assert_eq!(watch.next().unwrap(), 7);
    }

    #[test]
    fn a_watch_reports_only_disconnected_peers() {
        use std::io::Write;
        use std::os::unix::net::UnixStream;

        let watch = HangupWatch::new().unwrap();
        let (here, mut there) = UnixStream::pair().unwrap();
        let (second, gone) = UnixStream::pair().unwrap();
        let (third, _stays) = UnixStream::pair().unwrap();
        watch.add(here.as_fd(), 1).unwrap();
        watch.add(second.as_fd(), 2).unwrap();
        watch.add(third.as_fd(), 3).unwrap();
        assert!(watch.add(third.as_fd(), 4).is_err());
        there.write_all(b"data is not a hangup").unwrap();
        drop(gone);
        assert_eq!(watch.next().unwrap(), 2);
        drop(there);
        assert_eq!(watch.next().unwrap(), 1);
        let (fourth, _) = UnixStream::pair().unwrap();
        watch.add(fourth.as_fd(), u64::MAX).unwrap();
        assert_eq!(watch.next().unwrap(), u64::MAX);
    }
}
