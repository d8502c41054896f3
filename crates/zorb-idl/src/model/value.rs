//! Valuetypes.

use super::{Annotation, DefId, Export, Member, Param, Type};
use crate::source::Span;

/// A valuetype: an object that travels by value.
#[derive(Clone, Debug, Default)]
pub struct ValueType {
    /// The valuetypes it inherits from, in order, without repetition. A concrete one (there is
    /// at most one) comes first.
    pub bases: Vec<DefId>,
    /// A receiver that does not know this type may keep the part that its concrete base
    /// describes: `valuetype V : truncatable B`.
    pub is_truncatable: bool,
    /// The interfaces it supports, in order, without repetition. At most one is not abstract.
    pub supports: Vec<DefId>,
    /// `abstract valuetype`: no state, no initialisers.
    pub is_abstract: bool,
    /// `custom valuetype`: the program itself marshals the state.
    pub is_custom: bool,
    /// Its own state in wire order, without that of its base (see
    /// [`crate::Model::value_state`]).
    pub members: Vec<StateMember>,
    /// Its own initialisers, in order; they are not inherited.
    pub initializers: Vec<Initializer>,
    /// Operations, attributes and nested definitions in declaration order.
    pub exports: Vec<Export>,
    /// Declared ahead with `valuetype V;` and never completed. Only with errors.
    pub forward_only: bool,
}

/// A member of a valuetype's state.
#[derive(Clone, Debug)]
pub struct StateMember {
    /// Name, type and place.
    pub member: Member,
    /// Who may use it.
    pub visibility: Visibility,
}

/// Who may use a member of a valuetype's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// `private`: the code of the valuetype itself. On the wire and in TypeCodes: 0.
    Private,
    /// `public`: everyone. On the wire and in TypeCodes: 1.
    Public,
}

impl Visibility {
    /// The IDL keyword.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Public => "public",
        }
    }
}

/// An initialiser: `factory create(in long x) raises (E);`
#[derive(Clone, Debug)]
pub struct Initializer {
    /// Its name.
    pub name: String,
    /// The parameters in order, all of them `in`.
    pub params: Vec<Param>,
    /// The exceptions it may raise, in order, without repetition.
    pub raises: Vec<DefId>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// Where the name stands.
    pub span: Span,
}

/// A value box: `valuetype Name T;`, a valuetype that holds one value of another type, or
/// nothing.
#[derive(Clone, Debug)]
pub struct ValueBox {
    /// The type of what is in it: never a valuetype.
    pub ty: Type,
    /// A struct, union or enum defined in place, as in `valuetype Name struct S { ... };`.
    pub children: Vec<DefId>,
}
