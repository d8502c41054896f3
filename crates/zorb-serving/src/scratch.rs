//! Buffers and caches of a serving thread.

use std::sync::Arc;

use zorb_giop::{Detached, Messaging};
use zorb_poa::AdapterCache;

use crate::message::RequestMessage;

/// What a serving thread reuses from request to request.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The last request, whose buffer the next one takes over.
    pub(super) request: Detached,
    pub(super) reply: Vec<u8>,
    pub(super) adapters: AdapterCache,
    /// Reads the last abbreviated request.
    pub(super) expansion: Option<Arc<dyn Messaging>>,
    /// For the next request that is queued.
    pub(super) spare: Option<Box<RequestMessage>>,
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
