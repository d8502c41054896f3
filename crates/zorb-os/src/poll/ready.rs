//! A set of descriptors that several threads wait for. Each event wakes one thread.

use std::fmt;
use std::io;
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

/// Up to `N` events that one call of [`ReadySet::next_of`] returns.
pub struct Batch<const N: usize> {
    events: [epoll::Event; N],
    next: usize,
    end: usize,
}

impl<const N: usize> fmt::Debug for Batch<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("next", &self.next)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

impl<const N: usize> Default for Batch<N> {
    fn default() -> Self {
        let data = epoll::EventData::new_u64(0);
        let none = epoll::Event { flags: epoll::EventFlags::empty(), data };
        Self { events: [none; N], next: 0, end: 0 }
    }
}

impl<const N: usize> Batch<N> {
    /// Whether it has no event left.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next == self.end
    }
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
    #[inline]
    pub fn next(&self, timeout: Option<Duration>) -> io::Result<Option<Event>> {
        self.next_of(&mut Batch::<1>::default(), timeout)
    }

    /// Takes the next event of a `batch`. If it is empty, waits as [`next`](Self::next) does, and fills it with the events
    /// that have happened by then. Only for a thread that has the set for itself: others do not get the events of the
    /// batch. An event may be of a descriptor that has been removed since.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    #[inline]
    pub fn next_of<const N: usize>(
        &self,
        batch: &mut Batch<N>,
        timeout: Option<Duration>,
    ) -> io::Result<Option<Event>> {
        if batch.is_empty() {
            (batch.next, batch.end) = (0, self.wait(&mut batch.events, timeout)?);
            if batch.is_empty() {
                return Ok(None);
            }
        }
        let event = batch.events.get(batch.next);
        batch.next += 1;
        Ok(event.map(|event| {
            let (flags, data) = (event.flags, event.data);
            Event { key: data.u64(), is_end: flags.intersects(ENDS) }
        }))
    }

    /// Waits for events. Returns their number: 0 if `timeout` expires.
    fn wait(&self, events: &mut [epoll::Event], timeout: Option<Duration>) -> io::Result<usize> {
        let deadline = timeout.map(|timeout| MonotonicTime::now() + timeout);
        let mut left = timeout;
        loop {
            let limit = left.map(|left| Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            });
            match epoll::wait(&self.epoll, &mut *events, limit.as_ref()) {
                Err(rustix::io::Errno::INTR) => left = deadline.map(MonotonicTime::time_left),
                found => return Ok(found?),
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
    fn events_that_have_happened_are_taken_at_once() {
        let set = ReadySet::new().unwrap();
        let events: Vec<_> = (0..3).map(|_| EventFd::new().unwrap()).collect();
        for (key, event) in (0..).zip(&events) {
            set.add(event.as_fd(), key, Trigger::Edge).unwrap();
            event.notify();
        }
        let mut batch = Batch::<2>::default();
        let mut left = Vec::new();
        let mut keys: Vec<u64> = (0..3)
            .map(|_| {
                let event = set.next_of(&mut batch, NOW).unwrap().unwrap();
                left.push(!batch.is_empty());
                event.key
            })
            .collect();
        keys.sort_unstable();
        assert_eq!((keys, left), (vec![0, 1, 2], vec![true, false, false]));
        assert_eq!(set.next_of(&mut batch, NOW).unwrap(), None);
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
