//! What a client asks of a connection for one request, and what it is told.

use core::fmt;
use core::time::Duration;

use zorb_cdr::TextCoding;

use crate::{CodeSetComponentInfo, CodeSetContext, CodeSetError, Form, Mention};

/// What is sent, and what answers it.
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
    /// What is sent.
    pub kind: RequestKind,
    /// What it is written in.
    pub form: Form<'a>,
    /// The object that it is for.
    pub key: &'a [u8],
    /// The operation; empty for a LocateRequest.
    pub operation: &'a str,
    /// The code sets of this side and those that the object's reference names, if it names any.
    pub code_sets: Option<[&'a CodeSetComponentInfo; 2]>,
    /// When the request times out: the time since some moment that the caller chooses once for each
    /// connection. `None` for never. A one-way request has no use for it.
    pub deadline: Option<Duration>,
}

/// What a request tells the server beside what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// Nothing.
    Nothing,
    /// The code sets of the connection, in a service context.
    CodeSets(CodeSetContext),
    /// How it says which object and operation it is for.
    Mention(Mention),
}

impl Announcement {
    /// Whether requests that are sent later rely on it: nothing may overtake this request.
    pub fn comes_first(self) -> bool {
        matches!(self, Self::CodeSets(_) | Self::Mention(Mention::Introduce(_)))
    }
}

/// How to write a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BegunRequest {
    /// Its id.
    pub request_id: u32,
    /// How its text is written.
    pub text: TextCoding,
    /// What it has to tell the server. Say so to [`sent`](super::ClientConnection::sent).
    pub announcement: Announcement,
}

/// Why a request was not begun. Nothing has been sent: its completion status is `COMPLETED_NO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginError {
    /// The connection has ended, or is being closed.
    Ended,
    /// As many requests are outstanding as there may be.
    TooManyRequests {
        /// The limit.
        limit: usize,
    },
    /// No code set suits both sides.
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
