//! A writer whose writes block until the test allows them.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

/// A writer that forwards what is written, after it is allowed to.
pub(crate) struct Gated {
    may: Receiver<()>,
    given: Sender<String>,
}

impl Gated {
    /// A writer; a sender that allows one write per message, and all writes when it is dropped; and the written text.
    pub(crate) fn new() -> (Self, Sender<()>, Receiver<String>) {
        let ((allow, may), (given, gets)) = (channel(), channel());
        (Self { may, given }, allow, gets)
    }
}

impl Write for Gated {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        // An error means that the sender was dropped.
        let _ = self.may.recv();
        let text = String::from_utf8(octets.to_vec()).map_err(io::Error::other)?;
        self.given.send(text).map_err(io::Error::other)?;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
