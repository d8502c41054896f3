//! The parameters of a new request, and how to write it.

use core::fmt;
use core::time::Duration;

use zorb_cdr::TextCoding;

use crate::{Abbreviation, CodeSetComponentInfo, CodeSetContext, CodeSetError, MessageFormat};

/// The kind of message that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// A Request without a Reply.
    Oneway,
    /// A Request that a Reply answers.
    Twoway,
    /// A LocateRequest, which a LocateReply answers.
    Locate,
}

/// A request that is about to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewRequest<'a> {
    /// The kind of message.
    pub kind: RequestKind,
    /// The encoding of the message.
    pub form: MessageFormat<'a>,
    /// The object key.
    pub key: &'a [u8],
    /// The operation; empty for a LocateRequest.
    pub operation: &'a str,
    /// The code sets of this side and those of the object's reference, if it has some.
    pub code_sets: Option<[&'a CodeSetComponentInfo; 2]>,
    /// The number of what its connection announces, besides code sets, and the server must know before the second
    /// request: 0 for nothing, for example 1 for the priority band. It is announced by requests until one with this
    /// number, or a larger one, has been sent.
    pub announced: u32,
    /// When the request times out, as the time since an epoch that the caller chooses for each connection;
    /// `None` for never. One-way requests ignore it.
    pub deadline: Option<Duration>,
}

/// What a request announces to the server, beside its own content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// Nothing.
    Nothing,
    /// The code sets of the connection, in a service context.
    CodeSets(CodeSetContext),
    /// How it refers to its object and operation.
    Abbreviation(Abbreviation),
}

impl Announcement {
    /// Whether later requests rely on it, so that none may be sent before this one.
    pub fn must_be_sent_first(self) -> bool {
        matches!(self, Self::CodeSets(_) | Self::Abbreviation(Abbreviation::Introduce(_)))
    }
}

/// How to write a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BegunRequest {
    /// Its id.
    pub request_id: u32,
    /// Its text coding.
    pub text: TextCoding,
    /// What it announces to the server. Pass it to [`sent`](super::ClientConnection::sent).
    pub announcement: Announcement,
    /// The number of what else it announces about its connection; 0 for nothing.
    pub announced: u32,
}

impl BegunRequest {
    /// Whether later requests rely on what it announces, so that none may be sent before this one.
    #[inline]
    pub fn must_be_sent_first(&self) -> bool {
        self.announced != 0 || self.announcement.must_be_sent_first()
    }
}

/// Why a request was not begun. Nothing has been sent: its completion status is `COMPLETED_NO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BeginError {
    /// The connection has ended, or is being closed.
    Ended,
    /// The maximum number of requests is outstanding.
    TooManyRequests {
        /// The limit.
        limit: usize,
    },
    /// The two sides have no code set in common.
    CodeSets(CodeSetError),
}

impl From<CodeSetError> for BeginError {
    #[cold]
    fn from(error: CodeSetError) -> Self {
        Self::CodeSets(error)
    }
}

impl fmt::Display for BeginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => f.write_str("the connection has ended"),
            Self::TooManyRequests { limit } => {
                write!(f, "{limit} requests are outstanding, which is the limit")
            }
            Self::CodeSets(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for BeginError {}
