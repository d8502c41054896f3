//! The kinds of IDL types.

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal;)*) => {
        /// The IDL enum `CORBA::TCKind`: the kind of type that a TypeCode describes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum TcKind {
            $($(#[$doc])* $name = $number,)*
        }

        impl TcKind {
            /// The kind with this number on the wire.
            pub const fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// No value; the type of an empty any.
    Null = 0;
    /// The result type of an operation without a result.
    Void = 1;
    /// `short`
    Short = 2;
    /// `long`
    Long = 3;
    /// `unsigned short`
    UShort = 4;
    /// `unsigned long`
    ULong = 5;
    /// `float`
    Float = 6;
    /// `double`
    Double = 7;
    /// `boolean`
    Boolean = 8;
    /// `char`
    Char = 9;
    /// `octet`
    Octet = 10;
    /// `any`
    Any = 11;
    /// `CORBA::TypeCode`
    TypeCode = 12;
    /// `CORBA::Principal`, which is deprecated.
    Principal = 13;
    /// An interface, or `Object`.
    ObjRef = 14;
    /// `struct`
    Struct = 15;
    /// `union`
    Union = 16;
    /// `enum`
    Enum = 17;
    /// `string`, with or without a bound.
    String = 18;
    /// `sequence`, with or without a bound.
    Sequence = 19;
    /// One dimension of an array.
    Array = 20;
    /// `typedef`
    Alias = 21;
    /// `exception`
    Except = 22;
    /// `long long`
    LongLong = 23;
    /// `unsigned long long`
    ULongLong = 24;
    /// `long double`
    LongDouble = 25;
    /// `wchar`
    WChar = 26;
    /// `wstring`, with or without a bound.
    WString = 27;
    /// `fixed`
    Fixed = 28;
    /// `valuetype`
    Value = 29;
    /// A boxed value: `valuetype Name type;`
    ValueBox = 30;
    /// `native`
    Native = 31;
    /// `abstract interface`
    AbstractInterface = 32;
    /// `local interface`
    LocalInterface = 33;
    /// `component`
    Component = 34;
    /// `home`
    Home = 35;
    /// `eventtype`
    Event = 36;
}

/// Announces an indirection to an earlier TypeCode, in place of a TCKind.
pub(crate) const INDIRECTION: u32 = 0xffff_ffff;

/// The position of a kind's parameters in an encoded TypeCode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameters {
    /// No parameters.
    Empty,
    /// Directly in the stream.
    Simple,
    /// In an encapsulation.
    Complex,
}

impl TcKind {
    pub(crate) const fn parameters(self) -> Parameters {
        match self {
            Self::String | Self::WString | Self::Fixed => Parameters::Simple,
            Self::ObjRef
            | Self::Struct
            | Self::Union
            | Self::Enum
            | Self::Sequence
            | Self::Array
            | Self::Alias
            | Self::Except
            | Self::Value
            | Self::ValueBox
            | Self::Native
            | Self::AbstractInterface
            | Self::LocalInterface
            | Self::Component
            | Self::Home
            | Self::Event => Parameters::Complex,
            _ => Parameters::Empty,
        }
    }

    /// Whether types of this kind have a repository id and a name.
    pub const fn has_id(self) -> bool {
        matches!(self.parameters(), Parameters::Complex)
            && !matches!(self, Self::Sequence | Self::Array)
    }

    /// Whether a type of this kind has members, and so can be recursive.
    pub(crate) const fn is_constructed(self) -> bool {
        matches!(self, Self::Struct | Self::Union | Self::Except | Self::Value | Self::Event)
    }

    /// Whether values of this kind can end a recursion: an empty sequence, null, another union case.
    pub(crate) const fn ends_recursion(self) -> bool {
        matches!(self, Self::Sequence | Self::Union | Self::Value | Self::Event)
    }

    /// Size and alignment of numbers, which are copied in bulk; `None` for other types.
    pub(crate) const fn number_size(self) -> Option<usize> {
        Some(match self {
            Self::Octet => 1,
            Self::Short | Self::UShort => 2,
            Self::Long | Self::ULong | Self::Float => 4,
            Self::LongLong | Self::ULongLong | Self::Double => 8,
            _ => return None,
        })
    }

    /// The IDL keyword: `"unsigned long"`.
    pub const fn idl_name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Void => "void",
            Self::Short => "short",
            Self::Long => "long",
            Self::UShort => "unsigned short",
            Self::ULong => "unsigned long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Boolean => "boolean",
            Self::Char => "char",
            Self::Octet => "octet",
            Self::Any => "any",
            Self::TypeCode => "TypeCode",
            Self::Principal => "Principal",
            Self::ObjRef => "interface",
            Self::Struct => "struct",
            Self::Union => "union",
            Self::Enum => "enum",
            Self::String => "string",
            Self::Sequence => "sequence",
            Self::Array => "array",
            Self::Alias => "typedef",
            Self::Except => "exception",
            Self::LongLong => "long long",
            Self::ULongLong => "unsigned long long",
            Self::LongDouble => "long double",
            Self::WChar => "wchar",
            Self::WString => "wstring",
            Self::Fixed => "fixed",
            Self::Value | Self::ValueBox => "valuetype",
            Self::Native => "native",
            Self::AbstractInterface => "abstract interface",
            Self::LocalInterface => "local interface",
            Self::Component => "component",
            Self::Home => "home",
            Self::Event => "eventtype",
        }
    }
}
