//! The buffer of received octets before decryption.

/// The maximum size of one receive: a whole record, and some more.
const SIZE: usize = 20 << 10;

/// Octets between the socket and TLS. Used only by the receiving thread.
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

    /// The buffer for receiving; called when the inbox is empty.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        if self.octets.is_empty() {
            self.octets = vec![0; SIZE];
        }
        (self.start, self.end) = (0, 0);
        &mut self.octets
    }

    /// Records that `count` octets were received.
    pub(crate) fn filled(&mut self, count: usize) {
        self.end = count.min(self.octets.len());
    }

    /// The octets not consumed yet.
    pub(crate) fn unread(&self) -> &[u8] {
        self.octets.get(self.start..self.end).unwrap_or_default()
    }

    /// Records that `count` octets were consumed.
    pub(crate) fn taken(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
    }
}
