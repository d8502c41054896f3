//! Buffers and caches of a serving thread.

use std::sync::Arc;
use std::time::Duration;

use zorb_giop::{DetachedMessage, Limits, Messaging};
use zorb_poa::AdapterCache;

use crate::message::RequestMessage;
use crate::own_threads::before_upcall::Seen;

/// The octets of a reply buffer that an idle thread retains.
const RETAINED: usize = Limits::DEFAULT.retained_capacity;

/// How long a thread keeps large buffers while nothing arrives.
pub(super) const LARGE_LINGER: Duration = Duration::from_secs(1);

/// What a serving thread reuses from request to request.
pub(crate) struct Scratch {
    /// The last request, whose buffer the next one takes over.
    pub(super) request: DetachedMessage,
    pub(super) reply: Vec<u8>,
    pub(super) adapters: AdapterCache,
    /// Reads the last abbreviated request.
    pub(super) expansion: Option<Arc<dyn Messaging>>,
    /// For the next request that is queued.
    pub(super) spare: Option<Box<RequestMessage>>,
    /// What the thread of a connection's own is set up for.
    pub(super) set_up_for: Seen,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            request: DetachedMessage::default(),
            reply: Vec::new(),
            adapters: AdapterCache::default(),
            expansion: None,
            spare: None,
            set_up_for: Seen::NOTHING,
        }
    }
}

impl Scratch {
    /// Whether there are buffers that are larger than what a connection retains.
    #[inline]
    pub(super) fn is_large(&self) -> bool {
        self.request.is_large() || self.reply.capacity() > RETAINED
    }

    /// Frees them.
    #[cold]
    pub(super) fn shrink(&mut self) {
        if self.request.is_large() {
            self.request = DetachedMessage::default();
        }
        self.spare.take_if(|spare| spare.octets.is_large());
        if self.reply.capacity() > RETAINED {
            self.reply = Vec::new();
        }
    }

    /// Waits for work by `wait`, which returns `None` after its limit, with [large](Self::is_large) buffers: frees them if
    /// nothing comes within [`LARGE_LINGER`]. Out of line, as threads rarely have such: 20 instructions for each request.
    #[cold]
    pub(super) fn wait_with_large<T>(
        &mut self,
        limit: Option<Duration>,
        wait: &dyn Fn(Option<Duration>) -> Option<T>,
    ) -> Option<T> {
        let first = limit.map_or(LARGE_LINGER, |limit| limit.min(LARGE_LINGER));
        let found = wait(Some(first));
        if found.is_some() {
            return found;
        }
        self.shrink();
        match limit.map(|limit| limit.saturating_sub(first)) {
            Some(Duration::ZERO) => None,
            rest => wait(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn an_idle_thread_retains_no_large_reply() {
        let mut scratch = Scratch { reply: Vec::with_capacity(RETAINED), ..Scratch::default() };
        assert!(!scratch.is_large());
        scratch.reply = Vec::with_capacity(1 << 20);
        assert!(scratch.is_large());
        scratch.shrink();
        assert!(!scratch.is_large());
        assert_eq!(scratch.reply.capacity(), 0);
    }

    #[test]
    fn a_thread_of_a_lane_frees_large_buffers_before_it_waits_for_long() {
        let waits = RefCell::new(Vec::new());
        let wait = |found: Option<i32>| {
            let waits = &waits;
            move |limit: Option<Duration>| {
                waits.borrow_mut().push(limit.map(|limit| limit.as_secs()));
                found
            }
        };
        let minute = Some(Duration::from_secs(60));
        let large = || Vec::with_capacity(1 << 20);
        let mut scratch = Scratch { reply: large(), ..Scratch::default() };
        assert_eq!(scratch.wait_with_large(None, &wait(Some(7))), Some(7));
        assert!(scratch.is_large());
        assert_eq!(scratch.wait_with_large(minute, &wait(None)), None);
        assert!(!scratch.is_large());
        for limit in [None, Some(Duration::from_secs(1))] {
            scratch.reply = large();
            assert_eq!(scratch.wait_with_large(limit, &wait(None)), None);
            assert!(!scratch.is_large());
        }
        let expected = [Some(1), Some(1), Some(59), Some(1), None, Some(1)];
        assert_eq!(waits.into_inner(), expected, "the limit is for all waits together");
    }
}
