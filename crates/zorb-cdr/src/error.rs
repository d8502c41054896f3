//! What can go wrong while octets become values, or values octets.

use core::fmt;

/// The result of a CDR operation.
pub type CdrResult<T> = Result<T, CdrError>;

/// A failure to encode or decode a value: what, and where in the stream.
///
/// The ORB turns it into a system exception (see `zorb_types::SystemException`), mostly `MARSHAL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CdrError {
    /// The rule that was broken.
    pub kind: CdrErrorKind,
    /// Octets from the alignment base to the place of the failure.
    pub offset: u32,
    /// What was being read or written, in IDL words: `"ulong"`, `"string"`, a type's name.
    pub what: &'static str,
}

/// The rule of CDR that an encoding or a value broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CdrErrorKind {
    /// The stream ended inside the value.
    Truncated,
    /// A length says more elements than the octets left could hold.
    LengthBeyondEnd,
    /// A bounded string or sequence is longer than its bound.
    BoundExceeded,
    /// A string without its terminating NUL, of length 0, or with a NUL inside.
    BadString,
    /// A boolean octet that is neither 0 nor 1.
    BadBoolean,
    /// An enumeration value that the type does not have.
    BadEnum,
    /// A union whose discriminator does not fit the member.
    BadDiscriminator,
    /// A character that the code set in use cannot carry, or octets that are no text in it.
    BadText,
    /// A wide character in GIOP 1.0, which has none.
    WideNotAllowed,
    /// A wide character on a connection that agreed on no wide code set.
    WideNotNegotiated,
    /// Values nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep,
    /// A value longer than 2³²-1 elements or octets.
    TooLong,
    /// A TypeCode that breaks its own rules.
    BadTypeCode,
    /// An object reference that could not be understood here.
    BadReference,
    /// A value whose tags, ids, indirections or chunks are not as they should, that is of another
    /// type than is expected, or that is gone.
    BadValue,
    /// A value of a type that is not known here, nor any that it may be truncated to.
    UnknownValue,
    /// A `fixed` that is no packed decimal number.
    BadFixed,
    /// A type that this build cannot carry.
    Unsupported,
}

impl CdrError {
    /// An error of `kind` at `offset` while handling `what`.
    #[cold]
    pub fn new(kind: CdrErrorKind, offset: usize, what: &'static str) -> Self {
        Self { kind, offset: u32::try_from(offset).unwrap_or(u32::MAX), what }
    }
}

impl CdrErrorKind {
    /// The fault in a few words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Truncated => "the stream ends inside it",
            Self::LengthBeyondEnd => "its length is beyond the end of the stream",
            Self::BoundExceeded => "it is longer than its bound",
            Self::BadString => "it is not terminated by its only NUL",
            Self::BadBoolean => "it is neither 0 nor 1",
            Self::BadEnum => "its value is not one of the enumeration's",
            Self::BadDiscriminator => "the discriminator does not select this member",
            Self::BadText => "the text does not fit the code set",
            Self::WideNotAllowed => "GIOP 1.0 carries no wide characters",
            Self::WideNotNegotiated => "the connection agreed on no wide code set",
            Self::TooDeep => "it is nested too deep",
            Self::TooLong => "it has more than 2^32-1 elements",
            Self::BadTypeCode => "the TypeCode is malformed",
            Self::BadReference => "the object reference is malformed",
            Self::BadValue => "the value is malformed or of another type",
            Self::UnknownValue => "the value is of a type that is not known here",
            Self::BadFixed => "it is no packed decimal number",
            Self::Unsupported => "this type is not supported",
        }
    }
}

impl fmt::Display for CdrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}: {}", self.what, self.offset, self.kind.describe())
    }
}

impl core::error::Error for CdrError {}
