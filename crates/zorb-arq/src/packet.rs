//! The datagrams.

/// Octets at the beginning of every datagram.
const MAGIC: [u8; 3] = *b"zrq";

/// The most ranges of received octets that a datagram tells of.
pub const MAX_RANGES: usize = 8;

const OPEN: u8 = 1;
const ACCEPT: u8 = 2;
const DATA: u8 = 3;
const REFUSE: u8 = 4;

const FIN: u8 = 1;
const PING: u8 = 2;

/// Octets of a [`Packet::Open`], and the least of what asks a server for an answer.
pub const OPEN_SIZE: usize = 24;
/// Octets of a [`Packet::Refuse`].
pub const REFUSE_SIZE: usize = 12;
/// The most octets of a [`Data`] without what it carries.
pub const MAX_OVERHEAD: usize = 50 + 8 * MAX_RANGES;

/// A datagram. All numbers are big-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// A client asks for a connection, which it names by `id`. Padded, so that no answer is longer.
    Open {
        /// The client's name for the connection.
        id: u64,
    },
    /// A server's answer.
    Accept {
        /// The client's name for the connection.
        to: u64,
        /// The server's.
        id: u64,
    },
    /// Octets, and what has been received.
    Data(Data<'a>),
    /// There is no connection that is called so, or none any more.
    Refuse {
        /// What the connection was called in the datagram that this answers.
        id: u64,
    },
}

/// What travels on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// The receiver's name for the connection.
    pub to: u64,
    /// The sender's clock when it was sent, in microseconds and round at 2³².
    pub stamp: u32,
    /// The stamp of the newest datagram that this acknowledges.
    pub echo: u32,
    /// All before has been received.
    pub received: u64,
    /// Room behind that, in octets.
    pub window: u32,
    /// What has been received behind a gap, in order: begin and end as distances from `received`.
    pub ranges: Ranges,
    /// Where the octets lie in the stream.
    pub offset: u64,
    /// Whether the stream ends with them; the end counts as one octet.
    pub fin: bool,
    /// Whether an answer is wanted at once.
    pub ping: bool,
    /// The octets.
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
        if let Some(place) = self.ranges.get_mut(self.count) {
            *place = (begin, end);
            self.count += 1;
        }
    }

    /// The ranges.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.ranges.iter().copied().take(self.count)
    }
}

impl<'a> Packet<'a> {
    /// Reads a datagram; `None` when it is none of these.
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

    /// Writes it over what `out` holds.
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

/// What has not been read yet.
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
            // In order, and with a gap before each.
            if begin <= last || end <= begin {
                return None;
            }
            last = end;
            ranges.push(begin, end);
        }
        let (fin, ping) = (flags & FIN != 0, flags & PING != 0);
        // No stream is as long as that.
        let long = 1 << 62;
        if received > long || offset > long {
            return None;
        }
        Some(Data { to, stamp, echo, received, window, ranges, offset, fin, ping, octets: self.0 })
    }
}
