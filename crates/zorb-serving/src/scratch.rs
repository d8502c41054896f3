//! Buffers and caches of a serving thread.

use std::sync::Arc;

use zorb_giop::{Detached, Limits, Messaging};
use zorb_poa::AdapterCache;

use crate::message::RequestMessage;

/// The octets of a reply buffer that an idle thread retains.
const RETAINED: usize = Limits::DEFAULT.retained_capacity;

/// What a serving thread reuses from request to request.
pub(crate) struct Scratch {
    /// The last request, whose buffer the next one takes over.
    pub(super) request: Detached,
    pub(super) reply: Vec<u8>,
    pub(super) adapters: AdapterCache,
    /// Reads the last abbreviated request.
    pub(super) expansion: Option<Arc<dyn Messaging>>,
    /// For the next request that is queued.
    pub(super) spare: Option<Box<RequestMessage>>,
    /// The priority band for which the thread of a connection's own is set up; -1 for none.
    pub(super) band: i16,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            request: Detached::default(),
            reply: Vec::new(),
            adapters: AdapterCache::default(),
            expansion: None,
            spare: None,
            band: -1,
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
            self.request = Detached::default();
        }
        self.spare.take_if(|spare| spare.octets.is_large());
        if self.reply.capacity() > RETAINED {
            self.reply = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
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
}
