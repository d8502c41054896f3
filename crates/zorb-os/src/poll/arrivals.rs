//! A descriptor at which one thread waits for octets while no other thread does.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{Timespec, epoll};

use super::wait_readable;
use crate::event::EventFd;

/// The longest wait: longer ones end early.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The keys of the two descriptors.
const READABLE: u64 = 0;
const INTERRUPTED: u64 = 1;

/// Waits until octets arrive at a descriptor. While it is [armed](Self::arm), each arrival is reported once
/// (`EPOLLET`), unless a thread has read it before the waiting one looks; while it is not, what arrives is left to other
/// threads and does not wake the waiting one. Other threads may arm, disarm and interrupt at any time.
#[derive(Debug)]
pub struct Arrivals {
    epoll: OwnedFd,
    interrupt: EventFd,
}

impl Arrivals {
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

    /// Reports `fd`, the descriptor of this, if it is readable now, and each time that something arrives. What is left unread
    /// after a report is not reported again, unless `fd` is armed again. One system call.
    ///
    /// # Errors
    /// It is another descriptor.
    pub fn arm(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        self.change(fd, ARMED)
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

    /// Waits for `limit`, whatever arrives meanwhile, or until it is [interrupted](Self::interrupt); returns whether it was.
    ///
    /// # Errors
    /// The system call fails.
    pub fn pause(&self, limit: Duration) -> io::Result<bool> {
        let is_interrupted = !wait_readable(&[self.interrupt.as_fd()], Some(limit))?.is_empty();
        if is_interrupted {
            self.interrupt.drain();
        }
        Ok(is_interrupted)
    }

    /// Waits until the descriptor is reported: something has arrived, or it has failed. [`Arrival::Nothing`] if the wait was
    /// interrupted, also by a signal, or ended after `limit` (`None`: no limit).
    ///
    /// # Errors
    /// The system call fails.
    pub fn wait(&self, limit: Option<Duration>) -> io::Result<Arrival> {
        let limit = limit.map(|limit| limit.min(LONGEST)).map(|limit| Timespec {
            tv_sec: limit.as_secs().cast_signed(),
            tv_nsec: limit.subsec_nanos().into(),
        });
        let mut events = [MaybeUninit::uninit(); 2];
        let events = match epoll::wait(&self.epoll, &mut events, limit.as_ref()) {
            Ok((events, _)) => events,
            Err(rustix::io::Errno::INTR) => return Ok(Arrival::Nothing),
            Err(error) => return Err(error.into()),
        };
        let mut arrival = Arrival::Nothing;
        for event in events {
            match event.data.u64() {
                READABLE if { event.flags } == epoll::EventFlags::IN => arrival = Arrival::Octets,
                READABLE => arrival = Arrival::End,
                _ => drop(self.interrupt.drain()),
            }
        }
        Ok(arrival)
    }
}

/// What has arrived at a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// Nothing.
    Nothing,
    /// Octets.
    Octets,
    /// The end of the stream, perhaps behind octets: a thread that has read those does not know of it.
    End,
}

/// The interest in a descriptor that is armed.
const ARMED: epoll::EventFlags =
    epoll::EventFlags::ET.union(epoll::EventFlags::IN).union(epoll::EventFlags::RDHUP);

/// The interest in a descriptor that is not armed.
const DISARMED: epoll::EventFlags = epoll::EventFlags::ONESHOT;

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::Arrival::{End, Nothing, Octets};
    use super::*;

    const NOW: Option<Duration> = Some(Duration::ZERO);

    #[test]
    fn each_arrival_is_reported_once() {
        let (mut here, mut there) = UnixStream::pair().unwrap();
        let arrivals = Arrivals::new(here.as_fd()).unwrap();
        there.write_all(b"12").unwrap();
        assert_eq!(arrivals.wait(NOW).unwrap(), Nothing, "it is not armed");
        arrivals.arm(here.as_fd()).unwrap();
        assert_eq!(arrivals.wait(None).unwrap(), Octets);
        assert_eq!(arrivals.wait(NOW).unwrap(), Nothing, "nobody has read, but it was reported");
        arrivals.arm(here.as_fd()).unwrap();
        assert_eq!(arrivals.wait(NOW).unwrap(), Octets, "still nobody has");
        here.read_exact(&mut [0; 2]).unwrap();
        for _ in 0..2 {
            there.write_all(b"3").unwrap();
            assert_eq!(arrivals.wait(None).unwrap(), Octets, "it stays armed");
            here.read_exact(&mut [0; 1]).unwrap();
        }
        there.write_all(b"4").unwrap();
        here.read_exact(&mut [0; 1]).unwrap();
        assert_eq!(arrivals.wait(NOW).unwrap(), Nothing, "another thread has read");
        there.write_all(b"5").unwrap();
        assert_eq!(arrivals.wait(None).unwrap(), Octets);
    }

    #[test]
    fn a_disarmed_descriptor_wakes_nobody() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let arrivals = Arrivals::new(here.as_fd()).unwrap();
        arrivals.arm(here.as_fd()).unwrap();
        arrivals.disarm(here.as_fd()).unwrap();
        there.write_all(b"1").unwrap();
        assert_eq!(arrivals.wait(NOW).unwrap(), Nothing);
        arrivals.arm(here.as_fd()).unwrap();
        arrivals.disarm(here.as_fd()).unwrap();
        assert_eq!(arrivals.wait(NOW).unwrap(), Nothing, "not even if it was readable when armed");
    }

    #[test]
    fn the_end_of_a_stream_is_reported() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let arrivals = Arrivals::new(here.as_fd()).unwrap();
        arrivals.arm(here.as_fd()).unwrap();
        there.write_all(b"last").unwrap();
        drop(there);
        assert_eq!(arrivals.wait(None).unwrap(), End, "also behind octets");
        assert_eq!(arrivals.wait(NOW).unwrap(), Nothing, "once");
        arrivals.arm(here.as_fd()).unwrap();
        assert_eq!(arrivals.wait(NOW).unwrap(), End, "again");
    }

    #[test]
    fn a_wait_is_interrupted_also_before_it_begins() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let arrivals = Arrivals::new(here.as_fd()).unwrap();
        arrivals.interrupt();
        assert_eq!(arrivals.wait(None).unwrap(), Nothing);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| arrivals.wait(None).unwrap());
            arrivals.interrupt();
            assert_eq!(waiting.join().unwrap(), Nothing);
        });
        arrivals.arm(here.as_fd()).unwrap();
        there.write_all(b"1").unwrap();
        arrivals.interrupt();
        assert_eq!(arrivals.wait(None).unwrap(), Octets, "both are seen at once");
        assert_eq!(arrivals.wait(NOW).unwrap(), Nothing);
    }
}
