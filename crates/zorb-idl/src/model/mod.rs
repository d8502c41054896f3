//! The model: IDL definitions with resolved names and evaluated constants.
//!
//! A [`Model`] is an arena of [`Definition`]s addressed by [`DefId`]. Back ends walk
//! [`Model::roots`], descend through [`Model::children`], and match on [`Definition::kind`]. All
//! names have the spelling of their definition, without the underscore of an escaped identifier;
//! all types are resolved; all constants are evaluated.
//!
//! After errors the model contains everything that could be resolved. Types that could not are
//! [`Type::Error`], which never occurs in a model without errors.

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

/// The id of a [`Definition`] in its [`Model`].
///
/// Cheap to copy, ordered by first declaration. Valid only in the model it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(pub(crate) u32);

impl DefId {
    /// The position in [`Model::definitions`]: an index for side tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The definitions of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) roots: Vec<DefId>,
}
