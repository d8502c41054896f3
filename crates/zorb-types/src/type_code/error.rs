//! What is wrong with a question to a TypeCode, or with the parts of one being made.

use core::fmt;

use crate::{CompletionStatus, MinorCode, SystemException, minor};

/// A TypeCode has no answer, or cannot be made of these parts.
///
/// `Bounds` and `BadKind` are the exceptions `TypeCode::Bounds` and `TypeCode::BadKind`; the
/// others become system exceptions by [`From`], with the standard's minor codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TypeCodeError {
    /// There is no member of this number.
    Bounds,
    /// Types of this kind have no such part.
    BadKind,
    /// A simple name that is no identifier.
    BadName,
    /// A repository id without a format, or none where there has to be one.
    BadId,
    /// Two members of one name (case does not count), or an identifier malformed.
    BadMemberName,
    /// A member, element or original of a type that cannot have values there.
    BadMemberType,
    /// Two cases of one label.
    DuplicateLabel,
    /// A label that the discriminator's type does not have.
    BadLabel,
    /// A union switched by a type that cannot discriminate, or more than one default case.
    BadDiscriminator,
    /// An array without elements, or a `fixed` of 0 or more than 31 digits.
    BadNumber,
    /// It nests deeper than [`MAX_DEPTH`](zorb_cdr::MAX_DEPTH).
    TooDeep,
}

impl fmt::Display for TypeCodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bounds => "the type has no member of this number",
            Self::BadKind => "types of this kind have no such part",
            Self::BadName => "the name is no identifier",
            Self::BadId => "the repository id is malformed or missing",
            Self::BadMemberName => "a member's name is malformed or used twice",
            Self::BadMemberType => "a member's or element's type cannot have values there",
            Self::DuplicateLabel => "two cases of the union have the same label",
            Self::BadLabel => "the discriminator's type does not have this label",
            Self::BadDiscriminator => "the union cannot be switched this way",
            Self::BadNumber => "the number of elements or digits is out of range",
            Self::TooDeep => "the type is nested too deep",
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
        }
    }
}
