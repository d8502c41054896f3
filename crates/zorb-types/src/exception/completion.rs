//! Whether the operation that raised a system exception had run.

use core::fmt;

/// The IDL enumeration `CORBA::CompletionStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CompletionStatus {
    /// `COMPLETED_YES`: the operation had run to its end when the exception was raised.
    Yes = 0,
    /// `COMPLETED_NO`: the operation was never begun; repeating it is safe.
    No = 1,
    /// `COMPLETED_MAYBE`: unknown.
    Maybe = 2,
}

/// A number that names no [`CompletionStatus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCompletion(pub u32);

impl TryFrom<u32> for CompletionStatus {
    type Error = UnknownCompletion;

    fn try_from(value: u32) -> Result<Self, UnknownCompletion> {
        match value {
            0 => Ok(Self::Yes),
            1 => Ok(Self::No),
            2 => Ok(Self::Maybe),
            other => Err(UnknownCompletion(other)),
        }
    }
}

impl fmt::Display for CompletionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "YES",
            Self::No => "NO",
            Self::Maybe => "MAYBE",
        })
    }
}

impl fmt::Display for UnknownCompletion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no completion status", self.0)
    }
}

impl core::error::Error for UnknownCompletion {}
