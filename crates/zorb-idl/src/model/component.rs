//! Components, homes, event types and what belongs to them.
//!
//! Each comes with its equivalent IDL: a component and a home are interfaces as well (see
//! [`crate::Model::interface`]), an event type is a valuetype (see [`crate::Model::value`]),
//! and the interfaces that they imply beside themselves are definitions of their own, with
//! [`crate::Definition::implied_by`] set.

use super::{Annotation, Attribute, DefId, Initializer, Interface, Type, ValueType};
use crate::source::Span;

/// A component.
#[derive(Clone, Debug, Default)]
pub struct Component {
    /// The component it inherits from.
    pub base: Option<DefId>,
    /// The interfaces it supports, in order, without repetition.
    pub supports: Vec<DefId>,
    /// Its own ports in order. The ports that an extended port stands for follow it.
    pub ports: Vec<Port>,
    /// The equivalent interface: it inherits from the base or `Components::CCMObject`, and from
    /// what the component supports; its operations come from the ports, its attributes are
    /// those of the component.
    pub interface: Interface,
}

/// A port of a component, a connector or a port type.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// What goes through it.
    pub kind: PortKind,
    /// The extended port that it is a part of, by its name.
    pub part_of: Option<String>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// Where the name stands.
    pub span: Span,
}

/// The kinds of port.
#[derive(Clone, Debug, PartialEq)]
pub enum PortKind {
    /// `provides`: a facet, of an interface or [`Type::Object`].
    Provides(Type),
    /// `uses`: a receptacle.
    Uses {
        /// The interface, or [`Type::Object`].
        ty: Type,
        /// `uses multiple`: any number of connections.
        multiple: bool,
    },
    /// `emits`: an event source with one consumer.
    Emits(DefId),
    /// `publishes`: an event source with any number of consumers.
    Publishes(DefId),
    /// `consumes`: an event sink.
    Consumes(DefId),
    /// `port` or `mirrorport`: the ports of a port type.
    Extended {
        /// The port type.
        port_type: DefId,
        /// `mirrorport`: what the port type provides is used, and the other way round.
        mirrored: bool,
    },
}

impl PortKind {
    /// The IDL words.
    #[must_use]
    pub const fn keyword(&self) -> &'static str {
        match self {
            Self::Provides(_) => "provides",
            Self::Uses { multiple: false, .. } => "uses",
            Self::Uses { multiple: true, .. } => "uses multiple",
            Self::Emits(_) => "emits",
            Self::Publishes(_) => "publishes",
            Self::Consumes(_) => "consumes",
            Self::Extended { mirrored: false, .. } => "port",
            Self::Extended { mirrored: true, .. } => "mirrorport",
        }
    }

    /// The type of what goes through it; a port type stands for itself.
    #[must_use]
    pub fn ty(&self) -> Type {
        match self {
            Self::Provides(ty) | Self::Uses { ty, .. } => ty.clone(),
            Self::Emits(id) | Self::Publishes(id) | Self::Consumes(id) => Type::Named(*id),
            Self::Extended { port_type, .. } => Type::Named(*port_type),
        }
    }
}

/// A home: it makes and finds components of one kind.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// The home it inherits from.
    pub base: Option<DefId>,
    /// The interfaces it supports, in order, without repetition.
    pub supports: Vec<DefId>,
    /// The component it manages. None only with errors.
    pub manages: Option<DefId>,
    /// The valuetype that tells its components apart.
    pub primary_key: Option<DefId>,
    /// `factory` operations in order.
    pub factories: Vec<Initializer>,
    /// `finder` operations in order.
    pub finders: Vec<Initializer>,
    /// The interface `HExplicit`: what the home says itself. None only with errors.
    pub explicit: Option<DefId>,
    /// The interface `HImplicit`: what every home has. None only with errors.
    pub implicit: Option<DefId>,
    /// The equivalent interface, which inherits from both.
    pub interface: Interface,
}

/// An event type.
#[derive(Clone, Debug, Default)]
pub struct EventType {
    /// The equivalent valuetype: without a base that is an event type it inherits from
    /// `Components::EventBase`.
    pub value: ValueType,
    /// The interface of its consumers, `EConsumer`. None only with errors.
    pub consumer: Option<DefId>,
}

/// A port type: ports that belong together.
#[derive(Clone, Debug, Default)]
pub struct PortType {
    /// The ports in order: provides, uses, and extended ports of other port types.
    pub ports: Vec<Port>,
    /// The attributes in order.
    pub attributes: Vec<Attribute>,
}

/// A connector.
#[derive(Clone, Debug, Default)]
pub struct Connector {
    /// The connector it inherits from.
    pub base: Option<DefId>,
    /// Its own ports in order. The ports that an extended port stands for follow it.
    pub ports: Vec<Port>,
    /// Its own attributes in order, those of extended ports included.
    pub attributes: Vec<Attribute>,
}

/// A template module: `module M<typename T> { ... };` What is inside exists in its instances.
#[derive(Clone, Debug, Default)]
pub struct TemplateModule {
    /// The parameters in order.
    pub parameters: Vec<TemplateParameter>,
}

/// A parameter of a template module.
#[derive(Clone, Debug)]
pub struct TemplateParameter {
    /// Its name.
    pub name: String,
    /// What it stands for, in IDL's words: `typename`, `interface`, `sequence<T>`, `const long`.
    pub kind: String,
}

/// What a module is an instance of: `module M<Foo> FooM;`
#[derive(Clone, Debug)]
pub struct Instance {
    /// The template module.
    pub template: DefId,
    /// The arguments in order.
    pub arguments: Vec<TemplateArgument>,
}

/// An argument of a template module.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateArgument {
    /// A type, or an exception.
    Type(Type),
    /// A constant.
    Value(super::ConstValue),
}
