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
mod arena;
mod bits;
mod component;
mod constructed;
mod definition;
mod facts;
mod fixed;
mod id;
mod interface;
mod queries;
mod text;
mod types;
mod value;

pub use annotation::{Annotation, AnnotationMember, AnnotationType, find_annotation};
pub use arena::Model;
pub use bits::{Bit, Bitfield, Bitmask, Bitset};
pub use component::{
    Component, Connector, EventType, Home, Instance, Port, PortKind, PortType, TemplateArgument,
    TemplateModule, TemplateParameter,
};
pub use constructed::{Case, Enum, Enumerator, Label, Member, Struct, Union};
pub use definition::{Const, Definition, DefinitionKind, Module, Typedef};
pub use facts::TypeFacts;
pub use fixed::{FixedValue, MAX_FIXED_DIGITS};
pub use id::DefId;
pub use interface::{Attribute, Direction, Export, InheritedExport, Interface, Operation, Param};
pub use types::{ConstValue, Type};
pub use value::{Initializer, StateMember, ValueBox, ValueType, Visibility};
