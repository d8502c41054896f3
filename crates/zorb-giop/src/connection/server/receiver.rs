//! The receiving part of the server's side of a connection.

use alloc::boxed::Box;
use core::ops::Range;

use zorb_cdr::TextCoding;

use super::ServerRequests;
use crate::connection::text_of;
use crate::{
    CodeSetContext, CodeSetError, ConnectionEnd, Expanded, GiopVersion, Inbound, MessageFormat,
    MessageHeader, MessageKind, Messaging, ProtocolError, ProtocolErrorKind, RequestHeader,
    ResponseFlags, ServerMessagingState, ServiceContexts, ServiceId, text_coding,
};

/// The state of the thread that reads from a connection: the negotiated code sets, and the number of requests that the
/// client has sent.
///
/// A driver gives every message of its [`Inbound`] to [`receive`](Self::receive) and carries out what that
/// [asks](ClientMessage) for. It begins a request with [`begin_request`](Self::begin_request), or without reading its
/// header with [`begin_unread`](Self::begin_unread).
#[derive(Debug)]
pub struct ServerReceiver {
    code_sets: Option<CodeSetContext>,
    /// The version of the last message, and its text coding: 3 % of a request.
    text: Option<(GiopVersion, TextCoding)>,
    /// Whether code sets are those of each request, as requests come from several clients.
    per_request: bool,
    messaging: Option<&'static dyn Messaging>,
    messaging_state: Option<Box<dyn ServerMessagingState>>,
    /// The number of the next request.
    next: u64,
}

/// A request that is being served. Two requests of a connection may have the same id, if the client has
/// cancelled the first; their numbers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServedRequest {
    /// Its id, which the reply repeats.
    pub request_id: u32,
    /// Its position among the requests of the connection.
    number: u64,
}

/// A CancelRequest: of the last request before it that has its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancellation {
    /// The id of the request.
    pub request_id: u32,
    /// The number of the next request that the client sends.
    before: u64,
}

impl Cancellation {
    /// The requests that it concerns: those with its id that the client has sent before it.
    pub const fn requests(self) -> Range<ServedRequest> {
        let Self { request_id, before } = self;
        ServedRequest { request_id, number: 0 }..ServedRequest { request_id, number: before }
    }

    pub(super) fn covers(self, request: ServedRequest) -> bool {
        request.request_id == self.request_id && request.number < self.before
    }
}

/// What a message from the client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientMessage {
    /// Serve a Request.
    Request,
    /// Answer a LocateRequest.
    LocateRequest,
    /// Give this to [`CancelledRequests::cancel`](super::CancelledRequests::cancel).
    Cancel(Cancellation),
    /// [End](ServerRequests::end) the connection. Whatever follows is not to be read.
    End(ConnectionEnd),
}

/// A request that has begun before its header is read.
#[derive(Clone, Copy, Debug)]
pub struct UnreadRequest {
    /// Which request it is.
    pub request: ServedRequest,
    /// Whether and when to answer it.
    pub response: ResponseFlags,
    /// The text coding of the request and its reply.
    pub text: TextCoding,
}

impl ServerReceiver {
    /// That of a connection just accepted, whose messages are those of `messaging`; GIOP if there is none.
    pub fn new(messaging: Option<&'static dyn Messaging>) -> Self {
        let messaging_state = messaging.and_then(|messaging| messaging.server_state());
        Self {
            code_sets: None,
            text: None,
            per_request: false,
            messaging,
            messaging_state,
            next: 0,
        }
    }

    /// For a transport without connections, such as datagrams: the code sets of a request apply to that
    /// request only, and none refers to an earlier one.
    pub fn connectionless(messaging: Option<&'static dyn Messaging>) -> Self {
        Self { per_request: true, messaging_state: None, ..Self::new(messaging) }
    }

    /// Decodes the current message of `inbound`, whose header `poll` returned.
    #[inline]
    pub fn receive(&self, inbound: &Inbound, header: &MessageHeader) -> ClientMessage {
        match header.kind {
            MessageKind::Request => ClientMessage::Request,
            _ => self.receive_other(inbound, header),
        }
    }

    #[cold]
    fn receive_other(&self, inbound: &Inbound, header: &MessageHeader) -> ClientMessage {
        match header.kind {
            MessageKind::Request => ClientMessage::Request,
            MessageKind::LocateRequest => ClientMessage::LocateRequest,
            MessageKind::CancelRequest => {
                let form = MessageFormat::new(self.messaging, header.version);
                match form.read_cancel_request(inbound.current(), header) {
                    Ok(cancel) => ClientMessage::Cancel(Cancellation {
                        request_id: cancel.request_id,
                        before: self.next,
                    }),
                    Err(error) => ClientMessage::End(error.into()),
                }
            }
            MessageKind::CloseConnection => ClientMessage::End(ConnectionEnd::CloseConnection),
            MessageKind::MessageError => ClientMessage::End(ConnectionEnd::MessageError),
            found => {
                let expected = MessageKind::Request;
                let error: ProtocolError = ProtocolErrorKind::WrongKind { expected, found }.into();
                ClientMessage::End(error.into())
            }
        }
    }

    /// Whether to [`expand`](Self::expand) each request, because it may be abbreviated.
    #[inline]
    pub fn must_expand(&self) -> bool {
        self.messaging_state.is_some()
    }

    /// Processes a whole Request in the order of the wire, before its header is read, and looks up what it
    /// omits.
    ///
    /// # Errors
    /// As [`ServerMessagingState::expand`].
    pub fn expand(
        &mut self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<Expanded, ProtocolError> {
        match &mut self.messaging_state {
            Some(state) => state.expand(message, header),
            None => Ok(Expanded::InFull),
        }
    }

    /// Begins a request whose header has been read in `form`, in the order of the wire. It counts among
    /// `requests` until it is [finished](ServerRequests::finish).
    #[inline(always)] // as `RequestHeader::read_with`
    pub fn begin_request(
        &mut self,
        requests: &ServerRequests,
        request: &RequestHeader<'_>,
        form: MessageFormat<'_>,
    ) -> (ServedRequest, Result<TextCoding, CodeSetError>) {
        let text = match form {
            MessageFormat::Giop(version) => self.negotiate(version, &request.service_contexts),
            MessageFormat::Other(messaging) => Ok(messaging.text()),
        };
        (self.begin(requests, form.version(), request.request_id), text)
    }

    /// Begins the GIOP Request in `message` without reading the whole of its header. `None` where that
    /// cannot be: read the header and [begin](Self::begin_request) it.
    #[inline]
    pub fn begin_unread(
        &mut self,
        requests: &ServerRequests,
        message: &[u8],
        header: &MessageHeader,
    ) -> Option<UnreadRequest> {
        let (request_id, response) = RequestHeader::peek(message, header)?;
        // The first context with code sets may be in it.
        self.code_sets?;
        let text = self.text(header.version).ok()?;
        let request = self.begin(requests, header.version, request_id);
        Some(UnreadRequest { request, response, text })
    }

    #[inline(always)] // as `begin_request`
    fn begin(
        &mut self,
        requests: &ServerRequests,
        version: GiopVersion,
        request_id: u32,
    ) -> ServedRequest {
        let number = self.next;
        self.next += 1;
        requests.begin(version);
        ServedRequest { request_id, number }
    }

    /// The text coding of a request and its reply. The first CodeSets context applies to the connection;
    /// later ones must be the same and are ignored.
    ///
    /// # Errors
    /// `Malformed` for a malformed context, `NotSupported` for a code set that Zorb does not offer. Reply
    /// with the exception of [`CodeSetError`].
    #[inline]
    fn negotiate(
        &mut self,
        version: GiopVersion,
        contexts: &ServiceContexts<'_>,
    ) -> Result<TextCoding, CodeSetError> {
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

    #[inline]
    fn text(&mut self, version: GiopVersion) -> Result<TextCoding, CodeSetError> {
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
