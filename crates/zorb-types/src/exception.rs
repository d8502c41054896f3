//! System exceptions: what the ORB itself raises (CORBA 3.3 part 1, 8.18 and annex A).

mod cdr;
mod completion;
mod kind;
pub mod minor;
mod minor_code;

#[cfg(test)]
mod tests;

use core::fmt;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

pub use cdr::Transfer;
pub use completion::{CompletionStatus, UnknownCompletion};
pub use kind::SystemExceptionKind;
pub use minor_code::{MinorCode, Vmcid};

/// A CORBA system exception: which one, why, and whether the operation ran.
///
/// It is a small value (8 octets) that is copied freely. On the wire it is the repository id as a
/// `string`, the minor code and the completion status as `unsigned long`s (CORBA 3.3 part 2,
/// 9.4.3.2).
///
/// ```
/// use zorb_types::{CompletionStatus, SystemException, minor};
///
/// let error = SystemException::transient(minor::transient::NO_USABLE_PROFILE, CompletionStatus::No);
/// assert_eq!(error.to_string(), "TRANSIENT (no usable profile, OMG 2, completed NO)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SystemException {
    /// Which of the standard's system exceptions.
    pub kind: SystemExceptionKind,
    /// The reason, as the raising ORB's vendor numbers it; 0 when none is given.
    pub minor: MinorCode,
    /// Whether the operation had been carried out.
    pub completed: CompletionStatus,
}

impl SystemException {
    /// A system exception of `kind`. There is also a function of each kind's name.
    #[inline]
    pub const fn new(
        kind: SystemExceptionKind,
        minor: MinorCode,
        completed: CompletionStatus,
    ) -> Self {
        Self { kind, minor, completed }
    }

    /// The same exception with another completion status.
    #[must_use]
    pub const fn with_completed(self, completed: CompletionStatus) -> Self {
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

impl fmt::Display for SystemException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.kind.name())?;
        if let Some(words) = self.minor.describe(self.kind) {
            write!(f, "{words}, ")?;
        }
        write!(f, "{}, completed {})", self.minor, self.completed)
    }
}

impl core::error::Error for SystemException {}
