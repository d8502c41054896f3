//! The modifier of a valuetype, and the visibility of its members.

/// The modifier of a valuetype: the IDL type `ValueModifier`.
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
    /// `VM_TRUNCATABLE`: a valuetype with a `truncatable` base.
    Truncatable = 3,
}

impl ValueModifier {
    /// The modifier with this number on the wire; `VM_NONE` for unknown numbers.
    pub const fn from_number(number: i16) -> Self {
        match number {
            1 => Self::Custom,
            2 => Self::Abstract,
            3 => Self::Truncatable,
            _ => Self::None,
        }
    }
}

/// The visibility of a member of a valuetype's state: the IDL type `Visibility`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum Visibility {
    /// `PRIVATE_MEMBER`
    Private = 0,
    /// `PUBLIC_MEMBER`
    Public = 1,
}

impl Visibility {
    /// The visibility with this number on the wire.
    pub const fn from_number(number: i16) -> Self {
        if number == 0 { Self::Private } else { Self::Public }
    }
}
