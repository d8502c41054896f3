//! A Request that has been received, as a value of its own.

use std::sync::Arc;

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    Detached, GiopVersion, MessageHeader, MessageKind, Messaging, ResponseFlags, ServedRequest,
};

/// A Request that has been received, apart from the connection that it came over.
#[derive(Debug)]
pub(super) struct RequestMessage {
    pub(super) octets: Detached,
    pub(super) header: MessageHeader,
    /// What frames the messages of its connection; `None` for GIOP.
    pub(super) messaging: Option<&'static dyn Messaging>,
    /// What reads it, where it leaves something out.
    pub(super) expansion: Option<Arc<dyn Messaging>>,
    pub(super) request: ServedRequest,
    pub(super) response: ResponseFlags,
    pub(super) text: TextCoding,
    /// Its end, if it lies in a shared buffer of the stream.
    #[cfg(feature = "buffers")]
    pub(super) shared_end: Option<zorb_transport::ReceivedBuffer>,
}

impl Default for RequestMessage {
    fn default() -> Self {
        Self {
            octets: Detached::default(),
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
            #[cfg(feature = "buffers")]
            shared_end: None,
        }
    }
}

impl RequestMessage {
    /// An empty message with a buffer.
    pub(super) fn with_capacity(octets: usize) -> Self {
        let octets = Detached::with_buffer(vec![0; octets]);
        Self { octets, ..Self::default() }
    }

    /// Its octets.
    pub(super) fn size(&self) -> usize {
        let size = self.octets.message().len();
        #[cfg(feature = "buffers")]
        let size = size + self.shared_end.as_ref().map_or(0, |end| end.len());
        size
    }
}
