//! Errors of dynamic calls.

use std::fmt;

use zorb_cdr::{CdrError, CdrReader, CdrResult};
use zorb_core::OwnedReply;
use zorb_types::{Any, CompletionStatus, SystemException, Transfer, TypeCode};

/// The failure of a dynamic call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RequestError {
    /// A user exception that the request lists, as an any of its type.
    User(Any),
    /// A user exception that it does not list: `UnknownUserException`.
    UnknownUser(Box<UnknownUserException>),
    /// A system exception.
    System(SystemException),
}

/// A user exception whose type is unknown: its repository id and its encoded members.
#[derive(Clone, Debug)]
pub struct UnknownUserException(OwnedReply);

impl UnknownUserException {
    pub(super) fn new(reply: OwnedReply) -> Self {
        Self(reply)
    }

    /// The exception's repository id.
    pub fn id(&self) -> &str {
        self.0.exception_id().unwrap_or_default()
    }

    /// The exception as a value of this type, which should be the one of its [`id`](Self::id).
    ///
    /// # Errors
    /// `MARSHAL` and its like when the members are not of this type.
    pub fn decode(&self, type_code: &TypeCode) -> Result<Any, SystemException> {
        let read = self.0.reader().read_in_parts(|reader| read_exception(type_code, reader));
        read.map_err(bad_reply)
    }
}

impl RequestError {
    /// The repository id of the exception.
    pub fn id(&self) -> &str {
        match self {
            Self::User(any) => any.type_code().id(),
            Self::UnknownUser(exception) => exception.id(),
            Self::System(exception) => exception.repository_id(),
        }
    }

    /// The system exception, if it is one.
    pub fn system(&self) -> Option<&SystemException> {
        match self {
            Self::System(exception) => Some(exception),
            _ => None,
        }
    }
}

impl From<SystemException> for RequestError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(any) => write!(f, "the operation raised {}", any.type_code().id()),
            Self::UnknownUser(exception) => {
                write!(f, "the operation raised {}, which is not listed", exception.id())
            }
            Self::System(exception) => fmt::Display::fmt(exception, f),
        }
    }
}

impl std::error::Error for RequestError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System(exception) => std::error::Error::source(exception),
            _ => None,
        }
    }
}

/// The exception for a reply that does not hold what the program expects.
#[cold]
pub(super) fn bad_reply(error: CdrError) -> SystemException {
    SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::ReceiveReply)
}

/// Reads a user exception of this type.
pub(super) fn read_exception(type_code: &TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Any> {
    let exception = Any::read_value(type_code.clone(), reader)?;
    reader.expect_end("exception")?;
    Ok(exception)
}
