//! Errors of the engines.

use std::fmt;

/// Why a value is not marshalled or demarshalled.
///
/// It fits in a register, since engines return a result for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The octets end before the value does.
    Truncated,
    /// A TypeCode that these engines do not interpret.
    BadTypeCode,
    /// The memory image ends before the value does, or has a pointer to nothing.
    BadPointer,
    /// A sequence or string of more than 2³²-1 elements.
    TooLong,
}

/// The result of a step.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the octets end before the value does",
            Self::BadTypeCode => "these engines do not interpret this TypeCode",
            Self::BadPointer => "the memory image is not that of a value of the type",
            Self::TooLong => "a sequence has more than 2^32-1 elements",
        })
    }
}

impl std::error::Error for Error {}
