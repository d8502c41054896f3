//! `zorb::Error`: any failure, for people.

use std::fmt;

use zorb_cdr::CdrError;
use zorb_types::{CompletionStatus, MinorCode, SystemException, minor, write_debug};

pub use zorb_types::{ErrorContext, Phase};

use crate::raises::{AnyError, Raises};

/// The result of a remote call; the default error is a system exception.
pub type Result<T, E = SystemException> = std::result::Result<T, E>;

/// An error of the ORB: what was being done, the cause, and a hint.
///
/// `?` converts a [`SystemException`], the errors of operations, of adapters, of encodings and of I/O to it. The ORB's
/// own operations return it, such as reading options and opening endpoints; `main` can return it.
///
/// `Display` is one line, without the text of [`source`](std::error::Error::source) and without the
/// [hint](Self::hint). `Debug`, which `main` and `unwrap` print, is that line, the chain of sources and
/// the hint.
pub struct Error(Failure);

enum Failure {
    /// A system exception, which carries its own context.
    System(SystemException),
    /// A step of the ORB that no system exception stands for.
    Step(Box<ErrorContext>),
    /// A user exception.
    User(AnyError),
    /// An error from outside the ORB.
    Other(AnyError),
}

impl Error {
    /// A failure in `phase`; `what` names the object of the step in a few words.
    #[cold]
    pub fn new(phase: Phase, what: impl Into<String>) -> Self {
        Self(Failure::Step(Box::new(ErrorContext::new(phase).with_target(what))))
    }

    /// The same failure, caused by `source`, whose hint it takes over.
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

    /// The same failure, with advice.
    #[cold]
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        let (context, exception) = self.into_parts();
        Self::from_parts(context.with_hint(hint), exception)
    }

    /// The same failure, as the given system exception.
    #[cold]
    #[must_use]
    pub fn with_exception(self, exception: SystemException) -> Self {
        Self(Failure::System(self.into_exception(exception)))
    }

    /// The failure as `exception`, which takes the context over.
    #[cold]
    pub fn into_exception(self, exception: SystemException) -> SystemException {
        match self.into_context() {
            Some(context) => exception.with_context(context),
            None => exception,
        }
    }

    /// The user exception, or the error from outside the ORB, if it is a `T`.
    pub fn downcast_ref<T: std::error::Error + 'static>(&self) -> Option<&T> {
        match &self.0 {
            Failure::User(other) | Failure::Other(other) => other.downcast_ref(),
            Failure::System(_) | Failure::Step(_) => None,
        }
    }

    /// The failure as one of an operation that raises `E`, for servants. A user exception that the
    /// operation does not raise becomes `UNKNOWN` with minor code OMG 1, and what no system exception
    /// stands for `UNKNOWN` with minor code 0.
    #[cold]
    pub fn into_raised<E: Raises>(self) -> E {
        match self.0 {
            Failure::User(exception) => {
                E::from_user(exception).unwrap_or_else(|other| E::from_system(unlisted(other)))
            }
            other => E::from_system(Self(other).into()),
        }
    }

    /// The context of the failure, and its system exception if it has one.
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

    /// What was going on, where that is known.
    pub fn context(&self) -> Option<&ErrorContext> {
        match &self.0 {
            Failure::System(exception) => exception.context(),
            Failure::Step(context) => Some(context),
            Failure::User(_) | Failure::Other(_) => None,
        }
    }

    /// What the ORB was doing.
    pub fn phase(&self) -> Phase {
        self.context().map_or(Phase::Application, ErrorContext::phase)
    }

    /// The system exception behind this failure, if there is one.
    pub fn system_exception(&self) -> Option<&SystemException> {
        match &self.0 {
            Failure::System(exception) => Some(exception),
            Failure::Step(_) | Failure::User(_) | Failure::Other(_) => None,
        }
    }

    /// What to try, where there is something to say.
    pub fn hint(&self) -> Option<&str> {
        self.context()?.hint()
    }
}

/// The hint of an error of the ORB, also inside an [`std::io::Error`].
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

/// The exception for a user exception of another operation, which this one does not raise.
fn unlisted(exception: AnyError) -> SystemException {
    SystemException::unknown(minor::unknown::UNLISTED_USER_EXCEPTION, CompletionStatus::Maybe)
        .with_context(ErrorContext::new(Phase::Upcall).with_source(exception))
}

/// So that `?` works in servants: a failure that no system exception stands for is `UNKNOWN`, with the
/// failure as its source; a user exception, with minor code OMG 1.
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
