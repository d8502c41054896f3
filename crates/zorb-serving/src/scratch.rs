//! Buffers and caches of a serving thread.

use std::sync::Arc;

use zorb_giop::{Detached, Messaging};
use zorb_poa::AdapterCache;

use crate::message::RequestMessage;

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
    /// Frees buffers that are larger than what a connection retains.
    #[cold]
    pub(super) fn shrink(&mut self) {
        if self.request.is_large() {
            self.request = Detached::default();
        }
        self.spare.take_if(|spare| spare.octets.is_large());
    }
}
