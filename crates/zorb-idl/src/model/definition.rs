//! Definitions: modules, types, constants and exceptions.

use super::{
    Annotation, AnnotationType, Bitmask, Bitset, Component, Connector, ConstValue, DefId, Enum,
    EventType, Home, Instance, Interface, PortType, Struct, TemplateModule, Type, Union, ValueBox,
    ValueType,
};
use crate::source::{FileId, Span};

/// A named definition.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its id in the model.
    pub id: DefId,
    /// Its kind and content.
    pub kind: DefinitionKind,
    /// The identifier as used on the wire: in the spelling of the definition, without an escaping
    /// `_`.
    pub name: String,
    /// The names of the enclosing scopes from the outermost in, then its own.
    pub scoped_name: Vec<String>,
    /// The repository id, for example `IDL:omg.org/CosNaming/NamingContext:1.0`. Prefixes, `#pragma
    /// ID`, `#pragma version`, `typeid` and `typeprefix` are applied.
    pub repository_id: String,
    /// The comment directly above it, without comment markers; lines separated by `\n`.
    pub docs: Option<String>,
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// The component, home or event type whose equivalent IDL it belongs to. No file contains it.
    pub implied_by: Option<DefId>,
    /// The span of its name. For a module: in its first opening; for a completed forward
    /// declaration: in the full definition.
    pub span: Span,
    /// The file that contains [`Definition::span`].
    pub file: FileId,
    /// Whether it comes only from included files, not from a file that the caller named. A back end
    /// generates code for it only when told to, or when the other file is compiled. A module with
    /// at least one opening in a named file is not from an include.
    pub from_include: bool,
    /// Whether it comes only from files that are part of the compiler: the standard's own IDL, such
    /// as `orb.idl`.
    pub built_in: bool,
    /// The enclosing module, interface, struct, union or exception.
    pub parent: Option<DefId>,
}

/// The kinds of definition.
#[derive(Clone, Debug)]
pub enum DefinitionKind {
    /// `module M { ... };`
    Module(Module),
    /// `interface I { ... };`
    Interface(Interface),
    /// `valuetype V { ... };`, abstract and custom ones too
    Value(ValueType),
    /// `valuetype V T;`: a value box
    ValueBox(ValueBox),
    /// `struct S { ... };`
    Struct(Struct),
    /// `union U switch (T) { ... };`
    Union(Union),
    /// `enum E { ... };`
    Enum(Enum),
    /// `typedef T Name;` (each declarator is a separate definition)
    Typedef(Typedef),
    /// `const T NAME = expression;`
    Const(Const),
    /// `exception E { ... };` It has members like a struct, possibly none.
    Exception(Struct),
    /// `native N;`: a type that each language maps in its own way
    Native,
    /// `bitmask M { ... };`
    Bitmask(Bitmask),
    /// `bitset S { ... };`
    Bitset(Bitset),
    /// `@annotation a { ... };`
    Annotation(AnnotationType),
    /// `component C { ... };`
    Component(Component),
    /// `home H manages C { ... };`
    Home(Home),
    /// `eventtype E { ... };`
    Event(EventType),
    /// `porttype P { ... };`
    PortType(PortType),
    /// `connector C { ... };`
    Connector(Connector),
    /// `module M<typename T> { ... };`
    TemplateModule(TemplateModule),
}

impl DefinitionKind {
    /// The IDL keyword of this kind: `module`, `interface`, `valuetype` (boxes too), `struct`,
    /// `union`, `enum`, `typedef`, `const`, `exception`, `native`, `bitmask`, `bitset`,
    /// `annotation`, `component`, `home`, `eventtype`, `porttype`, `connector` or `template
    /// module`.
    #[must_use]
    pub const fn keyword(&self) -> &'static str {
        match self {
            Self::Module(_) => "module",
            Self::Interface(_) => "interface",
            Self::Value(_) | Self::ValueBox(_) => "valuetype",
            Self::Struct(_) => "struct",
            Self::Union(_) => "union",
            Self::Enum(_) => "enum",
            Self::Typedef(_) => "typedef",
            Self::Const(_) => "const",
            Self::Exception(_) => "exception",
            Self::Native => "native",
            Self::Bitmask(_) => "bitmask",
            Self::Bitset(_) => "bitset",
            Self::Annotation(_) => "annotation",
            Self::Component(_) => "component",
            Self::Home(_) => "home",
            Self::Event(_) => "eventtype",
            Self::PortType(_) => "porttype",
            Self::Connector(_) => "connector",
            Self::TemplateModule(_) => "template module",
        }
    }

    /// Whether it is a forward declaration that is never completed. Only with errors.
    #[must_use]
    pub const fn is_forward_only(&self) -> bool {
        match self {
            Self::Interface(item) => item.forward_only,
            Self::Value(item) => item.forward_only,
            Self::Event(item) => item.value.forward_only,
            Self::Component(item) => item.interface.forward_only,
            Self::Struct(item) => item.forward_only,
            Self::Union(item) => item.forward_only,
            _ => false,
        }
    }
}

/// A module. A reopened module is one definition, with the children of all openings in order; each
/// child's [`Definition::file`] is the file that contains it.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The definitions directly inside, in order of first declaration.
    pub children: Vec<DefId>,
    /// The span of the module's name in each opening, in order.
    pub openings: Vec<Span>,
    /// The template and arguments that it is an instance of.
    pub instance: Option<Instance>,
}

/// A type alias.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The aliased type, including the array dimensions of the declarator.
    pub ty: Type,
}

/// A named constant.
#[derive(Clone, Debug)]
pub struct Const {
    /// The declared type: a basic type, a string type, or a [`Type::Named`] enum or typedef of one.
    pub ty: Type,
    /// The computed value, in the range of `ty`.
    pub value: ConstValue,
}
