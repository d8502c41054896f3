//! Components, homes, event types and related definitions.
//!
//! Each includes its equivalent IDL: a component and a home are also interfaces (see
//! [`crate::Model::interface`]), an event type is also a valuetype (see [`crate::Model::value`]),
//! and the additional interfaces that they imply are definitions of their own, with
//! [`crate::Definition::implied_by`] set.

use super::{Annotation, Attribute, DefId, Initializer, Interface, Type, ValueType};
use crate::source::Span;

/// A component.
#[derive(Clone, Debug, Default)]
pub struct Component {
    /// The component it inherits from.
    pub base: Option<DefId>,
    /// The interfaces it supports, in order, without duplicates.
    pub supports: Vec<DefId>,
    /// Its own ports in order. An extended port is followed by the ports it expands to.
    pub ports: Vec<Port>,
    /// The equivalent interface: it inherits from the base component or `Components::CCMObject`,
    /// and from the supported interfaces; its operations are derived from the ports, its attributes
    /// are those of the component.
    pub interface: Interface,
}

/// A port of a component, a connector or a port type.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its kind and type.
    pub kind: PortKind,
    /// The name of the extended port that it belongs to.
    pub part_of: Option<String>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The comment directly above it.
    pub docs: Option<String>,
    /// The span of its name.
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
    /// `port` or `mirrorport`: an extended port, which expands to the ports of a port type.
    Extended {
        /// The port type.
        port_type: DefId,
        /// `mirrorport`: the port with the directions reversed: provided interfaces are used, and
        /// vice versa.
        mirrored: bool,
    },
}

impl PortKind {
    /// The IDL keywords.
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

    /// The interface, event type or port type of the port.
    #[must_use]
    pub fn ty(&self) -> Type {
        match self {
            Self::Provides(ty) | Self::Uses { ty, .. } => ty.clone(),
            Self::Emits(id) | Self::Publishes(id) | Self::Consumes(id) => Type::Named(*id),
            Self::Extended { port_type, .. } => Type::Named(*port_type),
        }
    }
}

/// A home: it creates and finds components of one type.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// The home it inherits from.
    pub base: Option<DefId>,
    /// The interfaces it supports, in order, without duplicates.
    pub supports: Vec<DefId>,
    /// The component it manages. None only with errors.
    pub manages: Option<DefId>,
    /// The primary key: the valuetype that identifies its components.
    pub primary_key: Option<DefId>,
    /// `factory` operations in order.
    pub factories: Vec<Initializer>,
    /// `finder` operations in order.
    pub finders: Vec<Initializer>,
    /// The interface `HExplicit`: the operations that the home declares. None only with errors.
    pub explicit: Option<DefId>,
    /// The interface `HImplicit`: the operations that every home has. None only with errors.
    pub implicit: Option<DefId>,
    /// The equivalent interface, which inherits from both.
    pub interface: Interface,
}

/// An event type.
#[derive(Clone, Debug, Default)]
pub struct EventType {
    /// The equivalent valuetype. Without an event type as its base it inherits from
    /// `Components::EventBase`.
    pub value: ValueType,
    /// The interface of its consumers, `EConsumer`. None only with errors.
    pub consumer: Option<DefId>,
}

/// A port type: a named group of ports.
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
    /// Its own ports in order. An extended port is followed by the ports it expands to.
    pub ports: Vec<Port>,
    /// Its own attributes in order, those of extended ports included.
    pub attributes: Vec<Attribute>,
}

/// A template module: `module M<typename T> { ... };` Its body is resolved in its instances only.
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
    /// Its kind, in IDL syntax: `typename`, `interface`, `sequence<T>`, `const long`.
    pub kind: String,
}

/// The template and arguments of a module such as `module M<Foo> FooM;`.
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
