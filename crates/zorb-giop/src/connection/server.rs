//! The side that answers requests.

use alloc::boxed::Box;

use zorb_cdr::TextCoding;

use super::text_of;
use crate::{
    CodeSetContext, CodeSetError, GiopVersion, MessageHeader, Messaging, ProtocolError, Recalled,
    ServerMemory, ServiceContexts, ServiceId, text_coding,
};

/// What the answering side of a connection remembers.
#[derive(Debug)]
pub struct ServerConnection {
    code_sets: Option<CodeSetContext>,
    /// How text is written in messages of the version used last.
    text: Option<(GiopVersion, TextCoding)>,
    highest: GiopVersion,
    closing: bool,
    /// Whether its requests come from any number of clients.
    per_request: bool,
    memory: Option<Box<dyn ServerMemory>>,
}

impl ServerConnection {
    /// A connection just accepted.
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

    /// A connection just accepted whose messages are those of `messaging`, if there is one.
    pub fn speaking(messaging: Option<&dyn Messaging>) -> Self {
        let memory = messaging.and_then(|messaging| messaging.server_memory());
        Self { memory, ..Self::new() }
    }

    /// What stands for a connection where there is none, as with datagrams: what a request says of code
    /// sets holds for it alone.
    pub const fn connectionless() -> Self {
        let mut none = Self::new();
        none.per_request = true;
        none
    }

    /// Whether its ends remember earlier requests.
    #[inline]
    pub fn remembers(&self) -> bool {
        self.memory.is_some()
    }

    /// Takes note of a whole Request in its turn on the wire, before it is read, and finds what it
    /// leaves out.
    ///
    /// # Errors
    /// Those of [`ServerMemory::recall`].
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

    /// Takes note of a request in its turn on the wire, and says how its text and that of its
    /// reply is written. The first request that has a CodeSets context decides for the
    /// connection; later ones must say the same and are not looked at.
    ///
    /// # Errors
    /// `Malformed` for a context that cannot be read, `NotSupported` for a code set that was not
    /// offered: answer with the exception that [`CodeSetError`] names.
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

    /// As [`begin_request`](Self::begin_request), of a request whose contexts have not been looked at;
    /// `None` where they may matter: as long as the client may choose the code sets.
    #[inline]
    pub fn begin_unread(&mut self, version: GiopVersion) -> Option<TextCoding> {
        self.code_sets?;
        self.highest = self.highest.max(version);
        self.text(version).ok()
    }

    /// How text is written in messages of `version`.
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

    /// The code sets that the client chose, once it has.
    pub fn code_sets(&self) -> Option<CodeSetContext> {
        self.code_sets
    }

    /// The highest version that the client has used: what CloseConnection is sent in.
    #[inline]
    pub fn highest_version(&self) -> GiopVersion {
        self.highest
    }

    /// Says that the connection is being closed: answer no request that comes from now on, finish
    /// those begun, then send CloseConnection. Whether this is the first call.
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
