//! Errors of TypeCode operations.

use core::fmt;

use crate::{CompletionStatus, MinorCode, SystemException, minor};

/// A TypeCode does not have the requested part, or cannot be made from the given parts.
///
/// `Bounds` and `BadKind` are the exceptions `TypeCode::Bounds` and `TypeCode::BadKind`. [`From`] converts
/// the others to system exceptions with the standard's minor codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TypeCodeError {
    /// There is no member with this index.
    Bounds,
    /// Types of this kind do not have this part.
    BadKind,
    /// A simple name that is not an identifier.
    BadName,
    /// A repository id that has no format, or that is missing.
    BadId,
    /// A member name that is not an identifier, or that another member has (case does not count).
    BadMemberName,
    /// A member, element or original type that is not allowed there.
    BadMemberType,
    /// Two cases with the same label.
    DuplicateLabel,
    /// A label that is not a value of the discriminator type.
    BadLabel,
    /// A type that cannot be a discriminator, or more than one default case.
    BadDiscriminator,
    /// An array without elements, or a `fixed` with 0 or more than 31 digits.
    BadNumber,
    /// The type is nested deeper than [`MAX_DEPTH`](zorb_cdr::MAX_DEPTH).
    TooDeep,
    /// There is no memory for the type.
    OutOfMemory,
}

/// The result of a TypeCode operation.
pub type TypeCodeResult<T> = Result<T, TypeCodeError>;

impl fmt::Display for TypeCodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bounds => "the type has no member with this index",
            Self::BadKind => "types of this kind do not have this part",
            Self::BadName => "the name is not an identifier",
            Self::BadId => "the repository id is malformed or missing",
            Self::BadMemberName => "a member name is malformed or used twice",
            Self::BadMemberType => "the type of a member or element is not allowed there",
            Self::DuplicateLabel => "two cases of the union have the same label",
            Self::BadLabel => "the label is not a value of the discriminator type",
            Self::BadDiscriminator => "the discriminator type or the default case is invalid",
            Self::BadNumber => "the number of elements or digits is out of range",
            Self::OutOfMemory => "there is no memory for the type",
            Self::TooDeep => "the type is nested too deeply",
        })
    }
}

impl core::error::Error for TypeCodeError {}

impl From<TypeCodeError> for SystemException {
    fn from(error: TypeCodeError) -> Self {
        let bad_param = |minor| Self::bad_param(minor, CompletionStatus::No);
        match error {
            TypeCodeError::Bounds | TypeCodeError::BadKind => bad_param(MinorCode::default()),
            TypeCodeError::BadName => bad_param(minor::bad_param::INVALID_NAME),
            TypeCodeError::BadId => bad_param(minor::bad_param::INVALID_REPOSITORY_ID),
            TypeCodeError::BadMemberName => bad_param(minor::bad_param::INVALID_MEMBER_NAME),
            TypeCodeError::DuplicateLabel => bad_param(minor::bad_param::DUPLICATE_LABEL),
            TypeCodeError::BadLabel => bad_param(minor::bad_param::INCOMPATIBLE_DISCRIMINATOR),
            TypeCodeError::BadDiscriminator => {
                bad_param(minor::bad_param::ILLEGITIMATE_DISCRIMINATOR)
            }
            TypeCodeError::BadMemberType | TypeCodeError::BadNumber => {
                Self::bad_typecode(minor::bad_typecode::ILLEGITIMATE_MEMBER, CompletionStatus::No)
            }
            TypeCodeError::TooDeep => {
                Self::imp_limit(minor::imp_limit::TOO_DEEP, CompletionStatus::No)
            }
            TypeCodeError::OutOfMemory => {
                Self::no_memory(minor::no_memory::OUT_OF_MEMORY, CompletionStatus::No)
            }
        }
    }
}
