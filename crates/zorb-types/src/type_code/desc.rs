//! Type descriptions in static memory, as in generated code.

use super::{TcKind, ValueModifier, Visibility};

/// Returns the description of a type. It is a function so that types can be recursive.
pub type TypeFn = fn() -> &'static TypeDesc;

/// The description of an IDL type known at compile time.
///
/// It needs no allocation and no work at run time. Generated code has one for each type:
///
/// ```
/// use zorb_types::{TypeDesc, Typed};
///
/// fn person() -> &'static TypeDesc {
///     static DESC: TypeDesc = TypeDesc::structure(
///         "IDL:Person:1.0",
///         "Person",
///         &[("name", String::type_desc), ("age", i32::type_desc)],
///     );
///     &DESC
/// }
/// assert_eq!(
///     zorb_types::TypeCode::from(person()).to_string(),
///     "struct Person { string name; long age; }"
/// );
/// ```
///
/// Types with members need a `static`: the address identifies a recursive type.
pub struct TypeDesc {
    pub(crate) kind: TcKind,
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// Bound, length, default index, value modifier, or digits and scale (see `digits::fixed`).
    pub(crate) number: i64,
    /// Element, original type, discriminator or base.
    pub(crate) content: Option<TypeFn>,
    pub(crate) members: Members,
}

/// The members of a described type.
pub(crate) enum Members {
    None,
    /// Of structs and exceptions: name and type.
    Fields(&'static [(&'static str, TypeFn)]),
    /// Of unions: label, name and type.
    Arms(&'static [(i64, &'static str, TypeFn)]),
    /// Of valuetypes: name, type and visibility.
    State(&'static [(&'static str, TypeFn, Visibility)]),
    /// Of enumerations.
    Names(&'static [&'static str]),
}

impl TypeDesc {
    /// A type without parameters: `TypeDesc::plain(TcKind::Long)`. Also `string`, `wstring`.
    pub const fn plain(kind: TcKind) -> Self {
        Self { kind, id: "", name: "", number: 0, content: None, members: Members::None }
    }

    /// An interface, or another type with an id and a name only: `native`, `home`, ...
    pub const fn named(kind: TcKind, id: &'static str, name: &'static str) -> Self {
        Self { id, name, ..Self::plain(kind) }
    }

    /// An interface.
    pub const fn interface(id: &'static str, name: &'static str) -> Self {
        Self::named(TcKind::ObjRef, id, name)
    }

    /// A `struct`: members by name and type.
    pub const fn structure(
        id: &'static str,
        name: &'static str,
        members: &'static [(&'static str, TypeFn)],
    ) -> Self {
        Self { members: Members::Fields(members), ..Self::named(TcKind::Struct, id, name) }
    }

    /// An `exception`: members by name and type.
    pub const fn exception(
        id: &'static str,
        name: &'static str,
        members: &'static [(&'static str, TypeFn)],
    ) -> Self {
        Self { members: Members::Fields(members), ..Self::named(TcKind::Except, id, name) }
    }

    /// An `enum`: the names of its values in order.
    pub const fn enumeration(
        id: &'static str,
        name: &'static str,
        values: &'static [&'static str],
    ) -> Self {
        Self { members: Members::Names(values), ..Self::named(TcKind::Enum, id, name) }
    }

    /// A `union`: its cases by label, name and type, one for each label in the order of the IDL.
    ///
    /// A label is the discriminator as a number: 0 or 1 for booleans, the code point of a character, the
    /// ordinal of an enum value. `default_index` is the index of the default case, whose label has no
    /// meaning, or -1.
    pub const fn union(
        id: &'static str,
        name: &'static str,
        discriminator: TypeFn,
        default_index: i32,
        cases: &'static [(i64, &'static str, TypeFn)],
    ) -> Self {
        Self {
            number: default_index as i64,
            content: Some(discriminator),
            members: Members::Arms(cases),
            ..Self::named(TcKind::Union, id, name)
        }
    }

    /// A `typedef`.
    pub const fn alias(id: &'static str, name: &'static str, original: TypeFn) -> Self {
        Self { content: Some(original), ..Self::named(TcKind::Alias, id, name) }
    }

    /// A `string` of at most `bound` octets; 0 for no bound.
    pub const fn string(bound: u32) -> Self {
        Self { number: bound as i64, ..Self::plain(TcKind::String) }
    }

    /// A `wstring` of at most `bound` code units; 0 for no bound.
    pub const fn wstring(bound: u32) -> Self {
        Self { number: bound as i64, ..Self::plain(TcKind::WString) }
    }

    /// A `sequence` of at most `bound` elements; 0 for no bound.
    pub const fn sequence(element: TypeFn, bound: u32) -> Self {
        Self { number: bound as i64, content: Some(element), ..Self::plain(TcKind::Sequence) }
    }

    /// One dimension of an array; the element type of an outer dimension is the inner one.
    pub const fn array(element: TypeFn, length: u32) -> Self {
        Self { number: length as i64, content: Some(element), ..Self::plain(TcKind::Array) }
    }

    /// A `valuetype`: its concrete base, if it has one, and the members of its own state by name, type and
    /// visibility, without those of the base.
    pub const fn value(
        id: &'static str,
        name: &'static str,
        modifier: ValueModifier,
        base: Option<TypeFn>,
        members: &'static [(&'static str, TypeFn, Visibility)],
    ) -> Self {
        Self {
            number: modifier as i64,
            content: base,
            members: Members::State(members),
            ..Self::named(TcKind::Value, id, name)
        }
    }

    /// An `eventtype`, as [`value`](Self::value).
    pub const fn event(
        id: &'static str,
        name: &'static str,
        modifier: ValueModifier,
        base: Option<TypeFn>,
        members: &'static [(&'static str, TypeFn, Visibility)],
    ) -> Self {
        Self { kind: TcKind::Event, ..Self::value(id, name, modifier, base, members) }
    }

    /// A boxed value: `valuetype Name type;`.
    pub const fn value_box(id: &'static str, name: &'static str, boxed: TypeFn) -> Self {
        Self { content: Some(boxed), ..Self::named(TcKind::ValueBox, id, name) }
    }

    /// A `fixed<digits, scale>`.
    pub const fn fixed(digits: u16, scale: i16) -> Self {
        Self { number: super::digits::fixed(digits, scale), ..Self::plain(TcKind::Fixed) }
    }
}

impl core::fmt::Debug for TypeDesc {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "TypeDesc({} {})", self.kind.idl_name(), self.name)
    }
}

/// The description of a type without parameters.
pub(crate) fn plain(kind: TcKind) -> &'static TypeDesc {
    macro_rules! plain {
        ($($kind:ident)*) => {
            match kind {
                $(TcKind::$kind => const { &TypeDesc::plain(TcKind::$kind) },)*
                // Never used for kinds with parameters.
                _ => const { &TypeDesc::plain(TcKind::Null) },
            }
        };
    }
    plain! {
        Null Void Short Long UShort ULong Float Double Boolean Char Octet Any TypeCode Principal
        LongLong ULongLong LongDouble WChar String WString
    }
}
