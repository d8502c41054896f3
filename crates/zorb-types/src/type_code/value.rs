//! What the TypeCode of a valuetype says of the type and of its members.

/// How a valuetype is declared: the IDL type `ValueModifier`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum ValueModifier {
    /// `VM_NONE`: a plain `valuetype`.
    #[default]
    None = 0,
    /// `VM_CUSTOM`: `custom valuetype`.
    Custom = 1,
    /// `VM_ABSTRACT`: `abstract valuetype`.
    Abstract = 2,
    /// `VM_TRUNCATABLE`: it inherits `truncatable`.
    Truncatable = 3,
}

impl ValueModifier {
    /// The modifier of this number on the wire; numbers that the standard does not have are
    /// taken for `VM_NONE`.
    pub const fn from_number(number: i16) -> Self {
        match number {
            1 => Self::Custom,
            2 => Self::Abstract,
            3 => Self::Truncatable,
            _ => Self::None,
        }
    }
}

/// Who may use a member of a valuetype's state: the IDL type `Visibility`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum Visibility {
    /// `PRIVATE_MEMBER`
    Private = 0,
    /// `PUBLIC_MEMBER`
    Public = 1,
}

impl Visibility {
    /// The visibility of this number on the wire.
    pub const fn from_number(number: i16) -> Self {
        if number == 0 { Self::Private } else { Self::Public }
    }
}
