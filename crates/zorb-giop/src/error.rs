//! Protocol violations by the peer.

use core::fmt;

use zorb_cdr::CdrError;

use crate::{GiopVersion, MessageKind};

/// A violation of GIOP by the peer. The connection cannot be used any further.
///
/// Close it, after a [`MessageError`](MessageKind::MessageError) if
/// [`answer_message_error`](Self::answer_message_error) is set. Outstanding requests fail with
/// `COMM_FAILURE`, `COMPLETED_MAYBE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProtocolError {
    /// The violated rule.
    pub kind: ProtocolErrorKind,
    /// Whether to send a MessageError before the close: yes for octets that are not valid GIOP, no for a
    /// well-formed message that exceeds a local limit or does not fit the messages before it.
    pub answer_message_error: bool,
}

/// The rule of GIOP that a peer violated, or the limit that it exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolErrorKind {
    /// A message does not begin with `GIOP`.
    BadMagic([u8; 4]),
    /// A version other than 1.0, 1.1 and 1.2.
    UnsupportedVersion {
        /// The major version received.
        major: u8,
        /// The minor version received.
        minor: u8,
    },
    /// A message type above 7, or one that its version does not have.
    UnknownMessageType(u8),
    /// The header of a message is invalid in a messaging protocol other than GIOP, for this reason.
    BadFrame(&'static str),
    /// The header fields of a message of this kind are malformed.
    BadHeader {
        /// The kind of message.
        message: MessageKind,
        /// The error in the header fields.
        cause: CdrError,
    },
    /// A message was read as another kind. This is an error of the caller, not of the peer.
    WrongKind {
        /// The kind that was expected.
        expected: MessageKind,
        /// The kind of the message.
        found: MessageKind,
    },
    /// A message, or the fragments of a message together, larger than
    /// [`Limits::max_message_size`](crate::Limits::max_message_size).
    MessageTooLarge {
        /// The size of the message in octets, its header included.
        size: u64,
        /// The limit in octets.
        limit: usize,
    },
    /// A fragmented message of a kind that its version does not allow in fragments.
    NotFragmentable(MessageKind, GiopVersion),
    /// A Fragment without a message that it continues.
    UnexpectedFragment,
    /// A Fragment with another version or byte order than the first fragment, or without a request id.
    BadFragment,
    /// A fragmented message with the request id of another incomplete message.
    DuplicateFragmented(u32),
    /// GIOP 1.1: another message between the fragments of one.
    InterruptedFragments(MessageKind),
    /// More fragments in a message than [`Limits::max_fragments`](crate::Limits::max_fragments).
    TooManyFragments(u32),
    /// More incomplete messages than
    /// [`Limits::max_partial_messages`](crate::Limits::max_partial_messages).
    TooManyPartialMessages(usize),
    /// No memory for a message whose receive buffer needs this number of octets, or the
    /// [budget](crate::MessageBudget) of its connection is used up. This is not an error of the peer.
    OutOfMemory(usize),
    /// A reply to a request that was never sent.
    UnknownRequestId(u32),
    /// A Reply to a LocateRequest, or a LocateReply to a Request.
    WrongReply(u32),
    /// A request with the id of an outstanding one.
    DuplicateRequestId(u32),
}

impl ProtocolError {
    /// An error of `kind`, with the answer that GIOP requires.
    #[cold]
    pub fn new(kind: ProtocolErrorKind) -> Self {
        use ProtocolErrorKind as Kind;
        let answer_message_error = !matches!(
            kind,
            Kind::WrongKind { .. }
                | Kind::MessageTooLarge { .. }
                | Kind::TooManyFragments(_)
                | Kind::TooManyPartialMessages(_)
                | Kind::OutOfMemory(_)
                | Kind::UnknownRequestId(_)
                | Kind::WrongReply(_)
                | Kind::DuplicateRequestId(_)
        );
        Self { kind, answer_message_error }
    }

    #[cold]
    pub(crate) fn header(message: MessageKind, cause: CdrError) -> Self {
        Self::new(ProtocolErrorKind::BadHeader { message, cause })
    }

    /// There is no memory for this number of octets.
    #[cold]
    pub(crate) fn out_of_memory(octets: usize) -> Self {
        Self::new(ProtocolErrorKind::OutOfMemory(octets))
    }
}

impl From<ProtocolErrorKind> for ProtocolError {
    fn from(kind: ProtocolErrorKind) -> Self {
        Self::new(kind)
    }
}

/// Whether HTTP begins like this: with a method, or in replies with its name.
fn is_http(start: [u8; 4]) -> bool {
    const STARTS: [&[u8; 4]; 9] =
        [b"GET ", b"HEAD", b"POST", b"PUT ", b"DELE", b"CONN", b"OPTI", b"PATC", b"HTTP"];
    STARTS.contains(&&start)
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ProtocolErrorKind as Kind;
        f.write_str("peer sent ")?;
        match self.kind {
            Kind::BadMagic([a, b, c, d]) => {
                write!(
                    f,
                    "{a:02x} {b:02x} {c:02x} {d:02x} where a message must start with `GIOP`"
                )?;
                match is_http([a, b, c, d]) {
                    true => f.write_str("; it speaks HTTP, which this endpoint does not"),
                    false => Ok(()),
                }
            }
            Kind::UnsupportedVersion { major, minor } => {
                write!(f, "a message of GIOP {major}.{minor}; 1.0, 1.1 and 1.2 are supported")
            }
            Kind::UnknownMessageType(octet) => write!(f, "a message of unknown type {octet}"),
            Kind::BadFrame(what) => write!(f, "an invalid message: {what}"),
            Kind::BadHeader { message, cause } => {
                write!(f, "a malformed {message} header: {cause}")
            }
            Kind::WrongKind { expected, found } => {
                write!(f, "a {found}, which was read as a {expected}")
            }
            Kind::MessageTooLarge { size, limit } => {
                write!(f, "a message of {size} octets; the limit is {limit}")
            }
            Kind::NotFragmentable(kind, version) => {
                write!(f, "a fragmented {kind} in GIOP {version}")
            }
            Kind::UnexpectedFragment => f.write_str("a Fragment without a message to continue"),
            Kind::BadFragment => {
                f.write_str("a Fragment that does not fit the message it continues")
            }
            Kind::DuplicateFragmented(id) => {
                write!(f, "two fragmented messages with request id {id} at once")
            }
            Kind::InterruptedFragments(kind) => {
                write!(f, "a {kind} between the fragments of a GIOP 1.1 message")
            }
            Kind::TooManyFragments(limit) => {
                write!(f, "a message in more than {limit} fragments")
            }
            Kind::TooManyPartialMessages(limit) => {
                write!(f, "more than {limit} incomplete messages at once")
            }
            Kind::OutOfMemory(size) => {
                write!(f, "a message for which there is no memory: {size} octets so far")
            }
            Kind::UnknownRequestId(id) => {
                write!(f, "a reply to request {id}, which was never sent")
            }
            Kind::WrongReply(id) => {
                write!(f, "a reply of the wrong kind to request {id}")
            }
            Kind::DuplicateRequestId(id) => {
                write!(f, "a request with the id {id} of an outstanding one")
            }
        }
    }
}

impl core::error::Error for ProtocolError {}
