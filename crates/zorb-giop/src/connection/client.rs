//! The side that sends requests.

use alloc::boxed::Box;

use zorb_cdr::TextCoding;

use super::{RequestIds, text_of};
use crate::{ClientMemory, CodeSetContext, CodeSetError, GiopVersion, Mention, Messaging};

/// How a connection came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectionEnd {
    /// The peer sent CloseConnection: requests without a reply were not processed.
    CloseConnection,
    /// The stream ended or failed without a word.
    Broken,
    /// The peer sent MessageError, or something that is no GIOP.
    ProtocolFault,
    /// This side closed it.
    ClosedHere,
}

/// How far a request had come when its connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestProgress {
    /// No octet of it was handed to the transport.
    Unsent,
    /// Some or all of a Request was sent, and no reply came.
    Sent,
    /// Some or all of a LocateRequest was sent, and no reply came. Asking twice does no harm.
    LocateSent,
}

/// Whether a request whose connection ended may be sent again over another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryDecision {
    /// It was not processed: send it again, or raise with `COMPLETED_NO`.
    Resend,
    /// It may have been processed: raise `COMM_FAILURE` with `COMPLETED_MAYBE`.
    GiveUp,
}

/// What the sending side of a connection remembers.
#[derive(Debug)]
pub struct ClientConnection {
    ids: RequestIds,
    code_sets: Option<CodeSetContext>,
    /// How text is written in messages of the version used last.
    text: Option<(GiopVersion, TextCoding)>,
    code_sets_sent: bool,
    end: Option<ConnectionEnd>,
    /// Whether what was said once need not have arrived.
    per_request: bool,
    memory: Option<Box<dyn ClientMemory>>,
}

impl ClientConnection {
    /// A connection opened by this side. `code_sets` is what was [negotiated](crate::negotiate)
    /// from the reference's code set component; `None` where the reference has none.
    pub const fn new(code_sets: Option<CodeSetContext>) -> Self {
        Self {
            ids: RequestIds::initiator(),
            code_sets,
            text: None,
            code_sets_sent: false,
            end: None,
            per_request: false,
            memory: None,
        }
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

    /// Whether there is no connection, and so nobody to say goodbye to.
    pub fn is_connectionless(&self) -> bool {
        self.per_request
    }

    /// The ids for requests on this connection.
    #[inline]
    pub fn ids(&mut self) -> &mut RequestIds {
        &mut self.ids
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

    /// Says that the connection has ended; the first cause stays.
    pub fn ended(&mut self, end: ConnectionEnd) {
        self.end.get_or_insert(end);
    }

    /// How the connection ended, once it has.
    #[inline]
    pub fn end(&self) -> Option<ConnectionEnd> {
        self.end
    }

    /// What to do with a request that got no reply before the connection ended
    /// (CORBA 3.3 part 2, 9.5.1.1).
    pub fn retry(&self, progress: RequestProgress) -> RetryDecision {
        match (progress, self.end) {
            (RequestProgress::Unsent | RequestProgress::LocateSent, _)
            | (_, Some(ConnectionEnd::CloseConnection)) => RetryDecision::Resend,
            (RequestProgress::Sent, _) => RetryDecision::GiveUp,
        }
    }
}

impl Default for ClientConnection {
    fn default() -> Self {
        Self::new(None)
    }
}
