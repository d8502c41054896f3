//! The format of datagrams.

/// The size of a datagram's common header in octets.
const MAGIC: [u8; 3] = *b"zrq";

/// The maximum number of selectively acknowledged ranges in a datagram.
pub const MAX_RANGES: usize = 8;

const OPEN: u8 = 1;
const ACCEPT: u8 = 2;
const DATA: u8 = 3;
const REFUSE: u8 = 4;

const FIN: u8 = 1;
const PING: u8 = 2;

/// The size of a [`Packet::Open`] in octets, and the minimum size of a datagram that a server
/// answers.
pub const OPEN_SIZE: usize = 24;
/// The size of a [`Packet::Refuse`] in octets.
pub const REFUSE_SIZE: usize = 12;
/// The maximum size of a [`Data`] without its contents.
pub const MAX_OVERHEAD: usize = 50 + 8 * MAX_RANGES;

/// A datagram. All numbers are big-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// A client requests a connection with this `id`. Padded, so that no answer is longer.
    Open {
        /// The client's id of the connection.
        id: u64,
    },
    /// A server's answer.
    Accept {
        /// The client's id of the connection.
        to: u64,
        /// The server's id.
        id: u64,
    },
    /// Data and acknowledgements.
    Data(Data<'a>),
    /// There is no connection with this id.
    Refuse {
        /// The id in the datagram that this answers.
        id: u64,
    },
}

impl Packet<'_> {
    /// The same packet without its contents, but with its acknowledgements.
    #[must_use]
    pub fn without_octets(self) -> Self {
        match self {
            // The end follows the contents.
            Self::Data(data) if !data.octets.is_empty() => {
                Self::Data(Data { octets: &[], fin: false, ..data })
            }
            other => other,
        }
    }
}

/// Data and acknowledgements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// The receiver's id of the connection.
    pub to: u64,
    /// The sender's clock in microseconds, modulo 2³².
    pub stamp: u32,
    /// The timestamp of the newest datagram that this acknowledges.
    pub echo: u32,
    /// Everything before this position has been received.
    pub received: u64,
    /// The window after that, in octets.
    pub window: u32,
    /// The ranges received behind gaps, in order: start and end relative to `received`.
    pub ranges: Ranges,
    /// The position of the contents in the stream.
    pub offset: u64,
    /// Whether the stream ends with them; the end counts as one octet.
    pub fin: bool,
    /// Whether to answer at once.
    pub ping: bool,
    /// The contents.
    pub octets: &'a [u8],
}

/// A few ranges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    count: usize,
    ranges: [(u32, u32); MAX_RANGES],
}

impl Ranges {
    /// Adds a range if there is room.
    pub fn push(&mut self, begin: u32, end: u32) {
        if let Some(slot) = self.ranges.get_mut(self.count) {
            *slot = (begin, end);
            self.count += 1;
        }
    }

    /// The ranges.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.ranges.iter().copied().take(self.count)
    }
}

impl<'a> Packet<'a> {
    /// Parses a datagram; `None` if it is malformed.
    #[must_use]
    pub fn parse(datagram: &'a [u8]) -> Option<Self> {
        let mut rest = Rest(datagram.strip_prefix(&MAGIC)?);
        let packet = match rest.u8()? {
            OPEN => {
                let id = rest.u64()?;
                if datagram.len() != OPEN_SIZE {
                    return None;
                }
                rest = Rest(&[]);
                Self::Open { id }
            }
            ACCEPT => Self::Accept { to: rest.u64()?, id: rest.u64()? },
            REFUSE => Self::Refuse { id: rest.u64()? },
            DATA => {
                let data = rest.data()?;
                rest = Rest(&[]);
                Self::Data(data)
            }
            _ => return None,
        };
        rest.0.is_empty().then_some(packet)
    }

    /// Writes it to `out`, whose contents it replaces.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&MAGIC);
        match self {
            Self::Open { id } => {
                out.push(OPEN);
                out.extend_from_slice(&id.to_be_bytes());
                out.resize(OPEN_SIZE, 0);
            }
            Self::Accept { to, id } => {
                out.push(ACCEPT);
                out.extend_from_slice(&to.to_be_bytes());
                out.extend_from_slice(&id.to_be_bytes());
            }
            Self::Refuse { id } => {
                out.push(REFUSE);
                out.extend_from_slice(&id.to_be_bytes());
            }
            Self::Data(data) => {
                out.push(DATA);
                data.write(out);
            }
        }
    }
}

impl Data<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to.to_be_bytes());
        out.extend_from_slice(&self.stamp.to_be_bytes());
        out.extend_from_slice(&self.echo.to_be_bytes());
        out.extend_from_slice(&self.received.to_be_bytes());
        out.extend_from_slice(&self.window.to_be_bytes());
        out.extend_from_slice(&self.offset.to_be_bytes());
        let fin = if self.fin { FIN } else { 0 };
        let ping = if self.ping { PING } else { 0 };
        out.extend_from_slice(&[fin | ping, self.ranges.count as u8]);
        for (begin, end) in self.ranges.iter() {
            out.extend_from_slice(&begin.to_be_bytes());
            out.extend_from_slice(&end.to_be_bytes());
        }
        out.extend_from_slice(self.octets);
    }
}

/// The unread rest.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (octets, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*octets)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take().map(|[octet]| octet)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }

    fn data(&mut self) -> Option<Data<'a>> {
        let (to, stamp, echo) = (self.u64()?, self.u32()?, self.u32()?);
        let (received, window, offset) = (self.u64()?, self.u32()?, self.u64()?);
        let (flags, count) = (self.u8()?, self.u8()?);
        if flags & !(FIN | PING) != 0 || usize::from(count) > MAX_RANGES {
            return None;
        }
        let mut ranges = Ranges::default();
        let mut last = 0;
        for _ in 0..count {
            let (begin, end) = (self.u32()?, self.u32()?);
            // In order, with a gap before each.
            if begin <= last || end <= begin {
                return None;
            }
            last = end;
            ranges.push(begin, end);
        }
        let (fin, ping) = (flags & FIN != 0, flags & PING != 0);
        // No stream is that long.
        let long = 1 << 62;
        if received > long || offset > long {
            return None;
        }
        Some(Data { to, stamp, echo, received, window, ranges, offset, fin, ping, octets: self.0 })
    }
}
