//! What was going on when a system exception was raised.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::error::Error;
use core::fmt;

use super::report::Report;

/// The phase in which a failure occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Reading options, environment or `zorb.toml`.
    Configure,
    /// Opening an endpoint to listen on.
    Listen,
    /// Turning a string into a reference, or following a forward.
    Resolve,
    /// Connecting to an endpoint of a reference.
    Connect,
    /// Sending a request.
    Send,
    /// Waiting for a reply.
    Wait,
    /// Reading a reply or a request.
    Decode,
    /// Running a servant.
    Upcall,
    /// Working with an object adapter.
    Adapter,
    /// The program's own step, or an exception that it raised.
    Application,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Configure => "configuring the ORB",
            Self::Listen => "listening",
            Self::Resolve => "resolving a reference",
            Self::Connect => "connecting",
            Self::Send => "sending a request",
            Self::Wait => "waiting for a reply",
            Self::Decode => "decoding",
            Self::Upcall => "in the servant",
            Self::Adapter => "using an object adapter",
            Self::Application => "in the application",
        })
    }
}

/// The context of a failure: phase, operation, endpoint or object, cause, and hint.
///
/// A [`SystemException`](crate::SystemException) carries one within its process. It is not sent to the peer.
#[derive(Clone)]
pub struct ErrorContext {
    phase: Phase,
    operation: Option<Box<str>>,
    target: Option<Box<str>>,
    hint: Option<Box<str>>,
    source: Option<Arc<dyn Error + Send + Sync>>,
    is_remote: bool,
}

impl ErrorContext {
    /// The context of a failure in `phase`.
    #[cold]
    pub const fn new(phase: Phase) -> Self {
        Self { phase, operation: None, target: None, hint: None, source: None, is_remote: false }
    }

    /// The context of an exception that came in a reply from `server`.
    #[cold]
    pub fn remote(server: impl Into<String>) -> Self {
        Self { is_remote: true, ..Self::new(Phase::Wait) }.with_target(server)
    }

    /// The same context with the operation that was called.
    #[cold]
    #[must_use]
    pub fn with_operation(mut self, operation: impl Into<String>) -> Self {
        self.operation = not_empty(operation.into());
        self
    }

    /// The same context with what the step was about: the endpoints tried, an object, an option.
    #[cold]
    #[must_use]
    pub fn with_target(mut self, target: impl Into<String>) -> Self {
        self.target = not_empty(target.into());
        self
    }

    /// The same context with advice.
    #[cold]
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = not_empty(hint.into());
        self
    }

    /// The same context with the error that caused the failure, such as the operating system's.
    #[cold]
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.set_source(source.into());
        self
    }

    fn set_source(&mut self, source: Box<dyn Error + Send + Sync>) {
        self.source = Some(Arc::from(source));
    }

    /// Names the operation, unless one is named.
    #[cold]
    pub(super) fn fill_operation(&mut self, operation: &str) {
        if self.operation.is_none() {
            self.operation = not_empty(operation.into());
        }
    }

    /// Names the target, unless one is named.
    #[cold]
    pub(super) fn fill_target(&mut self, target: &dyn fmt::Display) {
        if self.target.is_none() {
            self.target = not_empty(target.to_string());
        }
    }

    /// What the ORB was doing.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The operation that was called; `None` outside calls.
    pub fn operation(&self) -> Option<&str> {
        self.operation.as_deref()
    }

    /// What the step was about: the endpoints tried (the server's endpoint in an exception that came
    /// from a server), an object, an option.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// What to try.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The error that caused the failure, such as the operating system's.
    pub fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }

    /// Whether the peer raised the exception, and this side only received it.
    pub const fn is_remote(&self) -> bool {
        self.is_remote
    }

    /// Writes the context and, at its end, the exception; one line, without source and hint.
    ///
    /// # Errors
    /// Those of the formatter.
    pub fn describe(
        &self,
        exception: Option<&dyn fmt::Display>,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let mut line = Parts { f, separator: "" };
        match (&self.operation, &self.target) {
            (Some(operation), Some(target)) => {
                line.part(format_args!("{operation} on {target}"))?
            }
            (Some(operation), None) => line.part(format_args!("{operation}"))?,
            (None, Some(target)) if self.is_remote => line.part(format_args!("{target}"))?,
            (None, _) => {}
        }
        if !self.is_remote && self.phase != Phase::Application {
            line.part(format_args!("{}", self.phase))?;
        }
        if let (None, Some(target), false) = (&self.operation, &self.target, self.is_remote) {
            line.part(format_args!("{target}"))?;
        }
        match exception {
            Some(exception) if self.is_remote => {
                line.part(format_args!("the server raised {exception}"))
            }
            Some(exception) => line.part(format_args!("{exception}")),
            None => Ok(()),
        }
    }
}

/// Parts of one line, separated by colons.
struct Parts<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    separator: &'static str,
}

impl Parts<'_, '_> {
    fn part(&mut self, part: fmt::Arguments<'_>) -> fmt::Result {
        self.f.write_str(self.separator)?;
        self.separator = ": ";
        self.f.write_fmt(part)
    }
}

fn not_empty(text: String) -> Option<Box<str>> {
    (!text.is_empty()).then(|| text.into_boxed_str())
}

impl fmt::Debug for ErrorContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe(None, f)?;
        match self.source() {
            Some(source) => write!(f, ": {}", Report(source)),
            None => Ok(()),
        }
    }
}
