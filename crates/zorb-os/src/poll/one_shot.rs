//! A descriptor that one thread waits to read while no other thread does.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{Timespec, epoll};

use crate::event::EventFd;

/// The longest wait: longer ones end early.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The keys of the two descriptors.
const READABLE: u64 = 0;
const INTERRUPTED: u64 = 1;

/// Waits until a descriptor is readable. It is reported once for each time that it was [armed](Self::arm)
/// (`EPOLLONESHOT`); while it is not, what arrives is left to other threads and does not wake the waiting one. Other
/// threads may arm, disarm and interrupt at any time.
#[derive(Debug)]
pub struct OneShot {
    epoll: OwnedFd,
    interrupt: EventFd,
}

impl OneShot {
    /// For `fd`, which is not armed. Takes two descriptors.
    ///
    /// # Errors
    /// The process or the system is out of descriptors.
    pub fn new(fd: BorrowedFd<'_>) -> io::Result<Self> {
        let (epoll, interrupt) = (epoll::create(epoll::CreateFlags::CLOEXEC)?, EventFd::new()?);
        epoll::add(&epoll, fd, epoll::EventData::new_u64(READABLE), DISARMED)?;
        let data = epoll::EventData::new_u64(INTERRUPTED);
        epoll::add(&epoll, interrupt.as_fd(), data, epoll::EventFlags::IN)?;
        Ok(Self { epoll, interrupt })
    }

    /// Reports `fd`, the descriptor of this, when it is readable next, or now if it is. One system call.
    ///
    /// # Errors
    /// It is another descriptor.
    pub fn arm(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        self.change(fd, DISARMED | epoll::EventFlags::IN | epoll::EventFlags::RDHUP)
    }

    /// Does not report `fd` until it is armed again, except that its peer has disconnected. One system call. A wait that
    /// has just ended may still report it.
    ///
    /// # Errors
    /// It is another descriptor.
    pub fn disarm(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        self.change(fd, DISARMED)
    }

    fn change(&self, fd: BorrowedFd<'_>, interest: epoll::EventFlags) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, fd, epoll::EventData::new_u64(READABLE), interest)?)
    }

    /// Ends the present wait, or the next one.
    pub fn interrupt(&self) {
        self.interrupt.notify();
    }

    /// Waits until the descriptor is readable, in error or at its end, which disarms it, and returns `true`; `false` if
    /// the wait was interrupted, also by a signal, or ended after `limit` (`None`: no limit).
    ///
    /// # Errors
    /// The system call fails.
    pub fn wait(&self, limit: Option<Duration>) -> io::Result<bool> {
        let limit = limit.map(|limit| limit.min(LONGEST)).map(|limit| Timespec {
            tv_sec: limit.as_secs().cast_signed(),
            tv_nsec: limit.subsec_nanos().into(),
        });
        let mut events = [MaybeUninit::uninit(); 2];
        let events = match epoll::wait(&self.epoll, &mut events, limit.as_ref()) {
            Ok((events, _)) => events,
            Err(rustix::io::Errno::INTR) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let mut readable = false;
        for event in events {
            match event.data.u64() {
                READABLE => readable = true,
                _ => drop(self.interrupt.drain()),
            }
        }
        Ok(readable)
    }
}

/// The interest in a descriptor that is not armed.
const DISARMED: epoll::EventFlags = epoll::EventFlags::ONESHOT;

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::*;

    const NOW: Option<Duration> = Some(Duration::ZERO);

    #[test]
    fn a_descriptor_is_reported_once_each_time_that_it_is_armed() {
        let (mut here, mut there) = UnixStream::pair().unwrap();
        let one_shot = OneShot::new(here.as_fd()).unwrap();
        there.write_all(b"12").unwrap();
        assert!(!one_shot.wait(NOW).unwrap(), "it is not armed");
        one_shot.arm(here.as_fd()).unwrap();
        assert!(one_shot.wait(None).unwrap());
        assert!(!one_shot.wait(NOW).unwrap(), "nobody has read, but it has been reported");
        one_shot.arm(here.as_fd()).unwrap();
        here.read_exact(&mut [0; 2]).unwrap();
        assert!(!one_shot.wait(NOW).unwrap(), "another thread has read");
        there.write_all(b"3").unwrap();
        assert!(one_shot.wait(None).unwrap());
    }

    #[test]
    fn a_disarmed_descriptor_wakes_nobody() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let one_shot = OneShot::new(here.as_fd()).unwrap();
        one_shot.arm(here.as_fd()).unwrap();
        one_shot.disarm(here.as_fd()).unwrap();
        there.write_all(b"1").unwrap();
        assert!(!one_shot.wait(NOW).unwrap());
        one_shot.arm(here.as_fd()).unwrap();
        one_shot.disarm(here.as_fd()).unwrap();
        assert!(!one_shot.wait(NOW).unwrap(), "not even if it was readable when it was armed");
    }

    #[test]
    fn the_end_of_a_stream_is_reported() {
        let (here, there) = UnixStream::pair().unwrap();
        let one_shot = OneShot::new(here.as_fd()).unwrap();
        one_shot.arm(here.as_fd()).unwrap();
        drop(there);
        assert!(one_shot.wait(None).unwrap());
        assert!(!one_shot.wait(NOW).unwrap(), "once");
    }

    #[test]
    fn a_wait_is_interrupted_also_before_it_begins() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let one_shot = OneShot::new(here.as_fd()).unwrap();
        one_shot.interrupt();
        assert!(!one_shot.wait(None).unwrap());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| one_shot.wait(None).unwrap());
            one_shot.interrupt();
            assert!(!waiting.join().unwrap());
        });
        one_shot.arm(here.as_fd()).unwrap();
        there.write_all(b"1").unwrap();
        one_shot.interrupt();
        assert!(one_shot.wait(None).unwrap(), "both are seen at once");
        assert!(!one_shot.wait(NOW).unwrap());
    }
}
