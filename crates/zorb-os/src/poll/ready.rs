//! A set of descriptors that several threads wait for. Each event wakes one thread.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{Timespec, epoll};

use crate::clock::MonotonicTime;

/// When a [`ReadySet`] reports a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Once for each arrival of data, to one thread (`EPOLLET`), which must read until nothing is
    /// left.
    Edge,
    /// To every waiting thread, as long as the descriptor is readable.
    Level,
}

/// An event of a descriptor in a [`ReadySet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The descriptor's key.
    pub key: u64,
    /// Whether it is the end of the stream, or an error. There may still be data to read.
    pub is_end: bool,
}

/// A set of descriptors that threads wait to read (epoll). For each event the system wakes one of
/// the waiting threads, so that leader/followers needs no lock.
#[derive(Debug)]
pub struct ReadySet {
    epoll: OwnedFd,
}

/// The flags of an end of stream and of errors.
const ENDS: epoll::EventFlags =
    epoll::EventFlags::RDHUP.union(epoll::EventFlags::HUP).union(epoll::EventFlags::ERR);

impl ReadySet {
    /// An empty set.
    ///
    /// # Errors
    /// When the process or system is out of descriptors.
    pub fn new() -> io::Result<Self> {
        Ok(Self { epoll: epoll::create(epoll::CreateFlags::CLOEXEC)? })
    }

    /// Adds `fd` with a `key`. If it is readable already, that is reported, too.
    ///
    /// # Errors
    /// It is already in the set, or the system's limit is reached.
    pub fn add(&self, fd: BorrowedFd<'_>, key: u64, trigger: Trigger) -> io::Result<()> {
        let data = epoll::EventData::new_u64(key);
        let interest = epoll::EventFlags::IN | epoll::EventFlags::RDHUP;
        let interest = match trigger {
            Trigger::Edge => interest | epoll::EventFlags::ET,
            Trigger::Level => interest,
        };
        Ok(epoll::add(&self.epoll, fd, data, interest)?)
    }

    /// Reports `fd`, which was added with `key` and [`Trigger::Edge`], also when it is writable, or no longer.
    /// If it is readable or writable at this moment, that is reported once more.
    ///
    /// # Errors
    /// It is not in the set.
    pub fn watch_writable(&self, fd: BorrowedFd<'_>, key: u64, wanted: bool) -> io::Result<()> {
        let data = epoll::EventData::new_u64(key);
        let mut interest = epoll::EventFlags::IN | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        interest.set(epoll::EventFlags::OUT, wanted);
        Ok(epoll::modify(&self.epoll, fd, data, interest)?)
    }

    /// Removes `fd`. A thread may still be about to handle an event of it.
    ///
    /// # Errors
    /// It is not in the set.
    pub fn remove(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, fd)?)
    }

    /// Waits for the next event; `None` if `timeout` expires. One system call, no allocation.
    ///
    /// # Errors
    /// The system call fails. Interrupted waits are continued.
    pub fn next(&self, timeout: Option<Duration>) -> io::Result<Option<Event>> {
        let deadline = timeout.map(|timeout| MonotonicTime::now() + timeout);
        let mut left = timeout;
        loop {
            let limit = left.map(|left| Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            });
            let mut events = [MaybeUninit::uninit(); 1];
            match epoll::wait(&self.epoll, &mut events, limit.as_ref()) {
                Ok((events, _)) => {
                    return Ok(events.first().map(|event| {
                        let (flags, data) = (event.flags, event.data);
                        Event { key: data.u64(), is_end: flags.intersects(ENDS) }
                    }));
                }
                Err(rustix::io::Errno::INTR) => left = deadline.map(MonotonicTime::time_left),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::event::EventFd;

    const NOW: Option<Duration> = Some(Duration::ZERO);

    fn key(event: io::Result<Option<Event>>) -> Option<u64> {
        event.unwrap().map(|event| event.key)
    }

    #[test]
    fn edges_are_reported_once_and_levels_while_they_last() {
        let set = ReadySet::new().unwrap();
        let (mut here, mut there) = UnixStream::pair().unwrap();
        there.write_all(b"before").unwrap();
        set.add(here.as_fd(), 7, Trigger::Edge).unwrap();
        assert_eq!(key(set.next(NOW)), Some(7), "existing data is reported");
        assert_eq!(key(set.next(NOW)), None);
        there.write_all(b"more").unwrap();
        assert_eq!(key(set.next(None)), Some(7));
        assert_eq!(key(set.next(NOW)), None);
        let mut all = [0; 10];
        here.read_exact(&mut all).unwrap();

        let event = EventFd::new().unwrap();
        set.add(event.as_fd(), u64::MAX, Trigger::Level).unwrap();
        event.notify();
        for _ in 0..3 {
            assert_eq!(key(set.next(NOW)), Some(u64::MAX));
        }
        event.drain();
        assert_eq!(key(set.next(NOW)), None);
        drop(there);
        assert_eq!(set.next(None).unwrap(), Some(Event { key: 7, is_end: true }));
    }

    #[test]
    fn writable_descriptors_are_reported_while_that_is_wanted() {
        let set = ReadySet::new().unwrap();
        let (here, mut there) = UnixStream::pair().unwrap();
        here.set_nonblocking(true).unwrap();
        set.add(here.as_fd(), 7, Trigger::Edge).unwrap();
        while (&here).write(&[0; 4096]).is_ok() {}
        set.watch_writable(here.as_fd(), 7, true).unwrap();
        assert_eq!(key(set.next(NOW)), None, "there is no room");
        there.set_nonblocking(true).unwrap();
        while there.read(&mut [0; 4096]).is_ok() {}
        assert_eq!(key(set.next(None)), Some(7));
        set.watch_writable(here.as_fd(), 7, false).unwrap();
        assert_eq!(key(set.next(NOW)), None);
        there.write_all(b"data").unwrap();
        assert_eq!(key(set.next(None)), Some(7));
    }

    #[test]
    fn removed_descriptors_are_not_reported() {
        let set = ReadySet::new().unwrap();
        let event = EventFd::new().unwrap();
        set.add(event.as_fd(), 1, Trigger::Edge).unwrap();
        assert!(set.add(event.as_fd(), 2, Trigger::Edge).is_err());
        set.remove(event.as_fd()).unwrap();
        event.notify();
        assert_eq!(key(set.next(NOW)), None);
        assert!(set.remove(event.as_fd()).is_err());
    }

    #[test]
    fn one_of_several_threads_is_woken() {
        let set = ReadySet::new().unwrap();
        let events: Vec<_> = (0..8).map(|_| EventFd::new().unwrap()).collect();
        for (key, event) in events.iter().enumerate() {
            set.add(event.as_fd(), key as u64, Trigger::Edge).unwrap();
        }
        let mut told = std::thread::scope(|scope| {
            let waiters: Vec<_> =
                (0..8).map(|_| scope.spawn(|| key(set.next(None)).unwrap())).collect();
            for event in &events {
                event.notify();
            }
            waiters.into_iter().map(|waiter| waiter.join().unwrap()).collect::<Vec<_>>()
        });
        told.sort_unstable();
        assert_eq!(told, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
