//! Errors of encoding and decoding.

use core::fmt;

/// The result of a CDR operation.
pub type CdrResult<T> = Result<T, CdrError>;

/// A failure to encode or decode a value, with its position in the stream.
///
/// The ORB raises it as a system exception (`zorb_types::SystemException`), in most cases `MARSHAL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CdrError {
    /// The violated rule.
    pub kind: CdrErrorKind,
    /// Octets from the alignment base to the failure.
    pub offset: u32,
    /// What was being read or written, as IDL names it: `"unsigned long"`, `"string"`, a type name.
    pub what: &'static str,
}

/// The rule of CDR that an encoding or a value violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)] // so that an error is copied as whole words
pub enum CdrErrorKind {
    /// The stream ended inside the value.
    Truncated,
    /// A length greater than the number of elements that the octets left can hold.
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
    /// A character that the code set cannot represent, or octets that are not valid in it.
    BadText,
    /// A wide character in GIOP 1.0, which has none.
    WideNotAllowed,
    /// A wide character on a connection without a negotiated wide code set.
    WideNotNegotiated,
    /// Values nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep,
    /// A value longer than 2³²-1 elements or octets.
    TooLong,
    /// A malformed TypeCode.
    BadTypeCode,
    /// A malformed object reference.
    BadReference,
    /// A valuetype with malformed tags, ids, indirections or chunks, or of another type than the
    /// expected one, or one that is gone.
    BadValue,
    /// A valuetype that is unknown here, as are the types that it can be truncated to.
    UnknownValue,
    /// A `fixed` that is not a packed decimal number.
    BadFixed,
    /// Octets after the last value of a message.
    ExtraOctets,
    /// There is no memory for it.
    OutOfMemory,
    /// Values that would need far more memory than the octets of the message: see
    /// [`CdrReader::allow`](crate::CdrReader::allow).
    TooMuchMemory,
    /// A type or form that is not supported.
    Unsupported,
}

impl CdrError {
    /// An error of `kind` at `offset` while reading or writing `what`.
    #[cold]
    pub fn new(kind: CdrErrorKind, offset: usize, what: &'static str) -> Self {
        Self { kind, offset: u32::try_from(offset).unwrap_or(u32::MAX), what }
    }
}

impl CdrErrorKind {
    /// A short description.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Truncated => "the stream ends inside it",
            Self::LengthBeyondEnd => "its length is beyond the end of the stream",
            Self::BoundExceeded => "it is longer than its bound",
            Self::BadString => "it has no terminating NUL, or a NUL inside",
            Self::BadBoolean => "it is neither 0 nor 1",
            Self::BadEnum => "the enum has no such value",
            Self::BadDiscriminator => "the discriminator does not select this member",
            Self::BadText => "the text is not valid in the code set",
            Self::WideNotAllowed => "GIOP 1.0 carries no wide characters",
            Self::WideNotNegotiated => "the connection has not negotiated a wide code set",
            Self::TooDeep => "it is nested too deeply",
            Self::TooLong => "it has more than 2^32-1 elements",
            Self::BadTypeCode => "the TypeCode is malformed",
            Self::BadReference => "the object reference is malformed",
            Self::BadValue => "the value is malformed or of another type",
            Self::UnknownValue => "the type of the value is not known here",
            Self::BadFixed => "it is not a packed decimal number",
            Self::ExtraOctets => "octets are left behind it",
            Self::OutOfMemory => "there is no memory for it",
            Self::TooMuchMemory => "decoded, it needs far more memory than its message",
            Self::Unsupported => "it is not supported",
        }
    }
}

impl fmt::Display for CdrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}: {}", self.what, self.offset, self.kind.describe())
    }
}

impl core::error::Error for CdrError {}
