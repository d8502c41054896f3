//! The queues of one-way calls, which close with the cache.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_transport::Stream;

use crate::flow::FlowQueue;

/// The maximum time that the shutdown of an ORB waits for its queues of one-way calls.
const LAST_CALLS: Duration = Duration::from_secs(1);

/// A written one-way request.
#[derive(Debug)]
pub(in crate::client) struct Message {
    pub(in crate::client) octets: Vec<u8>,
    /// The latest time to send it; `None` if later requests depend on it.
    pub(in crate::client) deadline: Option<Instant>,
}

/// A queue of one-way calls, and the stream over which they are sent.
#[derive(Debug)]
pub(in crate::client) struct MessageQueue {
    pub(in crate::client) messages: FlowQueue<Message>,
    pub(in crate::client) stream: Arc<dyn Stream>,
}

impl MessageQueue {
    /// Waits until all messages have been sent, for at most until `deadline`, and stops. The queue has ended.
    fn close(&self, deadline: Instant) {
        if !self.messages.wait_until_done(deadline.saturating_duration_since(Instant::now())) {
            // Unblocks a thread that is sending.
            let _ = self.stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// The queues of closed caches, which have ended.
#[derive(Debug, Default)]
#[must_use]
pub(in crate::client) struct Closing(Vec<Arc<MessageQueue>>);

impl Closing {
    /// Ends queues, without waiting.
    pub(super) fn of(queues: Vec<Arc<MessageQueue>>) -> Self {
        queues.iter().for_each(|queue| queue.messages.end());
        Self(queues)
    }

    /// Adds more that ends at the same time.
    pub(in crate::client) fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Leaves all queued calls together a limited time.
    pub(in crate::client) fn finish(self) {
        let deadline = Instant::now() + LAST_CALLS;
        self.0.iter().for_each(|queue| queue.close(deadline));
    }
}
