//! What came in and was not decrypted yet.

/// How much is received at once: a whole record, and some more.
const SIZE: usize = 20 << 10;

/// Octets between the socket and TLS. Used by the thread that receives alone.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    octets: Vec<u8>,
    start: usize,
    end: usize,
}

impl Inbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Where to receive to; called when the inbox is empty.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        if self.octets.is_empty() {
            self.octets = vec![0; SIZE];
        }
        (self.start, self.end) = (0, 0);
        &mut self.octets
    }

    /// Takes note that `count` octets were received.
    pub(crate) fn filled(&mut self, count: usize) {
        self.end = count.min(self.octets.len());
    }

    /// What is left.
    pub(crate) fn unread(&self) -> &[u8] {
        self.octets.get(self.start..self.end).unwrap_or_default()
    }

    /// Takes note that `count` octets of what is left were taken.
    pub(crate) fn taken(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
    }
}
