//! Interfaces, operations and attributes.

use super::{Annotation, DefId, Type};
use crate::source::Span;

/// An interface.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// The direct bases, in order, without duplicates.
    pub bases: Vec<DefId>,
    /// Operations, attributes and nested definitions in declaration order.
    pub exports: Vec<Export>,
    /// `local interface`: its objects exist only in their own process.
    pub is_local: bool,
    /// `abstract interface`: a value is an object reference or a valuetype.
    pub is_abstract: bool,
    /// Whether `interface I;` has no definition in this compilation, which is a warning: object
    /// references of this type can be passed, but its operations are unknown.
    pub forward_only: bool,
}

impl Interface {
    /// The operations that it declares itself.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.exports.iter().filter_map(|export| match export {
            Export::Operation(operation) => Some(operation),
            _ => None,
        })
    }

    /// The attributes that it declares itself.
    pub fn attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.exports.iter().filter_map(|export| match export {
            Export::Attribute(attribute) => Some(attribute),
            _ => None,
        })
    }

    /// The types, constants and exceptions defined inside it.
    pub fn definitions(&self) -> impl Iterator<Item = DefId> {
        self.exports.iter().filter_map(|export| match export {
            Export::Definition(id) => Some(*id),
            _ => None,
        })
    }
}

/// A declaration inside an interface.
#[derive(Clone, Debug)]
pub enum Export {
    /// An operation.
    Operation(Operation),
    /// An attribute (one per declarator: `attribute long a, b;` is two).
    Attribute(Attribute),
    /// A nested type, constant or exception.
    Definition(DefId),
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name, which is the operation name on the wire.
    pub name: String,
    /// Whether it is `oneway`: no result, no reply.
    pub oneway: bool,
    /// The result type, or [`Type::Void`].
    pub result: Type,
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The exceptions it may raise, in order, without duplicates. In a local interface or a
    /// valuetype they may be native types.
    pub raises: Vec<DefId>,
    /// The property names of its `context` clause; each may end in `*`.
    pub contexts: Vec<String>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The span of its name.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its direction.
    pub direction: Direction,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The span of its name.
    pub span: Span,
}

/// The direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From client to server, in the request.
    In,
    /// From server to client, in the reply.
    Out,
    /// In both directions.
    InOut,
}

impl Direction {
    /// Whether the parameter is part of the request.
    #[must_use]
    pub const fn is_sent(self) -> bool {
        matches!(self, Self::In | Self::InOut)
    }

    /// Whether the parameter is part of the reply.
    #[must_use]
    pub const fn is_returned(self) -> bool {
        matches!(self, Self::Out | Self::InOut)
    }

    /// The IDL keyword.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::InOut => "inout",
        }
    }
}

/// An attribute: on the wire an operation `_get_name` and, unless readonly, `_set_name`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Whether it is readonly and so has no setter.
    pub readonly: bool,
    /// Its type.
    pub ty: Type,
    /// The exceptions that the getter may raise.
    pub get_raises: Vec<DefId>,
    /// The exceptions that the setter may raise; empty when readonly.
    pub set_raises: Vec<DefId>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The span of its name.
    pub span: Span,
}

/// An operation or attribute together with the interface that declares it: see
/// [`crate::Model::all_exports`].
#[derive(Clone, Copy, Debug)]
pub struct InheritedExport<'a> {
    /// The interface that declares it.
    pub interface: DefId,
    /// An operation or attribute, never a definition.
    pub export: &'a Export,
}
