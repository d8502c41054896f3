//! A writer whose writes block until the test allows them.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

/// A writer that sends the written text to the test, after the test has allowed the write.
pub(crate) struct Gated {
    permits: Receiver<()>,
    written: Sender<String>,
}

impl Gated {
    /// A writer; a sender that allows one write per message, and all writes when it is dropped; and the written text.
    pub(crate) fn new() -> (Self, Sender<()>, Receiver<String>) {
        let ((allow, permits), (written, texts)) = (channel(), channel());
        (Self { permits, written }, allow, texts)
    }
}

impl Write for Gated {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        // An error means that the sender was dropped.
        let _ = self.permits.recv();
        let text = String::from_utf8(octets.to_vec()).map_err(io::Error::other)?;
        self.written.send(text).map_err(io::Error::other)?;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
