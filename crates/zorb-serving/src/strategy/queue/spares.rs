//! Messages for future requests.

use zorb_giop::{DetachedMessage, Limits};

use crate::message::RequestMessage;
use crate::strategy::backlog::MAX_WAITING;

/// The octets of the buffers that are allocated with the queue; those of larger requests grow.
pub(super) const SPARE_CAPACITY: usize = Limits::DEFAULT.initial_capacity;

/// Messages with buffers, for future requests.
#[derive(Debug)]
pub(super) struct Spares {
    // Boxed, because queued requests are.
    #[allow(clippy::vec_box)]
    messages: Vec<Box<RequestMessage>>,
    /// The total size of their buffers.
    octets: usize,
    max_octets: usize,
}

impl Spares {
    /// Messages for `count` requests. Their buffers are retained, and `max_octets` more.
    pub(super) fn new(count: usize, max_octets: usize) -> Self {
        let message = || Box::new(RequestMessage::with_capacity(SPARE_CAPACITY));
        let messages: Vec<_> = std::iter::repeat_with(message).take(count).collect();
        let octets = messages.len() * SPARE_CAPACITY;
        Self { octets, messages, max_octets: octets.saturating_add(max_octets) }
    }

    pub(super) fn take(&mut self) -> Option<Box<RequestMessage>> {
        let message = self.messages.pop()?;
        self.octets = self.octets.saturating_sub(message.octets.buffer.len());
        Some(message)
    }

    /// Retains the message of a served request, so that the next burst of this size allocates nothing.
    pub(super) fn put(&mut self, mut message: Box<RequestMessage>) {
        if message.octets.is_large() {
            message.octets.settle(&Limits::DEFAULT);
            if message.octets.is_large() {
                message.octets = DetachedMessage::default(); // others may need the memory
            }
        }
        let octets = self.octets.saturating_add(message.octets.buffer.len());
        if octets <= self.max_octets && self.messages.len() < MAX_WAITING {
            self.octets = octets;
            self.messages.push(message);
        }
    }
}
