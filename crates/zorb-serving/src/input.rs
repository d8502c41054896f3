//! The reading side of a connection.

use zorb_giop::{Inbound, Incomplete, ServerReceiver};

/// The state of the thread that reads from a connection. Passing it to another thread exchanges a pointer,
/// without a lock.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) inbound: Inbound,
    /// The protocol state, and what was negotiated with the client.
    pub(super) receiver: ServerReceiver,
    /// The number of further requests for which the connection counts as shared by several callers.
    pub(super) shared_for: u8,
    /// The incomplete message that was recorded in the connection's progress.
    pub(super) awaited: Incomplete,
    /// How one of the connection's own threads waits.
    pub(super) wait: WaitState,
    /// Whether the stream is read until it is empty or has ended, as an event has said that it has ended.
    pub(super) at_end: bool,
    /// Whether the last receive emptied the stream.
    pub(super) drained: bool,
    /// The end of the current message, if it lies in a shared buffer of the stream.
    #[cfg(feature = "buffers")]
    pub(super) shared_end: Option<zorb_transport::ReceivedBuffer>,
}

/// How one of a connection's own threads waits for octets; it frees large buffers if none arrive soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitState {
    /// Up to the idle timeout.
    Usual,
    /// Briefly: there are large buffers.
    Brief,
    /// Up to the idle timeout although there are large buffers: the next message needs them.
    Needed,
}

impl Input {
    pub(super) fn new(inbound: Inbound, receiver: ServerReceiver) -> Box<Self> {
        Box::new(Self {
            inbound,
            receiver,
            shared_for: 0,
            awaited: Incomplete::FIRST,
            wait: WaitState::Usual,
            at_end: false,
            drained: false,
            #[cfg(feature = "buffers")]
            shared_end: None,
        })
    }

    /// Whether there is more than the current message: octets that have been received already, or may be in the stream.
    /// Otherwise an event reports what arrives next.
    #[inline]
    pub(super) fn has_more(&self) -> bool {
        self.inbound.has_buffered() || !self.drained
    }
}
