//! The unsent messages of a connection.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::sync::Arc;
use std::time::Instant;

use zorb_giop::{CancelledRequests, Charge, MessageBudget};

/// Why a reply cannot wait for its client.
pub(crate) const NO_MEMORY: &str = "no memory for a queued reply (MaxBufferedOctets)";

/// The sending side of a connection, behind its lock.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Requests whose replies need not be sent.
    pub(crate) cancelled: CancelledRequests,
    pub(crate) state: OutputState,
    pub(crate) queue: OutputQueue,
    /// The time by which the client must have read the first message of the queue; `None` if one of the
    /// connection's own threads waits for that.
    pub(crate) deadline: Option<Instant>,
    /// Since when messages wait for the client; `None` if none wait.
    pub(crate) waits: Option<OutputWaits>,
    /// Whether the queue counts as a request in progress, which keeps the connection open.
    pub(crate) is_counted: bool,
}

/// Since when messages of a connection wait for its client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputWaits {
    /// When they began to wait. At no time since then was there none.
    pub(crate) begun: Instant,
    /// When the client last took octets; with a thread of the connection's own, when it began to send the message.
    pub(crate) progress: Instant,
}

impl Output {
    /// Notes that messages begin to wait for the client, or that it has taken octets.
    pub(crate) fn waits_progress(&mut self) {
        let now = Instant::now();
        let begun = self.waits.map_or(now, |waits| waits.begun);
        self.waits = Some(OutputWaits { begun, progress: now });
    }
}

/// Which thread sends next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OutputState {
    /// Any: the queue is empty.
    #[default]
    Free,
    /// Messages are queued, and no thread is sending.
    Queued,
    /// One of the connection's own threads is sending without the lock, and sends the queue afterwards.
    Sending,
    /// None: sending has failed.
    Broken,
}

/// Messages, or their ends, that the stream has not accepted.
#[derive(Debug, Default)]
pub(crate) struct OutputQueue {
    messages: VecDeque<Vec<u8>>,
    /// The number of octets of the first message that have been sent.
    sent: usize,
    /// The size of all queued messages, including the one that a thread is sending.
    octets: usize,
    /// The size of the message that a thread is sending.
    taken: usize,
    /// The messages' charge to the budget.
    charge: Charge,
}

/// The limits of an [`OutputQueue`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputLimits<'a> {
    /// The maximum size of all messages; a single message may be larger.
    pub(crate) octets: usize,
    pub(crate) budget: &'a Arc<MessageBudget>,
}

impl OutputQueue {
    /// Appends a message that consists of `parts`.
    ///
    /// # Errors
    /// The limit that it exceeds.
    pub(crate) fn put(
        &mut self,
        parts: &[IoSlice<'_>],
        limits: OutputLimits<'_>,
    ) -> Result<(), &'static str> {
        let size = parts.iter().map(|part| part.len()).sum();
        let octets = self.octets.saturating_add(size);
        if octets > limits.octets && self.octets > 0 {
            return Err("queued replies exceed MaxQueuedReplyOctets");
        }
        if self.octets == 0 {
            self.charge = Charge::to(Arc::clone(limits.budget));
        }
        let mut message = Vec::new();
        if !self.charge.set(octets) || message.try_reserve_exact(size).is_err() {
            return Err(NO_MEMORY);
        }
        parts.iter().for_each(|part| message.extend_from_slice(part));
        self.messages.push_back(message);
        self.octets = octets;
        Ok(())
    }

    /// The unsent part of the first message.
    pub(crate) fn first(&self) -> Option<&[u8]> {
        self.messages.front().and_then(|message| message.get(self.sent..))
    }

    /// Records that `count` more octets of the first message have been sent. Returns whether it is complete.
    pub(crate) fn advance(&mut self, count: usize) -> bool {
        self.sent += count;
        let is_finished = self.first().is_some_and(<[u8]>::is_empty);
        if is_finished {
            let _ = self.take();
            self.forget_taken();
        }
        is_finished
    }

    /// Removes the first message, which counts until the next one is taken. Also returns the number of its
    /// octets that have been sent.
    pub(crate) fn take(&mut self) -> Option<(Vec<u8>, usize)> {
        self.forget_taken();
        let message = self.messages.pop_front()?;
        self.taken = message.len();
        Some((message, std::mem::take(&mut self.sent)))
    }

    fn forget_taken(&mut self) {
        self.octets -= std::mem::take(&mut self.taken);
        self.charge.reduce(self.octets);
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(queue: &mut OutputQueue, size: usize, limit: usize) -> bool {
        put_charged(queue, size, limit, &Arc::new(MessageBudget::new(1 << 20)))
    }

    fn put_charged(
        queue: &mut OutputQueue,
        size: usize,
        octets: usize,
        budget: &Arc<MessageBudget>,
    ) -> bool {
        let message = vec![7; size];
        let (first, second) = message.split_at(size / 2);
        let parts = [IoSlice::new(first), IoSlice::new(second)];
        queue.put(&parts, OutputLimits { octets, budget }).is_ok()
    }

    #[test]
    fn messages_are_charged_until_they_have_been_sent() {
        let budget = Arc::new(MessageBudget::new(100));
        let [mut one, mut other] = [OutputQueue::default(), OutputQueue::default()];
        assert!(put_charged(&mut one, 30, 80, &budget) && put_charged(&mut one, 50, 80, &budget));
        assert_eq!(budget.used(), 80);
        assert!(!put_charged(&mut other, 21, 80, &budget), "the process has no more");
        assert!(put_charged(&mut other, 20, 80, &budget));
        assert!(!one.advance(29) && one.advance(1));
        assert_eq!(budget.used(), 70);
        assert!(one.take().is_some());
        assert_eq!(budget.used(), 70, "a thread is sending it");
        assert!(one.take().is_none());
        assert_eq!(budget.used(), 20);
        other.clear();
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn messages_together_have_the_limit_and_one_alone_may_be_larger() {
        let mut queue = OutputQueue::default();
        assert!(put(&mut queue, 30, 10), "it is alone");
        assert!(!put(&mut queue, 1, 10));
        assert!(!put(&mut queue, 1, 30));
        assert!(put(&mut queue, 1, 31));
        assert!(!queue.advance(29));
        assert_eq!(queue.first().map(<[u8]>::len), Some(1));
        assert!(!put(&mut queue, 1, 31), "a message counts until it has been sent");
        assert!(queue.advance(1));
        assert!(put(&mut queue, 9, 10));
        assert_eq!(queue.take().map(|(message, sent)| (message.len(), sent)), Some((1, 0)));
        assert!(!put(&mut queue, 9, 10), "the message that was taken is still being sent");
        assert_eq!(queue.take().map(|(message, sent)| (message.len(), sent)), Some((9, 0)));
        assert_eq!(queue.take(), None);
        assert!(put(&mut queue, 30, 10));
        queue.clear();
        assert!(queue.first().is_none() && put(&mut queue, 30, 10));
    }
}
