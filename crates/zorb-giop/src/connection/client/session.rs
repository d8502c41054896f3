//! The negotiated state of the client side of a connection.

use alloc::boxed::Box;

use zorb_cdr::TextCoding;

use super::request::{Announcement, NewRequest, RequestKind};
use crate::connection::text_of;
use crate::{
    Abbreviation, ClientMessagingState, CodeSetContext, CodeSetError, GiopVersion, MessageFormat,
    Messaging, negotiate,
};

/// The negotiated state of the client side of a connection: its code sets, and the state of its messaging
/// protocol.
#[derive(Debug)]
pub struct ClientSession {
    code_sets: Option<CodeSetContext>,
    /// The version of the last message, and its text coding: 3 % of a call.
    text: Option<(GiopVersion, TextCoding)>,
    code_sets_sent: bool,
    /// The largest number of what requests with [such numbers](NewRequest::announced) have announced.
    announced: u32,
    /// Whether every request announces the code sets and the rest, as any of them may be lost.
    per_request: bool,
    messaging_state: Option<Box<dyn ClientMessagingState>>,
}

impl ClientSession {
    /// A new connection. `code_sets` are those [negotiated](crate::negotiate) from the reference's code set
    /// component; `None` if it has none.
    pub const fn new(code_sets: Option<CodeSetContext>) -> Self {
        Self {
            code_sets,
            text: None,
            code_sets_sent: false,
            announced: 0,
            per_request: false,
            messaging_state: None,
        }
    }

    /// A new connection with the messaging protocol `messaging`, if it is not GIOP. `several_calls` is
    /// whether the connection is shared by concurrent calls.
    pub fn with_messaging(messaging: Option<&dyn Messaging>, several_calls: bool) -> Self {
        let messaging_state = messaging.and_then(|messaging| messaging.client_state(several_calls));
        Self { messaging_state, ..Self::new(None) }
    }

    /// The state for a transport without connections, such as datagrams: every request announces the code
    /// sets.
    pub const fn connectionless() -> Self {
        let mut none = Self::new(None);
        none.per_request = true;
        none
    }

    /// Whether the transport has no connections. Then there is nothing to close.
    pub fn is_connectionless(&self) -> bool {
        self.per_request
    }

    /// Determines the text coding of a request and what it announces to the server. The code sets are
    /// negotiated with the first request to a reference that has some. `is_next` is whether the request is
    /// the next one on the wire.
    ///
    /// # Errors
    /// `Incompatible` if the two sides have no code set in common; `NotSupported`.
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
            MessageFormat::Giop(version) => version,
            MessageFormat::Other(messaging) if !self.abbreviates() => {
                return Ok((messaging.text(), Announcement::Nothing));
            }
            MessageFormat::Other(messaging) => {
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

    /// The number of what a request has to announce about the connection; 0 for nothing.
    #[inline]
    pub(super) fn announced_by(&self, request: &NewRequest<'_>) -> u32 {
        let is_new = request.announced > self.announced && request.kind != RequestKind::Locate;
        if is_new { request.announced } else { 0 }
    }

    /// Reports that a request that announces what has this number was passed to the transport.
    pub(super) fn sent_number(&mut self, announced: u32) {
        if !self.per_request {
            self.announced = self.announced.max(announced);
        }
    }

    #[inline(never)]
    fn announce(&mut self, key: &[u8], operation: &str, is_next: bool) -> Announcement {
        let abbreviation = self.abbreviate(key, operation, is_next);
        abbreviation.map_or(Announcement::Nothing, Announcement::Abbreviation)
    }

    /// Sets the code sets of the connection, unless it has some already.
    pub fn agree_on(&mut self, code_sets: CodeSetContext) {
        self.code_sets.get_or_insert(code_sets);
        self.text = None;
    }

    /// The code sets of the connection, whether they have been announced or not.
    pub fn code_sets(&self) -> Option<CodeSetContext> {
        self.code_sets
    }

    /// The code sets that the next request on the wire has to announce in a service context.
    #[inline]
    pub fn code_sets_to_send(&self, version: GiopVersion) -> Option<CodeSetContext> {
        match version {
            GiopVersion::V1_0 => None,
            _ if self.code_sets_sent => None,
            _ => self.code_sets,
        }
    }

    /// Chooses how the next request refers to its object and operation; `None` if the messaging protocol
    /// does not abbreviate. See [`ClientMessagingState::abbreviate`].
    pub fn abbreviate(
        &mut self,
        key: &[u8],
        operation: &str,
        is_next: bool,
    ) -> Option<Abbreviation> {
        self.messaging_state.as_mut().map(|state| state.abbreviate(key, operation, is_next))
    }

    /// Whether the messaging protocol may abbreviate requests.
    #[inline]
    pub fn abbreviates(&self) -> bool {
        self.messaging_state.is_some()
    }

    /// Stops abbreviating, after the server did not know an index. Returns whether requests were
    /// abbreviated.
    pub fn disable_abbreviation(&mut self) -> bool {
        self.messaging_state.as_mut().map(|state| state.disable()).is_some()
    }

    /// Reports that a request with an announcement, of code sets or an [`Abbreviation`], was passed to the
    /// transport.
    pub fn announced(&mut self) {
        self.code_sets_sent = !self.per_request;
        if let Some(state) = &mut self.messaging_state {
            state.sent();
        }
    }

    /// The text coding of messages of `version`.
    ///
    /// # Errors
    /// `NotSupported` for a code set that Zorb does not offer.
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
