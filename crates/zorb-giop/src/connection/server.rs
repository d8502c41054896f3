//! The server side of a connection.

use alloc::boxed::Box;

use zorb_cdr::TextCoding;

use super::text_of;
use crate::{
    CodeSetContext, CodeSetError, GiopVersion, MessageHeader, Messaging, ProtocolError, Recalled,
    ServerMemory, ServiceContexts, ServiceId, text_coding,
};

/// The state of the server side of a connection.
#[derive(Debug)]
pub struct ServerConnection {
    code_sets: Option<CodeSetContext>,
    /// The version of the last message, and its text coding.
    text: Option<(GiopVersion, TextCoding)>,
    highest: GiopVersion,
    closing: bool,
    /// Whether code sets are those of each request, as requests come from several clients.
    per_request: bool,
    memory: Option<Box<dyn ServerMemory>>,
}

impl ServerConnection {
    /// A new connection.
    pub const fn new() -> Self {
        Self {
            code_sets: None,
            text: None,
            highest: GiopVersion::V1_0,
            closing: false,
            per_request: false,
            memory: None,
        }
    }

    /// A new connection with the messaging protocol `messaging`, if it is not GIOP.
    pub fn speaking(messaging: Option<&dyn Messaging>) -> Self {
        let memory = messaging.and_then(|messaging| messaging.server_memory());
        Self { memory, ..Self::new() }
    }

    /// The state for a transport without connections, such as datagrams: the code sets of a request apply to
    /// that request only.
    pub const fn connectionless() -> Self {
        let mut none = Self::new();
        none.per_request = true;
        none
    }

    /// Whether the messaging protocol has state about earlier requests.
    #[inline]
    pub fn remembers(&self) -> bool {
        self.memory.is_some()
    }

    /// Processes a whole Request in the order of the wire, before its header is read, and looks up what it
    /// omits.
    ///
    /// # Errors
    /// As [`ServerMemory::recall`].
    pub fn recall(
        &mut self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<Recalled, ProtocolError> {
        match &mut self.memory {
            Some(memory) => memory.recall(message, header),
            None => Ok(Recalled::Nothing),
        }
    }

    /// Processes a request in the order of the wire, and returns the text coding of the request and its
    /// reply. The first CodeSets context applies to the connection; later ones must be the same and are
    /// ignored.
    ///
    /// # Errors
    /// `Malformed` for a malformed context, `NotSupported` for a code set that Zorb does not offer. Reply
    /// with the exception of [`CodeSetError`].
    #[inline]
    pub fn begin_request(
        &mut self,
        version: GiopVersion,
        contexts: &ServiceContexts<'_>,
    ) -> Result<TextCoding, CodeSetError> {
        self.highest = self.highest.max(version);
        if self.code_sets.is_none()
            && version > GiopVersion::V1_0
            && let Some(data) = contexts.find(ServiceId::CODE_SETS)
        {
            let context = CodeSetContext::decode(data).map_err(CodeSetError::Malformed)?;
            let text = text_coding(context, version)?;
            if self.per_request {
                return Ok(text);
            }
            self.code_sets = Some(context);
            self.text = None;
        }
        self.text(version)
    }

    /// As [`begin_request`](Self::begin_request), without the contexts of the request. `None` if they are
    /// needed because the connection has no code sets yet.
    #[inline]
    pub fn begin_unread(&mut self, version: GiopVersion) -> Option<TextCoding> {
        self.code_sets?;
        self.highest = self.highest.max(version);
        self.text(version).ok()
    }

    /// The text coding of messages of `version`.
    ///
    /// # Errors
    /// None after a successful [`begin_request`](Self::begin_request).
    #[inline]
    pub fn text(&mut self, version: GiopVersion) -> Result<TextCoding, CodeSetError> {
        match self.text {
            Some((of, text)) if of == version => Ok(text),
            _ => {
                let text = text_of(self.code_sets, version)?;
                self.text = Some((version, text));
                Ok(text)
            }
        }
    }

    /// The code sets of the connection, once a request has set them.
    pub fn code_sets(&self) -> Option<CodeSetContext> {
        self.code_sets
    }

    /// The highest version that the client has used, in which CloseConnection is sent.
    #[inline]
    pub fn highest_version(&self) -> GiopVersion {
        self.highest
    }

    /// Begins the shutdown: ignore new requests, complete those in progress, then send CloseConnection.
    /// Returns whether this is the first call.
    pub fn begin_closing(&mut self) -> bool {
        !core::mem::replace(&mut self.closing, true)
    }

    /// Whether the connection is being closed.
    #[inline]
    pub fn is_closing(&self) -> bool {
        self.closing
    }
}

impl Default for ServerConnection {
    fn default() -> Self {
        Self::new()
    }
}
