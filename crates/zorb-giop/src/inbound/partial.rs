//! Joining fragments.

use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::CdrReader;

use super::{Charge, Limits, MessageBudget};
use crate::{
    CancelRequest, GiopVersion, HEADER_SIZE, MessageHeader, MessageKind, ProtocolError,
    ProtocolErrorKind, ServiceContexts,
};

/// Octets before the data of a GIOP 1.2 Fragment: the message header and the request id.
const FRAGMENT_HEADER_SIZE: usize = HEADER_SIZE + 4;

/// The incomplete fragmented messages of a connection.
///
/// ```text
/// GIOP 1.1:  Request, more | Fragment, more | Fragment           one at a time
/// GIOP 1.2:  Request 4, more | Request 6, more | Fragment 4 | Fragment 6
/// ```
///
/// In both versions the data of a Fragment is appended to that of the fragment before. In GIOP 1.1 each
/// Fragment has its own alignment base, so the offset of each is recorded; in 1.2 all fragments but the
/// last have sizes that preserve the alignment.
#[derive(Debug, Default)]
pub(super) struct Partials {
    /// In the order of their first fragments.
    messages: Vec<Partial>,
    /// Octets in `messages`.
    octets: usize,
    /// Octets that are allocated for `messages`: more than have been received, since buffers grow in steps and are
    /// used again.
    allocated: usize,
    /// Their charge.
    charge: Charge,
    /// The number of messages that have begun.
    begun: u32,
}

#[derive(Debug)]
struct Partial {
    /// How many messages had begun before.
    ordinal: u32,
    /// `None` in GIOP 1.1, where the id has no fixed position and is not needed.
    request_id: Option<u32>,
    /// The header of the first fragment.
    header: MessageHeader,
    fragments: u32,
    octets: Vec<u8>,
    /// The offset of each Fragment's data; in GIOP 1.1 only.
    fragment_starts: Vec<u32>,
}

/// A message joined from fragments.
#[derive(Debug, Default)]
pub(super) struct Joined {
    pub(super) octets: Vec<u8>,
    /// The offsets of parts with their own alignment base.
    pub(super) fragment_starts: Vec<u32>,
    /// What is charged for the octets.
    pub(super) charge: Charge,
}

impl Joined {
    /// Removes the message, and frees its buffer if it is larger than `retained`.
    pub(super) fn clear(&mut self, retained: usize) {
        if self.octets.capacity() > retained {
            *self = Self::default();
        }
        self.octets.clear();
        self.fragment_starts.clear();
        self.charge.clear();
    }
}

/// The outcome of processing a received message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is a whole message.
    Whole,
    /// It is a fragment of an incomplete message, or it cancelled one.
    Absorbed,
    /// It completed the message with this header.
    Joined(MessageHeader),
}

impl Partials {
    pub(super) fn charged_to(budget: Arc<MessageBudget>) -> Self {
        Self { charge: Charge::to(budget), ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Whether a message has to be processed here; most do not.
    pub(super) fn concerns(&self, header: &MessageHeader) -> bool {
        header.more_fragments || header.kind == MessageKind::Fragment || !self.messages.is_empty()
    }

    /// Processes a received message. A message that it completes is stored in `joined`.
    pub(super) fn process(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        limits: &Limits,
        joined: &mut Joined,
    ) -> Result<Outcome, ProtocolError> {
        if header.kind == MessageKind::Fragment {
            return self.append(header, message, limits, joined);
        }
        if header.more_fragments && !header.kind.is_fragmentable(header.version) {
            return Err(ProtocolErrorKind::NotFragmentable(header.kind, header.version).into());
        }
        if header.kind == MessageKind::CancelRequest {
            let cancel = CancelRequest::read(message, header)?;
            let is_partial = self.cancel(cancel.request_id);
            return Ok(if is_partial { Outcome::Absorbed } else { Outcome::Whole });
        }
        let ends_all =
            matches!(header.kind, MessageKind::CloseConnection | MessageKind::MessageError);
        if !ends_all && self.messages.iter().any(|partial| partial.request_id.is_none()) {
            return Err(ProtocolErrorKind::InterruptedFragments(header.kind).into());
        }
        if !header.more_fragments {
            return Ok(Outcome::Whole);
        }
        self.begin(header, message, limits, joined)?;
        Ok(Outcome::Absorbed)
    }

    fn begin(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        limits: &Limits,
        spare: &mut Joined,
    ) -> Result<(), ProtocolError> {
        let request_id = match header.version {
            GiopVersion::V1_2 => Some(id_at_start(message, header)?),
            _ => None,
        };
        if let Some(id) = request_id
            && self.messages.iter().any(|partial| partial.request_id == Some(id))
        {
            return Err(ProtocolErrorKind::DuplicateFragmented(id).into());
        }
        if self.messages.len() >= limits.max_partial_messages {
            let limit = limits.max_partial_messages;
            return Err(ProtocolErrorKind::TooManyPartialMessages(limit).into());
        }
        self.account(message.len(), limits)?;
        spare.clear(limits.retained_capacity);
        let Joined { octets, fragment_starts, .. } = core::mem::take(spare);
        let ordinal = self.begun;
        self.begun = ordinal.wrapping_add(1);
        let header = *header;
        let mut partial =
            Partial { ordinal, request_id, header, fragments: 1, octets, fragment_starts };
        let allocated = self.allocated.saturating_add(partial.allocated());
        if !self.charge.set(allocated) {
            return Err(ProtocolError::out_of_memory(allocated));
        }
        self.allocated = allocated;
        grow(&mut partial.octets, message.len(), &mut self.allocated, &mut self.charge)?;
        partial.octets.extend_from_slice(message);
        self.messages.push(partial);
        Ok(())
    }

    fn append(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        limits: &Limits,
        joined: &mut Joined,
    ) -> Result<Outcome, ProtocolError> {
        let (request_id, skipped) = match header.version {
            GiopVersion::V1_2 => (Some(id_at_start(message, header)?), FRAGMENT_HEADER_SIZE),
            _ => (None, HEADER_SIZE),
        };
        let payload = message.get(skipped..).unwrap_or_default();
        let found = self.messages.iter_mut().enumerate().find(|(_, p)| p.request_id == request_id);
        let Some((index, partial)) = found else {
            return Err(ProtocolErrorKind::UnexpectedFragment.into());
        };
        if partial.header.version != header.version || partial.header.order != header.order {
            return Err(ProtocolErrorKind::BadFragment.into());
        }
        partial.fragments = partial.fragments.saturating_add(1);
        if partial.fragments > limits.max_fragments {
            return Err(ProtocolErrorKind::TooManyFragments(limits.max_fragments).into());
        }
        let size = partial.octets.len().saturating_add(payload.len());
        if size > limits.max_message_size || u32::try_from(size).is_err() {
            let (size, limit) = (size as u64, limits.max_message_size);
            return Err(ProtocolErrorKind::MessageTooLarge { size, limit }.into());
        }
        let (allocated, charge) = (&mut self.allocated, &mut self.charge);
        if header.version < GiopVersion::V1_2 {
            grow(&mut partial.fragment_starts, 1, allocated, charge)?;
            // Cannot fail: `size` fits.
            partial.fragment_starts.extend(u32::try_from(partial.octets.len()));
        }
        grow(&mut partial.octets, payload.len(), allocated, charge)?;
        partial.octets.extend_from_slice(payload);
        self.account(payload.len(), limits)?;
        if header.more_fragments {
            return Ok(Outcome::Absorbed);
        }
        let partial = self.remove(index);
        let charge = Charge::default();
        *joined =
            Joined { octets: partial.octets, fragment_starts: partial.fragment_starts, charge };
        let size = joined.octets.len().saturating_sub(HEADER_SIZE);
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let whole = MessageHeader { more_fragments: false, size, ..partial.header };
        if let Some(first) = joined.octets.first_chunk_mut() {
            *first = whole.to_octets();
        }
        Ok(Outcome::Joined(whole))
    }

    /// Releases what is charged for messages that are not incomplete any more.
    pub(super) fn settle(&mut self) {
        self.charge.reduce(self.allocated);
    }

    /// Splits `octets` of the charge off, for a message that has been completed.
    pub(super) fn split_charge(&mut self, octets: usize) -> Charge {
        self.charge.split_off(octets)
    }

    /// Drops all incomplete messages.
    pub(super) fn clear(&mut self) {
        self.messages.clear();
        (self.octets, self.allocated) = (0, 0);
        self.charge.clear();
    }

    /// The ordinal number of the message that began first.
    pub(super) fn oldest(&self) -> Option<u32> {
        self.messages.first().map(|partial| partial.ordinal)
    }

    pub(super) fn contains(&self, id: u32) -> bool {
        self.messages.iter().any(|partial| partial.known_id() == Some(id))
    }

    /// Drops the incomplete message with this id; `false` if there is none.
    fn cancel(&mut self, id: u32) -> bool {
        let index = self.messages.iter().position(|partial| partial.known_id() == Some(id));
        index.map(|index| self.remove(index)).is_some()
    }

    fn remove(&mut self, index: usize) -> Partial {
        let partial = self.messages.remove(index);
        self.octets = self.octets.saturating_sub(partial.octets.len());
        self.allocated = self.allocated.saturating_sub(partial.allocated());
        partial
    }

    fn account(&mut self, count: usize, limits: &Limits) -> Result<(), ProtocolError> {
        self.octets = self.octets.saturating_add(count);
        if self.octets > limits.max_partial_octets {
            let (size, limit) = (self.octets as u64, limits.max_partial_octets);
            return Err(ProtocolErrorKind::MessageTooLarge { size, limit }.into());
        }
        Ok(())
    }
}

impl Partial {
    /// The octets that are allocated for it.
    fn allocated(&self) -> usize {
        self.octets.capacity() + self.fragment_starts.capacity() * size_of::<u32>()
    }

    /// The request id, if it was received.
    fn known_id(&self) -> Option<u32> {
        self.request_id.or_else(|| {
            let mut reader = CdrReader::new(&self.octets, self.header.order);
            reader.take(HEADER_SIZE, "message header").ok()?;
            ServiceContexts::read(&mut reader).ok()?;
            reader.read_u32().ok()
        })
    }
}

/// Makes room for `more` elements in a buffer of an incomplete message. What that takes is charged first, and added to
/// `allocated`.
fn grow<T>(
    buffer: &mut Vec<T>,
    more: usize,
    allocated: &mut usize,
    charge: &mut Charge,
) -> Result<(), ProtocolError> {
    let (before, wanted) = (buffer.capacity(), buffer.len().saturating_add(more));
    if wanted <= before {
        return Ok(());
    }
    let out_of_memory = || ProtocolError::out_of_memory(wanted);
    let capacity = wanted.max(before.saturating_mul(2));
    let grown = allocated.saturating_add((capacity - before).saturating_mul(size_of::<T>()));
    if !charge.set(grown) {
        return Err(out_of_memory());
    }
    buffer.try_reserve_exact(capacity - buffer.len()).map_err(|_| out_of_memory())?;
    *allocated = grown;
    Ok(())
}

/// The request id, which is the first field of a fragmented GIOP 1.2 message.
fn id_at_start(message: &[u8], header: &MessageHeader) -> Result<u32, ProtocolError> {
    let mut reader = CdrReader::new(message, header.order);
    reader
        .take(HEADER_SIZE, "message header")
        .and_then(|_| reader.read_u32())
        .map_err(|_| ProtocolErrorKind::BadFragment.into())
}
