//! What a client has agreed on with the server of a connection.

use alloc::boxed::Box;

use zorb_cdr::TextCoding;

use super::request::{Announcement, NewRequest, RequestKind};
use crate::connection::text_of;
use crate::{
    ClientMemory, CodeSetContext, CodeSetError, Form, GiopVersion, Mention, Messaging, negotiate,
};

/// What a client has agreed on with the server of a connection: code sets, once for the whole
/// connection, and what their messaging protocol remembers of earlier requests.
#[derive(Debug)]
pub struct ClientSession {
    code_sets: Option<CodeSetContext>,
    /// How text is written in messages of the version used last.
    text: Option<(GiopVersion, TextCoding)>,
    code_sets_sent: bool,
    /// Whether what was said once need not have arrived.
    per_request: bool,
    memory: Option<Box<dyn ClientMemory>>,
}

impl ClientSession {
    /// A connection opened by this side. `code_sets` is what was [negotiated](crate::negotiate)
    /// from the reference's code set component; `None` where the reference has none.
    pub const fn new(code_sets: Option<CodeSetContext>) -> Self {
        Self { code_sets, text: None, code_sets_sent: false, per_request: false, memory: None }
    }

    /// A connection opened by this side whose messages are those of `messaging`, if there is one;
    /// `several_calls` is whether calls may be under way on it at the same time.
    pub fn speaking(messaging: Option<&dyn Messaging>, several_calls: bool) -> Self {
        let memory = messaging.and_then(|messaging| messaging.client_memory(several_calls));
        Self { memory, ..Self::new(None) }
    }

    /// What stands for a connection where there is none, as with datagrams: every request tells the code
    /// sets.
    pub const fn connectionless() -> Self {
        let mut none = Self::new(None);
        none.per_request = true;
        none
    }

    /// Whether there is no connection, and so nothing to close.
    pub fn is_connectionless(&self) -> bool {
        self.per_request
    }

    /// Finds how the text of a request is written, and what the request has to tell the server. The
    /// code sets are negotiated with the first request to a server that names its own. `is_next` is
    /// whether nothing else will be sent before this request.
    ///
    /// # Errors
    /// `Incompatible` when the two sides have no code set in common; `NotSupported`.
    #[inline(always)] // as `Inbound::poll`
    pub(super) fn prepare(
        &mut self,
        request: &NewRequest<'_>,
        is_next: bool,
    ) -> Result<(TextCoding, Announcement), CodeSetError> {
        if request.kind == RequestKind::Locate {
            // It has neither text nor service contexts.
            return Ok((TextCoding::default(), Announcement::Nothing));
        }
        let version = match request.form {
            Form::Giop(version) => version,
            Form::Other(messaging) if !self.remembers() => {
                return Ok((messaging.text(), Announcement::Nothing));
            }
            Form::Other(messaging) => {
                let NewRequest { key, operation, .. } = *request;
                return Ok((messaging.text(), self.announce(key, operation, is_next)));
            }
        };
        if let Some([own, server]) = request.code_sets
            && self.code_sets.is_none()
        {
            self.agree_on(negotiate(own, server)?);
        }
        // They go with the first request whose version has service contexts for them.
        let code_sets = self.code_sets_to_send(version);
        let announcement = code_sets.map_or(Announcement::Nothing, Announcement::CodeSets);
        Ok((self.text(version)?, announcement))
    }

    #[inline(never)]
    fn announce(&mut self, key: &[u8], operation: &str, is_next: bool) -> Announcement {
        let mention = self.mention(key, operation, is_next);
        mention.map_or(Announcement::Nothing, Announcement::Mention)
    }

    /// Chooses the code sets of a connection that has none yet; later choices change nothing.
    pub fn agree_on(&mut self, code_sets: CodeSetContext) {
        self.code_sets.get_or_insert(code_sets);
        self.text = None;
    }

    /// The code sets agreed on, sent or not.
    #[inline]
    pub fn code_sets(&self) -> Option<CodeSetContext> {
        self.code_sets
    }

    /// The code sets that the next request must tell the server, if there is something to tell:
    /// send them as a service context, on the request that is first on the wire.
    #[inline]
    pub fn code_sets_to_send(&self, version: GiopVersion) -> Option<CodeSetContext> {
        match version {
            GiopVersion::V1_0 => None,
            _ if self.code_sets_sent => None,
            _ => self.code_sets,
        }
    }

    /// Finds what the next request says of its object and operation, where the ends of the connection
    /// remember earlier ones: see [`ClientMemory::mention`](crate::ClientMemory::mention).
    pub fn mention(&mut self, key: &[u8], operation: &str, in_turn: bool) -> Option<Mention> {
        self.memory.as_mut().map(|memory| memory.mention(key, operation, in_turn))
    }

    /// Whether its ends remember earlier requests.
    #[inline]
    pub fn remembers(&self) -> bool {
        self.memory.is_some()
    }

    /// Says that the server has not understood what a request left out. Whether it could leave
    /// something out: from now on nothing is.
    pub fn say_all_in_full(&mut self) -> bool {
        self.memory.as_mut().map(|memory| memory.give_up()).is_some()
    }

    /// Says that a request with what there was to tell, code sets or a [`Mention`], has been handed to
    /// the transport.
    pub fn was_told(&mut self) {
        self.code_sets_sent = !self.per_request;
        if let Some(memory) = &mut self.memory {
            memory.sent();
        }
    }

    /// How text is written in messages of `version`.
    ///
    /// # Errors
    /// `NotSupported` for a code set that Zorb cannot write.
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
}

impl Default for ClientSession {
    fn default() -> Self {
        Self::new(None)
    }
}
