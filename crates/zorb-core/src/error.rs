//! `zorb::Error`: a failure with its story.

use std::cell::RefCell;
use std::fmt;

use zorb_cdr::CdrError;
use zorb_types::SystemException;

use crate::raises::Raises;

/// The result of a remote call: by default the failure is a system exception.
pub type Result<T, E = SystemException> = std::result::Result<T, E>;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// What the ORB was doing when something failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Reading options, environment or `zorb.toml`.
    Configure,
    /// Opening an endpoint to listen on.
    Listen,
    /// Turning a string into a reference.
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
    /// The program's own step, or an exception it raised.
    Application,
}

impl Phase {
    const fn describe(self) -> &'static str {
        match self {
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
        }
    }
}

/// A failure with its story: what was being done, to what, why it failed, and what to try.
///
/// Calls fail with a small [`SystemException`]; `?` turns it into an `Error`, which then also says
/// which endpoints were tried and what the operating system answered.
pub struct Error(Box<Story>);

struct Story {
    phase: Phase,
    what: String,
    exception: Option<SystemException>,
    source: Option<Source>,
    hint: Option<String>,
}

impl Error {
    /// A failure in `phase`; `what` names the object of the step in a few words.
    pub fn new(phase: Phase, what: impl Into<String>) -> Self {
        Self(Box::new(Story {
            phase,
            what: what.into(),
            exception: None,
            source: None,
            hint: None,
        }))
    }

    /// The same failure, caused by `source`.
    #[must_use]
    pub fn because(mut self, source: impl Into<Source>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The same failure, with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same failure, as the given system exception.
    #[must_use]
    pub fn with_exception(mut self, exception: SystemException) -> Self {
        self.0.exception = Some(exception);
        self
    }

    /// What the ORB was doing.
    pub fn phase(&self) -> Phase {
        self.0.phase
    }

    /// The system exception behind this failure, if there is one.
    pub fn system_exception(&self) -> Option<SystemException> {
        self.0.exception
    }

    /// The advice, if there is any.
    pub fn advice(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Keeps this story for the next conversion of `exception` on this thread, and returns the
    /// exception. A call's result stays small, and `?` still finds the whole story.
    #[cold]
    pub fn remember(self, exception: SystemException) -> SystemException {
        LAST_STORY.with_borrow_mut(|last| *last = Some(self.with_exception(exception)));
        exception
    }

    /// Drops the story that is kept: an exception that comes in now has another, told elsewhere.
    #[cold]
    pub(crate) fn forget() {
        LAST_STORY.take();
    }
}

thread_local! {
    static LAST_STORY: RefCell<Option<Error>> = const { RefCell::new(None) };
}

impl<E: Raises> From<E> for Error {
    fn from(raised: E) -> Self {
        let Some(exception) = raised.system() else {
            return Self::new(Phase::Application, raised.to_string());
        };
        let story = LAST_STORY
            .with_borrow_mut(|last| last.take_if(|story| story.0.exception == Some(exception)));
        story.unwrap_or_else(|| Self::new(Phase::Application, "").with_exception(exception))
    }
}

impl From<CdrError> for Error {
    fn from(error: CdrError) -> Self {
        Self::new(Phase::Application, "").because(error).with_exception(error.into())
    }
}

impl From<std::io::Error> for Error {
    fn from(source: std::io::Error) -> Self {
        Self::new(Phase::Application, "").because(source)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let story = &*self.0;
        let mut separator = "";
        if story.phase != Phase::Application {
            write!(f, "{}", story.phase.describe())?;
            separator = ": ";
        }
        if !story.what.is_empty() {
            write!(f, "{separator}{}", story.what)?;
            separator = ": ";
        }
        if let Some(exception) = story.exception {
            write!(f, "{separator}{exception}")?;
            separator = ": ";
        }
        if let Some(source) = &story.source {
            write!(f, "{separator}{source}")?;
        }
        if let Some(hint) = &story.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

// `fn main() -> Result<(), zorb::Error>` prints the `Debug` form, so that form is the story too.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
