//! Events and timers for threads that wait for descriptors.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use crate::sys;

/// A flag that threads set and that [`poll`](crate::poll) waits for like a socket (eventfd). It
/// stays set until [`drain`](Self::drain).
#[derive(Debug)]
pub struct EventFd {
    // A `File` provides safe functions to read and write a descriptor.
    file: File,
}

impl EventFd {
    /// A new event that is not set.
    ///
    /// # Errors
    /// When the process or system is out of descriptors.
    pub fn new() -> io::Result<Self> {
        Ok(Self { file: sys::fd::eventfd()?.into() })
    }

    /// Sets the event, which wakes the threads that wait for it.
    pub fn notify(&self) {
        // It fails only if the counter is at its maximum, and then the event is already set.
        let _already_set = (&self.file).write(&1_u64.to_ne_bytes());
    }

    /// Clears the event; returns how often it was set since it was last cleared. Never waits.
    pub fn drain(&self) -> u64 {
        count_of(&self.file)
    }
}

impl AsFd for EventFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// A periodic timer for threads that wait for descriptors (timerfd). It stays expired until
/// [`drain`](Self::drain).
#[derive(Debug)]
pub struct PeriodicTimer {
    file: File,
}

impl PeriodicTimer {
    /// A timer that expires every `period`, first after one `period`.
    ///
    /// # Errors
    /// When the process or system is out of descriptors.
    pub fn every(period: Duration) -> io::Result<Self> {
        let timer = sys::fd::timerfd()?;
        sys::fd::tick_every(timer.as_fd(), period)?;
        Ok(Self { file: timer.into() })
    }

    /// Returns the number of expirations since the last call, and resets the timer's readiness.
    /// Never waits.
    pub fn drain(&self) -> u64 {
        count_of(&self.file)
    }
}

impl AsFd for PeriodicTimer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn count_of(mut file: &File) -> u64 {
    let mut count = [0; 8];
    match file.read(&mut count) {
        Ok(8) => u64::from_ne_bytes(count),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ticks_again_and_again() {
        use crate::poll::{ReadySet, Trigger};
        assert_eq!(PeriodicTimer::every(Duration::from_secs(3600)).unwrap().drain(), 0);
        let ticks = PeriodicTimer::every(Duration::from_millis(1)).unwrap();
        let set = ReadySet::new().unwrap();
        set.add(ticks.as_fd(), 1, Trigger::Edge).unwrap();
        for _ in 0..3 {
            assert_eq!(set.next(None).unwrap().unwrap().key, 1);
            assert!(ticks.drain() >= 1);
        }
    }

    #[test]
    fn it_counts_and_clears() {
        let event = EventFd::new().unwrap();
        assert_eq!(event.drain(), 0);
        event.notify();
        event.notify();
        assert_eq!(event.drain(), 2);
        assert_eq!(event.drain(), 0);
    }
}
