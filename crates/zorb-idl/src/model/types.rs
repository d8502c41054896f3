//! Types and constant values.

use super::{DefId, FixedValue};

/// A use of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// No value: only as an operation's result.
    Void,
    /// `boolean`
    Boolean,
    /// `octet`: eight bits, never converted
    Octet,
    /// `int8`
    Int8,
    /// `uint8`
    UInt8,
    /// `char`: one character of the transmission code set
    Char,
    /// `wchar`
    WChar,
    /// `short`, `int16`: 16 bits
    Short,
    /// `unsigned short`, `uint16`
    UShort,
    /// `long`, `int32`: 32 bits
    Long,
    /// `unsigned long`, `uint32`
    ULong,
    /// `long long`, `int64`: 64 bits
    LongLong,
    /// `unsigned long long`, `uint64`
    ULongLong,
    /// `float`: IEEE single
    Float,
    /// `double`: IEEE double
    Double,
    /// `long double`: IEEE quadruple
    LongDouble,
    /// `fixed<digits, scale>`: a decimal number. For a constant declared `fixed`, the type of its
    /// value
    Fixed {
        /// The total number of decimal digits: 1 to 31.
        digits: u16,
        /// The number of digits after the decimal point: 0 to `digits`.
        scale: i16,
    },
    /// `any`
    Any,
    /// `Object`: a reference to an object of any interface
    Object,
    /// `ValueBase`: a value of any valuetype
    ValueBase,
    /// `CORBA::TypeCode`: a description of a type
    TypeCode,
    /// `string` or `string<bound>`
    String {
        /// The maximum number of characters, not counting the terminating NUL.
        bound: Option<u32>,
    },
    /// `wstring` or `wstring<bound>`
    WString {
        /// The maximum number of characters.
        bound: Option<u32>,
    },
    /// `sequence<element>` or `sequence<element, bound>`
    Sequence {
        /// The element type.
        element: Box<Self>,
        /// The maximum number of elements.
        bound: Option<u32>,
    },
    /// `map<key, value>` or `map<key, value, bound>`
    Map {
        /// The type of the keys: an integer, a character, a boolean, a string or an enum.
        key: Box<Self>,
        /// The type of the values.
        value: Box<Self>,
        /// The maximum number of entries.
        bound: Option<u32>,
    },
    /// An array, from a declarator such as `long matrix[2][3]`
    Array {
        /// The element type; never itself an `Array` (but possibly a typedef of one).
        element: Box<Self>,
        /// The dimensions, outermost first: at least one, none zero.
        dims: Vec<u32>,
    },
    /// A struct, union, enum, typedef, interface (an object reference), valuetype (a value of it or
    /// of a derived type, or null) or native type
    Named(DefId),
    /// A type that could not be resolved. Only with errors.
    Error,
}

impl Type {
    /// Whether this is one of the nine integer types, `octet` included.
    #[must_use]
    pub const fn is_integer(&self) -> bool {
        matches!(
            self,
            Self::Octet
                | Self::Int8
                | Self::UInt8
                | Self::Short
                | Self::UShort
                | Self::Long
                | Self::ULong
                | Self::LongLong
                | Self::ULongLong
        )
    }

    /// Whether this is `float`, `double` or `long double`.
    #[must_use]
    pub const fn is_floating(&self) -> bool {
        matches!(self, Self::Float | Self::Double | Self::LongDouble)
    }

    /// The minimum and maximum value of an integer type.
    #[must_use]
    pub const fn integer_range(&self) -> Option<(i128, i128)> {
        Some(match self {
            Self::Octet | Self::UInt8 => (0, u8::MAX as i128),
            Self::Int8 => (i8::MIN as i128, i8::MAX as i128),
            Self::Short => (i16::MIN as i128, i16::MAX as i128),
            Self::UShort => (0, u16::MAX as i128),
            Self::Long => (i32::MIN as i128, i32::MAX as i128),
            Self::ULong => (0, u32::MAX as i128),
            Self::LongLong => (i64::MIN as i128, i64::MAX as i128),
            Self::ULongLong => (0, u64::MAX as i128),
            _ => return None,
        })
    }
}

/// The value of a constant, or of a union label.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstValue {
    /// `TRUE` or `FALSE`
    Boolean(bool),
    /// A value of an integer type, `octet` or a bitmask, in the range of that type
    Integer(i128),
    /// A value of `float`, `double` or `long double`; a `float` value is exactly representable in
    /// single precision. Constants of `long double` are computed in double precision
    Float(f64),
    /// A value of a `fixed` type
    Fixed(FixedValue),
    /// A value of `char`: a code point up to U+00FF (ISO Latin-1)
    Char(char),
    /// A value of `wchar`: one UTF-16 code unit (so surrogates are possible)
    WChar(u16),
    /// A `string`: characters up to U+00FF, without NUL
    String(String),
    /// A `wstring`: UTF-16 code units, without NUL
    WString(Vec<u16>),
    /// An enumerator
    Enumerator {
        /// The enum's definition.
        enumeration: DefId,
        /// Its index in the enum.
        index: u32,
    },
    /// The value of an erroneous expression. Only with errors.
    Error,
}
