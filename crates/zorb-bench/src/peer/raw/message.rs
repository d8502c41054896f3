//! Headers of messages, and the receive buffer.

use std::io::{self, Read};

/// Octets of a header.
pub(super) const HEADER: usize = 12;

/// Maximum size of a body in octets.
const MAX_SIZE: usize = 64 << 20;

/// Initial size of the receive buffer; it grows for larger messages.
const FIRST_ROOM: usize = 256 << 10;

const MAGIC: [u8; 4] = *b"ZRAW";
const ONE_WAY: u8 = 1;

/// The number of the operation that asks for a tally.
pub(super) const SYNC: u8 = 255;

/// The header of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The operation's index, or [`SYNC`].
    pub(super) operation: u8,
    /// Whether no reply is expected.
    pub(super) one_way: bool,
    /// Octets of an echo, with its header, if it is shorter than what it echoes; 0 otherwise.
    pub(super) echo: u8,
    /// Octets of the body.
    pub(super) size: usize,
}

impl Header {
    /// The header of the echo of a message with this one.
    pub(super) const fn of_echo(self) -> Self {
        let size = match self.echo {
            0 => self.size,
            octets => (octets as usize).saturating_sub(HEADER),
        };
        Self { echo: 0, size, ..self }
    }

    pub(super) fn encode(self) -> io::Result<[u8; HEADER]> {
        let size = u32::try_from(self.size).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut octets = [0; HEADER];
        let (magic, rest) = octets.split_at_mut(MAGIC.len());
        magic.copy_from_slice(&MAGIC);
        let (start, end) = rest.split_at_mut(4);
        start.copy_from_slice(&[self.operation, u8::from(self.one_way) * ONE_WAY, self.echo, 0]);
        end.copy_from_slice(&size.to_ne_bytes());
        Ok(octets)
    }

    #[inline]
    pub(super) fn decode(octets: [u8; HEADER]) -> io::Result<Self> {
        let [a, b, c, d, operation, flags, echo, _, size @ ..] = octets;
        let size = u32::from_ne_bytes(size) as usize;
        if [a, b, c, d] != MAGIC || size > MAX_SIZE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Self { operation, one_way: flags & ONE_WAY != 0, echo, size })
    }
}

/// Receives messages into one buffer.
#[derive(Debug)]
pub(super) struct Inbox {
    buffer: Vec<u8>,
    /// The octets that were received and not returned.
    start: usize,
    end: usize,
    /// The message that was returned last.
    taken: std::ops::Range<usize>,
}

impl Inbox {
    pub(super) fn new() -> Self {
        Self { buffer: vec![0; FIRST_ROOM], start: 0, end: 0, taken: 0..0 }
    }

    /// The next message, including its header; `None` at the end of the stream.
    #[inline]
    pub(super) fn next(
        &mut self,
        mut stream: impl Read,
    ) -> io::Result<Option<(Header, &mut [u8])>> {
        loop {
            let pending = self.buffer.get(self.start..self.end).unwrap_or_default();
            let mut wanted = HEADER;
            if let Some(octets) = pending.first_chunk() {
                let header = Header::decode(*octets)?;
                wanted += header.size;
                if pending.len() >= wanted {
                    self.taken = self.start..self.start + wanted;
                    self.start += wanted;
                    let message = self.buffer.get_mut(self.taken.clone());
                    return Ok(message.map(|message| (header, message)));
                }
            }
            self.make_room(wanted);
            let room = self.buffer.get_mut(self.end..).unwrap_or_default();
            match stream.read(room) {
                Ok(0) => return Ok(None),
                Ok(size) => self.end += size,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The message that was returned last, including its header.
    pub(super) fn last(&self) -> &[u8] {
        self.buffer.get(self.taken.clone()).unwrap_or_default()
    }

    /// Makes room for a whole message after the pending octets' start.
    #[inline]
    fn make_room(&mut self, wanted: usize) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start + wanted > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if wanted > self.buffer.len() {
            self.buffer.resize(wanted, 0);
        }
    }
}
