//! `zorb::Error`: any error of the ORB, with a message for people.

use std::fmt;

use zorb_cdr::CdrError;
use zorb_types::{CompletionStatus, MinorCode, SystemException, minor, write_debug};

pub use zorb_types::{ErrorContext, Phase};

use crate::raises::{AnyError, Raises};

/// The result of a remote call; the default error is a system exception.
pub type Result<T, E = SystemException> = std::result::Result<T, E>;

/// An error of the ORB: what it was doing, the cause, and a hint.
///
/// The ORB's own operations return it, for example reading options and opening endpoints. `?` converts a
/// [`SystemException`] and the errors of operations, object adapters, encodings and I/O to it, and `main` can
/// return it.
///
/// `Display` is one line without the text of [`source`](std::error::Error::source) and without the
/// [hint](Self::hint). `Debug`, which `main` and `unwrap` print, adds the chain of sources and the hint.
pub struct Error(Failure);

enum Failure {
    /// A system exception, which carries its own context.
    System(SystemException),
    /// A step of the ORB for which there is no system exception.
    Step(Box<ErrorContext>),
    /// A user exception.
    User(AnyError),
    /// An error from outside the ORB.
    Other(AnyError),
}

impl Error {
    /// Creates an error of `phase`; `what` names the object of the step in a few words.
    #[cold]
    pub fn new(phase: Phase, what: impl Into<String>) -> Self {
        Self(Failure::Step(Box::new(ErrorContext::new(phase).with_target(what))))
    }

    /// Adds the cause, and takes over its hint.
    #[cold]
    #[must_use]
    pub fn with_source(self, source: impl Into<AnyError>) -> Self {
        self.caused_by(source.into())
    }

    fn caused_by(self, source: AnyError) -> Self {
        let hint = hint_of(&*source).map(str::to_owned);
        let (mut context, exception) = self.into_parts();
        context = context.with_source(source);
        if let Some(hint) = hint {
            context = context.with_hint(hint);
        }
        Self::from_parts(context, exception)
    }

    /// Sets the hint: what the user can do about it.
    #[cold]
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        let (context, exception) = self.into_parts();
        Self::from_parts(context.with_hint(hint), exception)
    }

    /// Turns the error into `exception`, which takes over the context.
    #[cold]
    #[must_use]
    pub fn with_exception(self, exception: SystemException) -> Self {
        Self(Failure::System(self.into_exception(exception)))
    }

    /// Returns `exception` with the context of this error.
    #[cold]
    pub fn into_exception(self, exception: SystemException) -> SystemException {
        match self.into_context() {
            Some(context) => exception.with_context(context),
            None => exception,
        }
    }

    /// The user exception, the cause of a step of the ORB or of a system exception, or the error from outside the ORB, if
    /// it is a `T`.
    pub fn downcast_ref<T: std::error::Error + 'static>(&self) -> Option<&T> {
        match &self.0 {
            Failure::User(other) | Failure::Other(other) => other.downcast_ref(),
            Failure::Step(context) => context.source()?.downcast_ref(),
            Failure::System(exception) => exception.context()?.source()?.downcast_ref(),
        }
    }

    /// Converts the error to that of an operation that raises `E`, for servants. A user exception that the
    /// operation does not raise becomes `UNKNOWN` with minor code OMG 1; an error that is no exception becomes
    /// `UNKNOWN` with minor code 0.
    #[cold]
    pub fn into_raised<E: Raises>(self) -> E {
        match self.0 {
            Failure::User(exception) => {
                E::from_user(exception).unwrap_or_else(|other| E::from_system(unlisted(other)))
            }
            other => E::from_system(Self(other).into()),
        }
    }

    /// The context, and the system exception if there is one.
    fn into_parts(self) -> (ErrorContext, Option<SystemException>) {
        let exception = match &self.0 {
            Failure::System(exception) => Some(exception.clone()),
            _ => None,
        };
        let context = self.into_context();
        (context.unwrap_or(ErrorContext::new(Phase::Application)), exception)
    }

    fn from_parts(context: ErrorContext, exception: Option<SystemException>) -> Self {
        Self(match exception {
            Some(exception) => Failure::System(exception.with_context(context)),
            None => Failure::Step(Box::new(context)),
        })
    }

    fn into_context(self) -> Option<ErrorContext> {
        match self.0 {
            Failure::System(exception) => exception.context().cloned(),
            Failure::Step(context) => Some(*context),
            Failure::User(other) | Failure::Other(other) => {
                Some(ErrorContext::new(Phase::Application).with_target(other.to_string()))
            }
        }
    }

    /// What the ORB was doing, if it is known.
    pub fn context(&self) -> Option<&ErrorContext> {
        match &self.0 {
            Failure::System(exception) => exception.context(),
            Failure::Step(context) => Some(context),
            Failure::User(_) | Failure::Other(_) => None,
        }
    }

    /// What the ORB was doing; [`Phase::Application`] if it is not known.
    pub fn phase(&self) -> Phase {
        self.context().map_or(Phase::Application, ErrorContext::phase)
    }

    /// The system exception, if it is one.
    pub fn system_exception(&self) -> Option<&SystemException> {
        match &self.0 {
            Failure::System(exception) => Some(exception),
            Failure::Step(_) | Failure::User(_) | Failure::Other(_) => None,
        }
    }

    /// What the user can do about it, if the ORB has a suggestion.
    pub fn hint(&self) -> Option<&str> {
        self.context()?.hint()
    }
}

/// The hint of an error of the ORB, which may be inside an [`std::io::Error`].
fn hint_of<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e str> {
    if let Some(exception) = error.downcast_ref::<SystemException>() {
        return exception.hint();
    }
    if let Some(error) = error.downcast_ref::<Error>() {
        return error.hint();
    }
    let inner = error.downcast_ref::<std::io::Error>()?.get_ref()?;
    hint_of(inner)
}

impl<E: Raises> From<E> for Error {
    #[cold]
    fn from(raised: E) -> Self {
        Self(match raised.into_system() {
            Ok(exception) => Failure::System(exception),
            Err(raised) => Failure::User(raised.into_user()),
        })
    }
}

impl From<CdrError> for Error {
    #[cold]
    fn from(error: CdrError) -> Self {
        Self(Failure::System(error.into())).with_source(error)
    }
}

impl From<std::io::Error> for Error {
    #[cold]
    fn from(error: std::io::Error) -> Self {
        Self(Failure::Other(Box::new(error)))
    }
}

/// The exception for a user exception that the operation does not raise. It usually comes from a nested call,
/// so nobody knows how far this operation has got: completed MAYBE.
fn unlisted(exception: AnyError) -> SystemException {
    SystemException::unknown(minor::unknown::UNLISTED_USER_EXCEPTION, CompletionStatus::Maybe)
        .with_context(ErrorContext::new(Phase::Upcall).with_source(exception))
}

/// Makes `?` work in servants. An error that is no exception becomes `UNKNOWN` with the error as its source; a
/// user exception becomes `UNKNOWN` with minor code OMG 1.
impl From<Error> for SystemException {
    #[cold]
    fn from(error: Error) -> Self {
        let unknown = Self::unknown(MinorCode::NONE, CompletionStatus::Maybe);
        match error.0 {
            Failure::System(exception) => exception,
            Failure::Step(context) => unknown.with_context(*context),
            Failure::User(exception) => unlisted(exception),
            Failure::Other(other) => {
                unknown.with_context(ErrorContext::new(Phase::Upcall).with_source(other))
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failure::System(exception) => exception.fmt(f),
            Failure::Step(context) => context.describe(None, f),
            Failure::User(other) | Failure::Other(other) => other.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_debug(self, self.hint(), f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Failure::System(exception) => exception.source(),
            Failure::Step(context) => context.source(),
            Failure::User(other) | Failure::Other(other) => other.source(),
        }
    }
}
