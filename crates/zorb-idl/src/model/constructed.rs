//! The constructed types: structs, unions and enumerations.

use super::{Annotation, ConstValue, DefId, Type};
use crate::source::Span;

/// A struct, or an exception.
#[derive(Clone, Debug, Default)]
pub struct Struct {
    /// The struct it inherits from: `struct S : Base`. Its members come first.
    pub base: Option<DefId>,
    /// The members in wire order, without those of the base. Not empty for a struct without a base.
    pub members: Vec<Member>,
    /// Types defined inside, as in `struct S { struct T { long x; } t; };`. Their
    /// [`Definition::parent`](super::Definition::parent) is this struct, which is also part of
    /// their scoped names.
    pub children: Vec<DefId>,
    /// Whether `struct S;` is never completed. Only with errors.
    pub forward_only: bool,
}

/// A member of a struct or exception.
#[derive(Clone, Debug)]
pub struct Member {
    /// The member's name.
    pub name: String,
    /// Its type, including the array dimensions of the declarator.
    pub ty: Type,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The span of its name.
    pub span: Span,
}

/// A discriminated union.
#[derive(Clone, Debug)]
pub struct Union {
    /// The discriminator's type: an integer, `char`, `wchar`, `boolean`, `octet`, or a
    /// [`Type::Named`] enum or typedef of one of these.
    pub discriminator: Type,
    /// The annotations before the discriminator's type: `switch (@key long)`.
    pub discriminator_annotations: Vec<Annotation>,
    /// The members in declaration order.
    pub cases: Vec<Case>,
    /// Types defined inside (see [`Struct::children`]).
    pub children: Vec<DefId>,
    /// Whether there is no `default` case although no label covers some discriminator values: such
    /// a value of the union has no active member.
    pub implicit_default: bool,
    /// Whether `union U;` is never completed. Only with errors.
    pub forward_only: bool,
}

impl Union {
    /// Whether some discriminator values select no member (there is no `default`, and the labels do
    /// not cover the type).
    #[must_use]
    pub const fn has_implicit_default(&self) -> bool {
        self.implicit_default
    }

    /// The case with the `default` label.
    #[must_use]
    pub fn default_case(&self) -> Option<&Case> {
        self.cases.iter().find(|case| case.is_default())
    }
}

/// One member of a union, with the labels that select it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The labels in order; at least one. `default` may be combined with values.
    pub labels: Vec<Label>,
    /// The member's name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above the member or its first label.
    pub docs: Option<String>,
    /// The span of the member's name.
    pub span: Span,
}

impl Case {
    /// Whether one of the labels is `default`.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.labels.iter().any(|label| matches!(label, Label::Default))
    }

    /// The label values, without `default`.
    pub fn values(&self) -> impl Iterator<Item = &ConstValue> {
        self.labels.iter().filter_map(|label| match label {
            Label::Default => None,
            Label::Value(value) => Some(value),
        })
    }
}

/// A label of a union case.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    /// `default:`
    Default,
    /// `case value:`, of the discriminator's type.
    Value(ConstValue),
}

/// An enumeration. Its enumerators are names in the enclosing scope.
#[derive(Clone, Debug, Default)]
pub struct Enum {
    /// The enumerators; the position is the wire value.
    pub enumerators: Vec<Enumerator>,
}

/// An enumerator.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: String,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The span of its name.
    pub span: Span,
}
