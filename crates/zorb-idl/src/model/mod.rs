//! The model: what IDL files mean, once names are resolved and constants computed.
//!
//! A [`Model`] is an arena of [`Definition`]s addressed by [`DefId`]. Back ends walk
//! [`Model::roots`], descend through [`Model::children`], and look at
//! [`Definition::kind`]. All names are the IDL's own spelling, without the underscore of an
//! escaped identifier; all types are resolved; all constants are values.
//!
//! When a compilation has errors the model still holds everything that could be understood.
//! Places that could not are [`Type::Error`]; they never occur in a model without errors.

mod annotation;
mod bits;
mod component;
mod definition;
mod dump;
mod facts;
mod fixed;
mod interface;
mod queries;
mod types;
mod value;

pub use annotation::{Annotation, AnnotationMember, AnnotationType, find_annotation};
pub use bits::{Bit, Bitfield, Bitmask, Bitset};
pub use component::{
    Component, Connector, EventType, Home, Instance, Port, PortKind, PortType, TemplateArgument,
    TemplateModule, TemplateParameter,
};
pub use definition::{
    Case, Const, Definition, DefinitionKind, Enum, Enumerator, Label, Member, Module, Struct,
    Typedef, Union,
};
pub use facts::TypeFacts;
pub use fixed::{FixedValue, MAX_FIXED_DIGITS};
pub use interface::{Attribute, Direction, Export, InheritedExport, Interface, Operation, Param};
pub use types::{ConstValue, Type};
pub use value::{Initializer, StateMember, ValueBox, ValueType, Visibility};

/// The address of a [`Definition`] in its [`Model`].
///
/// Cheap to copy, ordered by first declaration. Only meaningful with the model it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(pub(crate) u32);

impl DefId {
    /// The position in [`Model::definitions`]: useful as an index into side tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Every definition of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) roots: Vec<DefId>,
}
