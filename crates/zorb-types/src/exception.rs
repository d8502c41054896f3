//! System exceptions: what the ORB itself raises (CORBA 3.3 part 1, 8.18 and annex A).

mod cdr;
mod completion;
mod constructors;
mod context;
mod kind;
pub mod minor;
mod minor_code;
mod report;

#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

pub use cdr::Transfer;
pub use completion::{CompletionStatus, UnknownCompletion};
pub use context::{ErrorContext, Phase};
pub use kind::SystemExceptionKind;
pub use minor_code::{MinorCode, Vmcid};
pub use report::{Report, write_debug};

/// A CORBA system exception: which one, why, and whether the operation ran.
///
/// On the wire it is the repository id as a `string`, the minor code and the completion status as
/// `unsigned long`s (CORBA 3.3 part 2, 9.4.3.2). Inside a process it also carries its
/// [context](Self::context): what the ORB was doing, in which call, to which endpoint. The context is
/// allocated when something fails, and goes with the value through `?`, across threads and into
/// `Box<dyn Error>`.
///
/// `Display` is one line, without the text of [`source`](core::error::Error::source) and without the
/// [hint](Self::hint); `Debug`, which `unwrap` prints, is that line, the chain of sources and the hint.
/// Two exceptions are equal, and hash equally, when kind, minor code and completion status are: the
/// context does not count.
///
/// ```
/// use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};
///
/// let error = SystemException::transient(minor::transient::NO_USABLE_PROFILE, CompletionStatus::No);
/// assert_eq!(error.to_string(), "TRANSIENT (no usable profile, OMG 2, completed NO)");
///
/// let context = ErrorContext::new(Phase::Connect).with_operation("say_hello");
/// let same = error.clone().with_context(context);
/// assert!(same.to_string().starts_with("say_hello: connecting: TRANSIENT"));
/// assert_eq!(same, error);
/// ```
#[derive(Clone)]
pub struct SystemException {
    /// Which of the standard's system exceptions.
    pub kind: SystemExceptionKind,
    /// The reason, as the raising ORB's vendor numbers it; 0 when none is given.
    pub minor: MinorCode,
    /// Whether the operation had been carried out.
    pub completed: CompletionStatus,
    context: Option<Box<ErrorContext>>,
}

/// Operations without a `raises` clause raise nothing else.
impl zorb_interp::Raised for SystemException {
    type Other = Self;
    const CLAUSE: zorb_interp::Clause<Self> = zorb_interp::Clause::none();
}

impl SystemException {
    /// A system exception of `kind`. There is also a function of each kind's name.
    pub const fn new(
        kind: SystemExceptionKind,
        minor: MinorCode,
        completed: CompletionStatus,
    ) -> Self {
        Self { kind, minor, completed, context: None }
    }

    /// The same exception with another completion status.
    #[must_use]
    pub fn with_completed(self, completed: CompletionStatus) -> Self {
        Self { completed, ..self }
    }

    /// The repository id, `"IDL:omg.org/CORBA/TRANSIENT:1.0"`.
    pub const fn repository_id(&self) -> &'static str {
        self.kind.repository_id()
    }

    /// Appends the body of a `SYSTEM_EXCEPTION` reply.
    ///
    /// # Errors
    /// None in practice: ids are short ASCII.
    pub fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_latin1(self.repository_id())?;
        writer.write_u32(self.minor.0);
        writer.write_u32(self.completed as u32);
        Ok(())
    }

    /// Takes the body of a `SYSTEM_EXCEPTION` reply. An id that the standard does not know becomes
    /// `UNKNOWN` with minor code OMG 2; a completion status out of range becomes `MAYBE`.
    ///
    /// # Errors
    /// When the octets are not a string and two `unsigned long`s.
    pub fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let id = reader.read_latin1("system exception id")?;
        let kind = SystemExceptionKind::from_repository_id(&id);
        let minor = MinorCode(reader.read_u32()?);
        let completed =
            CompletionStatus::try_from(reader.read_u32()?).unwrap_or(CompletionStatus::Maybe);
        Ok(match kind {
            Some(kind) => Self::new(kind, minor, completed),
            None => Self::unknown(minor::unknown::UNKNOWN_SYSTEM_EXCEPTION, completed),
        })
    }
}

impl SystemException {
    /// The same exception with what is known of its circumstances.
    #[cold]
    #[must_use]
    pub fn with_context(mut self, context: ErrorContext) -> Self {
        self.context = Some(Box::new(context));
        self
    }

    /// The same exception, of a call of `operation`, unless its context names an operation already.
    #[cold]
    #[must_use]
    pub fn in_operation(mut self, operation: &str) -> Self {
        self.context_or(Phase::Application).fill_operation(operation);
        self
    }

    /// The same exception with `phase` and `target` in its context, unless the context has them already.
    #[cold]
    #[must_use]
    pub fn at(mut self, phase: Phase, target: impl fmt::Display) -> Self {
        self.context_or(phase).fill_target(&target);
        self
    }

    fn context_or(&mut self, phase: Phase) -> &mut ErrorContext {
        self.context.get_or_insert_with(|| Box::new(ErrorContext::new(phase)))
    }

    /// What was going on when the exception was raised, where that is known: it is of exceptions that
    /// the ORB raised on this side, and of those that came from a server.
    pub fn context(&self) -> Option<&ErrorContext> {
        self.context.as_deref()
    }

    /// What to try, if there is advice.
    pub fn hint(&self) -> Option<&str> {
        self.context()?.hint()
    }

    /// Whether the peer raised the exception, and this side only received it.
    pub fn is_remote(&self) -> bool {
        self.context().is_some_and(ErrorContext::is_remote)
    }
}

impl PartialEq for SystemException {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, self.minor, self.completed) == (other.kind, other.minor, other.completed)
    }
}

impl Eq for SystemException {}

impl Hash for SystemException {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind, self.minor, self.completed).hash(state);
    }
}

/// Kind, minor code and completion status, in words.
struct Bare<'a>(&'a SystemException);

impl fmt::Display for Bare<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SystemException { kind, minor, completed, .. } = self.0;
        write!(f, "{} (", kind.name())?;
        if let Some(words) = minor.describe(*kind) {
            write!(f, "{words}, ")?;
        }
        write!(f, "{minor}, completed {completed})")
    }
}

impl fmt::Display for SystemException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.context {
            Some(context) => context.describe(Some(&Bare(self)), f),
            None => Bare(self).fmt(f),
        }
    }
}

impl fmt::Debug for SystemException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_debug(self, self.hint(), f)
    }
}

impl core::error::Error for SystemException {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.context()?.source()
    }
}
