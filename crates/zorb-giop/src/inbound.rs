//! The receiving half of a connection: splits octets into messages.

mod budget;
mod buffer;
mod detached;
mod limits;
mod partial;
mod take;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use alloc::vec::Vec;

pub use budget::{Charge, MessageBudget};
pub use detached::DetachedMessage;
pub use limits::Limits;
use partial::{Joined, Outcome, Partials};

use crate::messaging::frame::effective_size;
use crate::{HEADER_SIZE, MessageHeader, Messaging, ProtocolError, ProtocolErrorKind};

/// Splits received octets into messages and joins fragments, without I/O.
///
/// Receive octets into [`space`](Self::space), report their number to [`advance`](Self::advance), and call
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
///     inbound.space()[0] = octet; // in practice: `stream.recv(inbound.space())?`
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
/// A message is borrowed from the buffer, with its header. The buffer grows with the octets received, not
/// with the size in a header: at most to twice its size, and not beyond the size of the message. Messages
/// within the retained capacity need no allocation. A [budget](Self::with_budget) limits the buffers of many
/// connections together; without memory, `poll` fails and nothing aborts.
#[derive(Debug)]
pub struct Inbound {
    limits: Limits,
    /// `start..end` are the octets received and not consumed. All of the buffer is initialized.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The header at `start`, if it was received but the message is incomplete.
    next: Option<MessageHeader>,
    current: Current,
    partials: Partials,
    /// The message of `Current::Joined`, otherwise a spare buffer.
    joined: Joined,
    /// Number of successive messages that fit into the retained capacity while the buffer is larger.
    small_messages: u32,
    /// What is charged for the buffer: its capacity beyond the retained one.
    charge: Charge,
    /// The messaging protocol, if it is not GIOP.
    messaging: Option<&'static dyn Messaging>,
    /// The size of a header in octets.
    header_size: u8,
}

/// The message that `poll` returned last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Current {
    /// None, or it was released.
    None,
    /// This number of octets at `start`.
    InPlace(usize),
    /// Joined from fragments.
    Joined,
    /// None any more: there was no memory for this number of octets behind a message that was taken.
    Lost(usize),
}

impl Inbound {
    /// An empty `Inbound`. The first call of [`space`](Self::space) allocates its buffer.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: limits.normalized(),
            buffer: Vec::new(),
            start: 0,
            end: 0,
            next: None,
            current: Current::None,
            partials: Partials::default(),
            joined: Joined::default(),
            small_messages: 0,
            charge: Charge::default(),
            messaging: None,
            header_size: HEADER_SIZE as u8,
        }
    }

    /// Sets the messaging protocol; `None`, the default, is GIOP.
    #[must_use]
    pub fn with_messaging(self, messaging: Option<&'static dyn Messaging>) -> Self {
        let declared = messaging.map_or(HEADER_SIZE as u8, |messaging| messaging.header_size());
        let header_size = effective_size(declared);
        Self { messaging, header_size, ..self }
    }

    /// The same with a budget, which it shares with other connections.
    #[must_use]
    pub fn with_budget(self, budget: Arc<MessageBudget>) -> Self {
        let partials = Partials::charged_to(Arc::clone(&budget));
        Self { charge: Charge::to(budget), partials, ..self }
    }

    /// The messaging protocol; `None` for GIOP.
    #[inline]
    pub fn messaging(&self) -> Option<&'static dyn Messaging> {
        self.messaging
    }

    /// The size of a whole message in octets.
    #[inline]
    fn total(&self, header: &MessageHeader) -> usize {
        (header.size as usize).saturating_add(usize::from(self.header_size))
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Reports that `count` octets were received at the start of [`space`](Self::space).
    #[inline]
    pub fn advance(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.buffer.len());
    }

    /// Releases the current message, and returns the header of the next whole message; `None` if more octets
    /// are needed. Fragments are joined: the header has the size of the whole message and no
    /// `more_fragments`. A CancelRequest for an incomplete message drops both.
    ///
    /// # Errors
    /// A protocol violation by the peer, or no memory for its message. The connection cannot be used any
    /// further: every later call fails too.
    #[inline(always)] // with `write_body`, `begin`, `prepare`: 9 % of a call in the client
    pub fn poll(&mut self) -> Result<Option<MessageHeader>, ProtocolError> {
        if let Current::Lost(octets) = self.current {
            return Err(ProtocolError::out_of_memory(octets));
        }
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
                if self.end == self.buffer.len() {
                    self.make_room()?;
                }
                return Ok(None);
            }
            if self.partials.concerns(&header) {
                match self.process(header, total)? {
                    Outcome::Whole => {}
                    Outcome::Absorbed => continue,
                    Outcome::Joined(header) => return Ok(Some(header)),
                }
            }
            self.current = Current::InPlace(total);
            return Ok(Some(header));
        }
    }

    /// The number of octets that the next message lacks, if its header was received, it is not fragmented,
    /// and no other message is incomplete. Call it after [`poll`](Self::poll) has returned `None`.
    #[inline]
    pub fn missing_end(&self) -> Option<usize> {
        let header = self.next.as_ref()?;
        let missing = self.total(header).saturating_sub(self.end - self.start);
        (missing > 0 && !self.partials.concerns(header)).then_some(missing)
    }

    /// Makes the next message the [current](Self::current) one without its [missing end](Self::missing_end), which
    /// the caller receives itself; its header has the size of the whole message. If no end is missing, returns
    /// `None` and changes nothing.
    pub fn complete_without_end(&mut self) -> Option<MessageHeader> {
        self.missing_end()?;
        self.current = Current::InPlace(self.end - self.start);
        self.next
    }

    /// The message that [`poll`](Self::poll) returned last, with its header; empty once it was released.
    #[inline]
    pub fn current(&self) -> &[u8] {
        match self.current {
            Current::None | Current::Lost(_) => &[],
            Current::InPlace(total) => {
                self.buffer.get(self.start..self.start + total).unwrap_or_default()
            }
            Current::Joined => &self.joined.octets,
        }
    }

    /// The offsets in the [current](Self::current) message at which a part with its own alignment base
    /// begins: the Fragments of GIOP 1.1, with the origin [`HEADER_SIZE`]. Empty for other messages. See
    /// [`CdrReader::with_parts`].
    ///
    /// [`CdrReader::with_parts`]: zorb_cdr::CdrReader::with_parts
    #[inline]
    pub fn fragment_starts(&self) -> &[u32] {
        match self.current {
            Current::Joined => &self.joined.fragment_starts,
            Current::None | Current::InPlace(_) | Current::Lost(_) => &[],
        }
    }

    /// Whether octets after the current message were received: a whole message or a part of one. After the
    /// end of the stream, poll for the messages in them.
    #[inline]
    pub fn has_buffered(&self) -> bool {
        let used = if let Current::InPlace(total) = self.current { total } else { 0 };
        self.end > self.start + used
    }

    /// Whether the stream may end here: no message is current or incomplete.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.current == Current::None && !self.has_buffered() && self.partials.is_empty()
    }

    /// A number that identifies the oldest message whose fragments have not all been received; `None` if there
    /// is none. Messages get successive numbers, which wrap around.
    pub fn oldest_fragmented(&self) -> Option<u32> {
        self.partials.oldest()
    }

    /// Whether a message with this request id is incomplete: fragments of it were received, but not the last.
    pub fn has_fragments_of(&self, request_id: u32) -> bool {
        self.partials.contains(request_id)
    }

    /// Releases the current message. [`poll`](Self::poll) and [`space`](Self::space) do it too.
    #[inline]
    pub fn release(&mut self) {
        match self.current {
            Current::None => {}
            // The buffer does not have them.
            Current::Lost(_) => self.end = self.start,
            Current::InPlace(total) => {
                self.current = Current::None;
                if self.is_large() {
                    self.count_message(total);
                }
                self.consume(total);
            }
            Current::Joined => {
                self.current = Current::None;
                self.joined.clear(self.limits.retained_capacity);
            }
        }
    }

    /// The header at `start`, if it was received.
    #[inline(always)] // 3 % of a call in the client
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

    /// The header is passed by value: taking its address would make `poll` spill it to the stack for every
    /// message.
    fn process(&mut self, header: MessageHeader, total: usize) -> Result<Outcome, ProtocolError> {
        let message = self.buffer.get(self.start..self.start + total).unwrap_or_default();
        let processed = self.partials.process(&header, message, &self.limits, &mut self.joined);
        let outcome = processed.inspect_err(|error| {
            if matches!(error.kind, ProtocolErrorKind::OutOfMemory(_)) {
                self.partials.clear();
            }
        })?;
        match outcome {
            Outcome::Whole => {}
            Outcome::Absorbed => self.consume(total),
            Outcome::Joined(_) => {
                self.consume(total);
                self.current = Current::Joined;
                let excess = self.excess(self.joined.octets.capacity());
                self.joined.charge = self.partials.split_charge(excess);
                if !self.joined.charge.set(excess) {
                    return Err(ProtocolError::out_of_memory(excess));
                }
            }
        }
        self.partials.settle();
        Ok(outcome)
    }

    #[inline]
    fn consume(&mut self, total: usize) {
        self.start = (self.start + total).min(self.end);
        self.next = None;
    }
}
