//! The receiving half of a connection: octets in, whole messages out.

mod limits;
mod partial;

use alloc::vec::Vec;

pub use limits::Limits;
use partial::{Joined, Partials, Step};

use crate::messaging::whole::size_of_header;
use crate::{HEADER_SIZE, MessageHeader, Messaging, ProtocolError, ProtocolErrorKind};

/// How many messages in a row must fit the kept capacity before a larger buffer is given up.
const SHRINK_AFTER: u32 = 64;

/// Cuts what a transport receives into messages and joins fragments, without any I/O.
///
/// Receive into [`space`](Self::space), say how much came with [`advance`](Self::advance), and
/// [`poll`](Self::poll) until it returns `None`:
///
/// ```
/// use zorb_cdr::ByteOrder;
/// use zorb_giop::{Inbound, Limits, MessageKind, MessageWriter};
///
/// let mut sent = Vec::new();
/// MessageWriter::message_error(&mut sent, ByteOrder::Little);
///
/// let mut inbound = Inbound::new(Limits::default());
/// for octet in sent {
///     inbound.space()[0] = octet; // in earnest: `stream.recv(inbound.space())?`
///     inbound.advance(1);
///     while let Some(header) = inbound.poll()? {
///         assert_eq!(header.kind, MessageKind::MessageError);
///         assert_eq!(inbound.current().len(), 12);
///     }
/// }
/// assert!(inbound.is_idle());
/// # Ok::<(), zorb_giop::ProtocolError>(())
/// ```
///
/// A message is lent in place, header and all. The buffer grows with what has really arrived,
/// never by what a header claims: at most to twice its size, and no further than the message
/// needs. Messages within the kept capacity allocate nothing.
#[derive(Debug)]
pub struct Inbound {
    limits: Limits,
    /// All of it may be written to; `start..end` holds octets received and not used up.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The header at `start`, once it is here and the message is known not to be whole.
    next: Option<MessageHeader>,
    current: Current,
    partials: Partials,
    /// The message that `Current::Joined` means; otherwise a buffer for the next one.
    joined: Joined,
    /// Messages in a row that fit the kept capacity.
    small_messages: u32,
    /// What frames the messages, if it is not GIOP.
    messaging: Option<&'static dyn Messaging>,
    /// Octets of a header.
    // So small that adding a message's size to it cannot overflow.
    header_size: u8,
}

/// Where the message is that `poll` returned last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Current {
    /// There is none, or it was released.
    None,
    /// So many octets at `start`.
    InPlace(usize),
    /// Joined from fragments.
    Joined,
}

/// A message taken out of an [`Inbound`] together with its buffer.
///
/// Hand the buffer back as the `spare` of a later [`Inbound::take`], without clearing it.
#[derive(Debug, Default)]
pub struct Detached {
    /// The buffer; octets outside the message mean nothing.
    pub buffer: Vec<u8>,
    /// Where the message starts.
    pub start: usize,
    /// Where the message ends.
    pub end: usize,
    /// As [`Inbound::seams`].
    pub seams: Vec<u32>,
}

impl Detached {
    /// The message, header included.
    #[inline]
    pub fn message(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }
}

impl Inbound {
    /// An empty one; it allocates with the first call of [`space`](Self::space).
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: limits.made_sane(),
            buffer: Vec::new(),
            start: 0,
            end: 0,
            next: None,
            current: Current::None,
            partials: Partials::default(),
            joined: Joined::default(),
            small_messages: 0,
            messaging: None,
            header_size: HEADER_SIZE as u8,
        }
    }

    /// The same for messages of another messaging protocol than GIOP, if there is one.
    #[must_use]
    pub fn of(self, messaging: Option<&'static dyn Messaging>) -> Self {
        let header_size = messaging.map_or(HEADER_SIZE as u8, size_of_header);
        Self { messaging, header_size, ..self }
    }

    /// What frames the messages; `None` for GIOP.
    #[inline]
    pub fn messaging(&self) -> Option<&'static dyn Messaging> {
        self.messaging
    }

    /// Octets of a whole message.
    #[inline]
    fn total(&self, header: &MessageHeader) -> usize {
        (header.size as usize).saturating_add(usize::from(self.header_size))
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Where the next octets received go; never empty. Releases the current message. Call it
    /// only when [`poll`](Self::poll) has returned `None`, or the buffer must grow for nothing.
    pub fn space(&mut self) -> &mut [u8] {
        self.release();
        let length = self.buffer.len();
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if length > self.limits.kept_capacity && self.small_messages >= SHRINK_AFTER {
                self.buffer.truncate(self.limits.kept_capacity);
                self.buffer.shrink_to_fit();
            }
        } else if self.start > 0 && length - self.end < self.missing().max(length / 4) {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end >= self.buffer.len() {
            self.grow();
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// Says that `count` octets were put at the start of [`space`](Self::space).
    #[inline]
    pub fn advance(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.buffer.len());
    }

    /// Releases the current message and looks for the next whole one, fragments joined; its
    /// header then has the size of the whole and no `more_fragments`. `None` when more octets are
    /// needed. A CancelRequest for a message that is still incomplete drops both.
    ///
    /// # Errors
    /// What the peer did wrong; the connection is of no more use, and every later call fails too.
    #[inline(always)] // two places on the path of every call
    pub fn poll(&mut self) -> Result<Option<MessageHeader>, ProtocolError> {
        self.release();
        loop {
            let header = match self.next {
                Some(header) => header,
                None => match self.parse()? {
                    Some(header) => header,
                    None => return Ok(None),
                },
            };
            let total = self.total(&header);
            if self.end - self.start < total {
                self.next = Some(header);
                return Ok(None);
            }
            if self.partials.concerns(&header) {
                match self.sort_in(header, total)? {
                    Step::Whole => {}
                    Step::Absorbed => continue,
                    Step::Joined(header) => return Ok(Some(header)),
                }
            }
            self.current = Current::InPlace(total);
            return Ok(Some(header));
        }
    }

    /// How many octets of the next message are missing, when its header is here and it is whole in
    /// itself, with no fragments of any message waiting. Ask it when [`poll`](Self::poll) has returned
    /// `None`.
    #[inline]
    pub fn missing_end(&self) -> Option<usize> {
        let header = self.next.as_ref()?;
        let missing = self.total(header).saturating_sub(self.end - self.start);
        (missing > 0 && !self.partials.concerns(header)).then_some(missing)
    }

    /// Says that the [missing end](Self::missing_end) of the next message has been received somewhere
    /// else: the message becomes the [current](Self::current) one, without its end. The header tells
    /// the size of the whole. `None`, and nothing done, when no end is missing.
    pub fn end_is_elsewhere(&mut self) -> Option<MessageHeader> {
        self.missing_end()?;
        self.current = Current::InPlace(self.end - self.start);
        self.next
    }

    /// The message that [`poll`](Self::poll) returned last, header included; empty once released.
    #[inline]
    pub fn current(&self) -> &[u8] {
        match self.current {
            Current::None => &[],
            Current::InPlace(total) => {
                self.buffer.get(self.start..self.start + total).unwrap_or_default()
            }
            Current::Joined => &self.joined.octets,
        }
    }

    /// Where in the [current](Self::current) message a part begins that has an alignment of its
    /// own, as the Fragments of GIOP 1.1 have: see [`CdrReader::with_parts`] and [`HEADER_SIZE`].
    /// Empty but for those.
    ///
    /// [`CdrReader::with_parts`]: zorb_cdr::CdrReader::with_parts
    #[inline]
    pub fn seams(&self) -> &[u32] {
        match self.current {
            Current::Joined => &self.joined.seams,
            Current::None | Current::InPlace(_) => &[],
        }
    }

    /// Hands the current message over with its buffer and goes on in `spare`, into which only
    /// octets behind the message are copied. Empty when no message is current.
    pub fn take(&mut self, spare: Vec<u8>) -> Detached {
        let mut detached = Detached { buffer: spare, ..Detached::default() };
        self.take_into(&mut detached);
        detached
    }

    /// As [`take`](Self::take): the message takes the place of an earlier one, in whose buffer it goes on.
    #[inline]
    pub fn take_into(&mut self, detached: &mut Detached) {
        match core::mem::replace(&mut self.current, Current::None) {
            Current::InPlace(total) => {
                self.count_message(total);
                core::mem::swap(&mut self.buffer, &mut detached.buffer);
                detached.start = self.start;
                detached.end = self.start + total;
                if !detached.seams.is_empty() {
                    detached.seams.clear();
                }
                let rest = detached.buffer.get(detached.end..self.end).unwrap_or_default();
                let least = self.limits.initial_capacity;
                if !rest.is_empty() || self.buffer.len() < least {
                    go_on_with(&mut self.buffer, rest, least);
                }
                self.start = 0;
                self.end = rest.len();
                self.next = None;
            }
            other => self.take_apart(other, detached),
        }
    }

    /// The same where the message is not in the buffer, if there is one.
    #[cold]
    fn take_apart(&mut self, current: Current, detached: &mut Detached) {
        let Detached { buffer, start, end, seams } = detached;
        seams.clear();
        (*start, *end) = (0, 0);
        if current == Current::Joined {
            core::mem::swap(buffer, &mut self.joined.octets);
            core::mem::swap(seams, &mut self.joined.seams);
            *end = buffer.len();
            self.joined.clear();
        }
    }

    /// Whether octets behind the current message are already here, be it a whole message or the
    /// beginning of one. The end of the stream is no reason to stop before they were polled.
    #[inline]
    pub fn has_buffered(&self) -> bool {
        let used = if let Current::InPlace(total) = self.current { total } else { 0 };
        self.end > self.start + used
    }

    /// Whether the stream may end here: no message is current, begun or waiting for fragments.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.current == Current::None && !self.has_buffered() && self.partials.is_empty()
    }

    /// Whether the first fragments of a message with this request id have come, and not the last.
    pub fn has_part_of(&self, request_id: u32) -> bool {
        self.partials.contains(request_id)
    }

    /// Gives the current message up; [`poll`](Self::poll) and [`space`](Self::space) do it too.
    #[inline]
    pub fn release(&mut self) {
        match core::mem::replace(&mut self.current, Current::None) {
            Current::None => {}
            Current::InPlace(total) => {
                self.count_message(total);
                self.consume(total);
            }
            Current::Joined => {
                if self.joined.octets.capacity() > self.limits.kept_capacity {
                    self.joined = Joined::default();
                }
                self.joined.clear();
            }
        }
    }

    /// Octets that the buffer has room for: what this connection costs in memory, fragments
    /// left out.
    pub fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// The header at `start`, if it is here.
    #[inline(always)]
    fn parse(&self) -> Result<Option<MessageHeader>, ProtocolError> {
        let received = self.buffer.get(self.start..self.end).unwrap_or_default();
        let parsed = match self.messaging {
            None => MessageHeader::parse_prefix(received)?,
            Some(messaging) => messaging.parse_header(received)?,
        };
        match parsed {
            Some(header) if self.total(&header) > self.limits.max_message_size => {
                Err(self.too_large(&header))
            }
            parsed => Ok(parsed),
        }
    }

    #[cold]
    fn too_large(&self, header: &MessageHeader) -> ProtocolError {
        let size = u64::from(header.size) + u64::from(self.header_size);
        ProtocolErrorKind::MessageTooLarge { size, limit: self.limits.max_message_size }.into()
    }

    /// The header goes by value: one whose address is taken is written to the stack and read again in
    /// another width, by every message.
    fn sort_in(&mut self, header: MessageHeader, total: usize) -> Result<Step, ProtocolError> {
        let message = self.buffer.get(self.start..self.start + total).unwrap_or_default();
        let step = self.partials.sort_in(&header, message, &self.limits, &mut self.joined)?;
        match step {
            Step::Whole => {}
            Step::Absorbed => self.consume(total),
            Step::Joined(_) => {
                self.consume(total);
                self.current = Current::Joined;
            }
        }
        Ok(step)
    }

    #[inline]
    fn consume(&mut self, total: usize) {
        self.start = (self.start + total).min(self.end);
        self.next = None;
    }

    #[inline]
    fn count_message(&mut self, total: usize) {
        self.small_messages = match total <= self.limits.kept_capacity {
            true => self.small_messages.saturating_add(1),
            false => 0,
        };
    }

    /// Octets still missing from what is known of the next message.
    fn missing(&self) -> usize {
        let wanted = self.next.map_or(self.header_size.into(), |header| self.total(&header));
        wanted.saturating_sub(self.end - self.start)
    }

    #[cold]
    fn grow(&mut self) {
        let length = self.buffer.len();
        let doubled = length.saturating_mul(2).max(self.limits.initial_capacity);
        // `missing` is 0 only for a caller that did not poll first.
        let wanted = match self.missing() {
            0 => doubled,
            missing => doubled.min(self.end + missing.max(1)),
        }
        .max(self.limits.initial_capacity);
        self.buffer.reserve_exact(wanted - length);
        self.buffer.resize(wanted, 0);
    }
}

/// Has `buffer` begin with `rest`, the octets behind a message that was taken.
#[inline(never)]
fn go_on_with(buffer: &mut Vec<u8>, rest: &[u8], least: usize) {
    let wanted = rest.len().max(least);
    if buffer.len() < wanted {
        buffer.resize(wanted.max(buffer.capacity()), 0);
    }
    if let Some(place) = buffer.get_mut(..rest.len()) {
        place.copy_from_slice(rest);
    }
}
