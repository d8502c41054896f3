//! A received Request as a value.

use std::sync::Arc;

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    DetachedMessage, GiopVersion, MessageHeader, MessageKind, Messaging, ResponseFlags,
    ServedRequest,
};
use zorb_types::{CompletionStatus, SystemException, minor};

/// A received Request, independent of its connection.
#[derive(Debug)]
pub(super) struct RequestMessage {
    pub(super) octets: DetachedMessage,
    pub(super) header: MessageHeader,
    /// The messaging protocol of its connection; `None` for GIOP.
    pub(super) messaging: Option<&'static dyn Messaging>,
    /// Reads it, if it is abbreviated.
    pub(super) expansion: Option<Arc<dyn Messaging>>,
    pub(super) request: ServedRequest,
    pub(super) response: ResponseFlags,
    pub(super) text: TextCoding,
    /// Its priority, if its lane orders requests.
    pub(super) priority: i16,
    /// Whether nothing more is read from its connection until it has a thread.
    pub(super) suspends: bool,
    /// Its end, if that is in a shared buffer of the stream.
    #[cfg(feature = "buffers")]
    pub(super) shared_end: Option<zorb_transport::ReceivedBuffer>,
}

impl Default for RequestMessage {
    fn default() -> Self {
        Self {
            octets: DetachedMessage::default(),
            header: MessageHeader {
                version: GiopVersion::V1_0,
                order: ByteOrder::NATIVE,
                more_fragments: false,
                kind: MessageKind::Request,
                size: 0,
            },
            messaging: None,
            expansion: None,
            request: ServedRequest::default(),
            response: ResponseFlags::NoResponse,
            text: TextCoding::default(),
            priority: 0,
            suspends: false,
            #[cfg(feature = "buffers")]
            shared_end: None,
        }
    }
}

impl RequestMessage {
    /// An empty message with a buffer.
    pub(super) fn with_capacity(octets: usize) -> Self {
        let octets = DetachedMessage::with_buffer(vec![0; octets]);
        Self { octets, ..Self::default() }
    }

    /// Which request of its connection it is, if the client waits for the reply.
    pub(super) fn awaited(&self) -> Option<ServedRequest> {
        self.response.expects_reply().then_some(self.request)
    }

    /// Its size in octets.
    pub(super) fn size(&self) -> usize {
        let size = self.octets.end - self.octets.start;
        #[cfg(feature = "buffers")]
        let size = size + self.shared_end.as_ref().map_or(0, |end| end.len());
        size
    }
}

/// The exception for requests beyond the limit of a lane's queue.
#[cold]
pub(super) fn queue_full() -> SystemException {
    SystemException::transient(minor::transient::QUEUE_FULL, CompletionStatus::No)
}

/// The exception for requests that there is no memory to queue.
#[cold]
pub(super) fn no_message_memory() -> SystemException {
    SystemException::no_resources(minor::no_resources::MESSAGE_BUDGET, CompletionStatus::No)
}
