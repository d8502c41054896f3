//! Valuetypes.

use super::{Annotation, DefId, Export, Member, Param, Type};
use crate::source::Span;

/// A valuetype: an object that travels by value.
#[derive(Clone, Debug, Default)]
pub struct ValueType {
    /// The direct bases, in order, without duplicates. A concrete one (there is at most one) comes
    /// first.
    pub bases: Vec<DefId>,
    /// Whether a receiver that does not know this type may truncate a value to its concrete base:
    /// `valuetype V : truncatable B`.
    pub is_truncatable: bool,
    /// The interfaces it supports, in order, without duplicates. At most one is concrete.
    pub supports: Vec<DefId>,
    /// `abstract valuetype`: no state, no initializers.
    pub is_abstract: bool,
    /// `custom valuetype`: the program marshals the state itself.
    pub is_custom: bool,
    /// Its own state in wire order, without that of its base (see [`crate::Model::value_state`]).
    pub members: Vec<StateMember>,
    /// Its own initializers, in order; they are not inherited.
    pub initializers: Vec<Initializer>,
    /// Operations, attributes and nested definitions in declaration order.
    pub exports: Vec<Export>,
    /// Whether `valuetype V;` is never completed. Only with errors.
    pub forward_only: bool,
}

/// A member of a valuetype's state.
#[derive(Clone, Debug)]
pub struct StateMember {
    /// Its name, type and span.
    pub member: Member,
    /// Its visibility.
    pub visibility: Visibility,
}

/// The visibility of a member of a valuetype's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// `private`: accessible only to the valuetype's implementation. On the wire and in TypeCodes:
    /// 0.
    Private,
    /// `public`: accessible to all. On the wire and in TypeCodes: 1.
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

/// An initializer: `factory create(in long x) raises (E);`
#[derive(Clone, Debug)]
pub struct Initializer {
    /// Its name.
    pub name: String,
    /// The parameters in order, all of them `in`.
    pub params: Vec<Param>,
    /// The exceptions it may raise, in order, without duplicates.
    pub raises: Vec<DefId>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The span of its name.
    pub span: Span,
}

/// A value box: `valuetype Name T;`, a valuetype that contains one value of another type, or is
/// null.
#[derive(Clone, Debug)]
pub struct ValueBox {
    /// The type of the boxed value: never a valuetype.
    pub ty: Type,
    /// A struct, union or enum defined inline, as in `valuetype Name struct S { ... };`.
    pub children: Vec<DefId>,
}
