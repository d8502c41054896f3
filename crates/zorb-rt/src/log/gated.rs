//! A file that is stuck until it is let go, for tests.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Hands on what it is given, after it has been allowed to.
pub(crate) struct Gated {
    may: Receiver<()>,
    given: Sender<String>,
}

impl Gated {
    /// One, with what allows it a write, or all of them when it is dropped, and what it hands on.
    pub(crate) fn new() -> (Self, Sender<()>, Receiver<String>) {
        let ((allow, may), (given, gets)) = (channel(), channel());
        (Self { may, given }, allow, gets)
    }
}

impl Write for Gated {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        // From when there is nobody to allow it, it may.
        let _ = self.may.recv();
        let text = String::from_utf8(octets.to_vec()).map_err(io::Error::other)?;
        self.given.send(text).map_err(io::Error::other)?;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
