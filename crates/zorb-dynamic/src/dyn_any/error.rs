//! Errors of DynAnys.

use std::fmt;

use zorb_cdr::CdrError;
use zorb_types::{CompletionStatus, FixedError, MinorCode, SystemException, TypeCodeError};

/// The result of an operation on a [`DynAny`](crate::DynAny).
pub type DynAnyResult<T> = Result<T, DynAnyError>;

/// A failed operation of a DynAny.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DynAnyError {
    /// `TypeMismatch`: the type has no such part, or the value is of another type.
    TypeMismatch,
    /// `InvalidValue`: no current part, a name or number out of range, a bound exceeded.
    InvalidValue,
    /// `InconsistentTypeCode`: the type has no values.
    InconsistentTypeCode,
    /// The value of a new DynAny would be larger than its limit.
    TooLarge,
    /// The value cannot be encoded.
    Encoding(CdrError),
}

impl fmt::Display for DynAnyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TypeMismatch => f.write_str("the value is of another type"),
            Self::InvalidValue => f.write_str("there is no such part or value"),
            Self::InconsistentTypeCode => f.write_str("the type has no values"),
            Self::TooLarge => f.write_str("the value is larger than the limit"),
            Self::Encoding(error) => write!(f, "the value has no encoding: {error}"),
        }
    }
}

impl std::error::Error for DynAnyError {}

impl From<CdrError> for DynAnyError {
    fn from(error: CdrError) -> Self {
        Self::Encoding(error)
    }
}

impl From<TypeCodeError> for DynAnyError {
    fn from(error: TypeCodeError) -> Self {
        match error {
            TypeCodeError::Bounds => Self::InvalidValue,
            _ => Self::TypeMismatch,
        }
    }
}

impl From<FixedError> for DynAnyError {
    fn from(_: FixedError) -> Self {
        Self::InvalidValue
    }
}

impl From<DynAnyError> for SystemException {
    /// Encoding errors become the exceptions that they would be in a call, all others `BAD_PARAM`.
    fn from(error: DynAnyError) -> Self {
        match error {
            DynAnyError::Encoding(error) => Self::from(error),
            _ => Self::bad_param(MinorCode::default(), CompletionStatus::No),
        }
    }
}
