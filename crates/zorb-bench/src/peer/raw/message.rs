//! The 12 octets before a body, and receiving messages.

use std::io::{self, Read};

/// Octets of a header.
pub(super) const HEADER: usize = 12;

/// The largest body, in octets.
const MAX_SIZE: usize = 64 << 20;

/// Room for a message at first; more is made when a message needs it.
const FIRST_ROOM: usize = 256 << 10;

const MAGIC: [u8; 4] = *b"ZRAW";
const ONE_WAY: u8 = 1;

/// The number of the operation that asks for a tally.
pub(super) const SYNC: u8 = 255;

/// What stands before a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The operation's place among all, or [`SYNC`].
    pub(super) operation: u8,
    /// Whether no reply is wanted.
    pub(super) one_way: bool,
    /// Octets of the body.
    pub(super) size: usize,
}

impl Header {
    pub(super) fn encode(self) -> io::Result<[u8; HEADER]> {
        let size = u32::try_from(self.size).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut octets = [0; HEADER];
        let (magic, rest) = octets.split_at_mut(MAGIC.len());
        magic.copy_from_slice(&MAGIC);
        let (start, end) = rest.split_at_mut(4);
        start.copy_from_slice(&[self.operation, u8::from(self.one_way) * ONE_WAY, 0, 0]);
        end.copy_from_slice(&size.to_ne_bytes());
        Ok(octets)
    }

    #[inline]
    fn decode(octets: [u8; HEADER]) -> io::Result<Self> {
        let [a, b, c, d, operation, flags, _, _, size @ ..] = octets;
        let size = u32::from_ne_bytes(size) as usize;
        if [a, b, c, d] != MAGIC || size > MAX_SIZE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Self { operation, one_way: flags & ONE_WAY != 0, size })
    }
}

/// Receives messages into one buffer.
#[derive(Debug)]
pub(super) struct Inbox {
    buffer: Vec<u8>,
    /// What has been received and not taken.
    start: usize,
    end: usize,
    /// The message that was taken last.
    taken: std::ops::Range<usize>,
}

impl Inbox {
    pub(super) fn new() -> Self {
        Self { buffer: vec![0; FIRST_ROOM], start: 0, end: 0, taken: 0..0 }
    }

    /// The next message, header included; `None` when the stream has ended.
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

    /// The message that was received last, header included.
    pub(super) fn last(&self) -> &[u8] {
        self.buffer.get(self.taken.clone()).unwrap_or_default()
    }

    /// Makes room for a whole message at the start of what is pending.
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
