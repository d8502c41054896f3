//! The receiving half of a connection, with the memory that it holds.

use std::ops::Deref;

use allocation_counter::measure;
use zorb_giop::{Inbound, MessageHeader, ProtocolError};

/// An `Inbound` whose memory the allocator counts, independently of its own charges.
#[derive(Debug)]
pub(crate) struct MeteredInbound {
    inbound: Inbound,
    held: i64,
}

impl MeteredInbound {
    /// Counts the memory of a new `Inbound`, which has none yet.
    pub(crate) fn new(inbound: Inbound) -> Self {
        Self { inbound, held: 0 }
    }

    /// The octets that it holds.
    pub(crate) fn held(&self) -> usize {
        usize::try_from(self.held).expect("it frees no more than it has allocated")
    }

    fn metered<T>(&mut self, work: impl FnOnce(&mut Inbound) -> T) -> T {
        let mut result = None;
        let used = measure(|| result = Some(work(&mut self.inbound)));
        self.held += used.bytes_current;
        result.expect("it has run")
    }

    pub(crate) fn poll(&mut self) -> Result<Option<MessageHeader>, ProtocolError> {
        self.metered(Inbound::poll)
    }

    pub(crate) fn release(&mut self) {
        self.metered(Inbound::release);
    }

    /// As [`Inbound::space`].
    pub(crate) fn space(&mut self) -> &mut [u8] {
        self.metered(|inbound| {
            inbound.space();
        });
        // Its memory is allocated from here on.
        self.inbound.space()
    }

    pub(crate) fn advance(&mut self, count: usize) {
        self.inbound.advance(count);
    }
}

impl Deref for MeteredInbound {
    type Target = Inbound;

    fn deref(&self) -> &Inbound {
        &self.inbound
    }
}
