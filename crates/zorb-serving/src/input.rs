//! The reading side of a connection.

use zorb_giop::{Inbound, ServerReceiver};

use crate::progress::Incomplete;

/// What only the thread that reads from a connection uses. Passing it on to another thread is one exchange
/// of a pointer, without a lock.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) inbound: Inbound,
    /// What was negotiated with the client.
    pub(super) receiver: ServerReceiver,
    /// For how many more requests the connection counts as shared by several callers.
    pub(super) shared_for: u8,
    /// The incomplete message that its connection notes as the one to wait for.
    pub(super) awaited: Incomplete,
    /// How a thread of the connection's own waits.
    pub(super) wait: WaitState,
    /// Whether the last receive has taken all that was there.
    pub(super) drained: bool,
    /// The end of the current message, if it lies in a shared buffer of the stream.
    #[cfg(feature = "buffers")]
    pub(super) shared_end: Option<zorb_transport::ReceivedBuffer>,
}

/// How a thread of a connection's own waits for octets, so that it frees large buffers if none come soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitState {
    /// For as long as a connection may be idle.
    Usual,
    /// For a moment: there are large buffers.
    Brief,
    /// As usual, although there are large buffers: the next message needs them.
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
            drained: false,
            #[cfg(feature = "buffers")]
            shared_end: None,
        })
    }
}
