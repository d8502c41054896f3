//! An event that wakes a thread waiting on descriptors.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};

use crate::sys;

/// A flag that threads set and that [`poll`](crate::poll) can wait for beside sockets
/// (Linux's eventfd). It stays set until it is [`drain`](Self::drain)ed.
#[derive(Debug)]
pub struct EventFd {
    // A `File` only because it reads and writes a descriptor in safe code.
    file: File,
}

impl EventFd {
    /// A new event, not set.
    ///
    /// # Errors
    /// When the process or system is out of descriptors.
    pub fn new() -> io::Result<Self> {
        Ok(Self { file: sys::fd::eventfd()?.into() })
    }

    /// Sets the event: whoever waits for it to be readable wakes up.
    pub fn notify(&self) {
        // The only way to fail is a counter at its end, and then the event is set already.
        let _already_set = (&self.file).write(&1_u64.to_ne_bytes());
    }

    /// Clears the event and says how often it was set since it was last clear. Never waits.
    pub fn drain(&self) -> u64 {
        let mut count = [0; 8];
        match (&self.file).read(&mut count) {
            Ok(8) => u64::from_ne_bytes(count),
            _ => 0,
        }
    }
}

impl AsFd for EventFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
