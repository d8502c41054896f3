//! Items and type expressions, which contain each other.

use std::rc::Rc;

use super::{Docs, Expr, Ident, ScopedName};
use crate::model::{Direction, Visibility};
use crate::preprocess::Event;
use crate::source::Span;

/// An item in a file, module, interface or (types only) struct, union or exception.
#[derive(Debug)]
pub(crate) enum Item {
    Module {
        name: Ident,
        items: Vec<Self>,
        docs: Docs,
    },
    Interface(InterfaceItem),
    /// `interface I;`
    InterfaceForward(Ident, InterfaceKind),
    Value(ValueItem),
    /// `valuetype V;`
    ValueForward {
        name: Ident,
        is_event: bool,
        is_abstract: bool,
    },
    ValueBox {
        name: Ident,
        ty: TypeExpr,
        docs: Docs,
    },
    /// Only in a valuetype.
    State {
        visibility: Visibility,
        member: MemberItem,
    },
    /// Only in a valuetype.
    Initializer(InitializerItem),
    Native(Ident, Docs),
    Bitmask(BitmaskItem),
    Bitset(BitsetItem),
    AnnotationType(AnnotationTypeItem),
    ComponentForward(Ident),
    /// A component or connector.
    Component(ComponentItem),
    /// Only in a component, connector or port type.
    Port(PortItem),
    PortType(PortTypeItem),
    Home(HomeItem),
    /// Only in a home.
    Finder(InitializerItem),
    Template(Rc<TemplateItem>),
    /// `module M<Foo> FooM;`
    Instance(InstanceItem),
    /// An item with annotations before it.
    Annotated(Vec<AnnotationItem>, Box<Self>),
    /// `import A::B;`
    Import(ScopedName),
    /// `import "IDL:A/B:1.0";`
    ImportId(Rc<str>, Span),
    Struct(StructItem),
    /// `struct S;`
    StructForward(Ident),
    Union(UnionItem),
    /// `union U;`
    UnionForward(Ident),
    Enum(EnumItem),
    Exception(StructItem),
    Typedef {
        ty: TypeExpr,
        declarators: Vec<Declarator>,
        docs: Docs,
    },
    Const {
        ty: TypeExpr,
        name: Ident,
        value: Expr,
        docs: Docs,
    },
    Operation(OperationItem),
    Attribute(AttributeItem),
    /// `typeid A "..."`
    TypeId {
        name: ScopedName,
        id: Rc<str>,
        span: Span,
    },
    /// `typeprefix A "..."`
    TypePrefix {
        name: ScopedName,
        prefix: Rc<str>,
        span: Span,
    },
    /// A pragma, or the start or end of a file.
    Event(Event),
}

/// The modifier before `interface`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InterfaceKind {
    #[default]
    Plain,
    Abstract,
    Local,
    /// `pseudo`, which means `local`. A forward declaration needs no modifier.
    Pseudo,
}

impl InterfaceKind {
    /// Whether its objects are local.
    pub(crate) fn is_local(self) -> bool {
        matches!(self, Self::Local | Self::Pseudo)
    }
}

#[derive(Debug)]
pub(crate) struct InterfaceItem {
    pub(crate) kind: InterfaceKind,
    pub(crate) name: Ident,
    pub(crate) bases: Vec<ScopedName>,
    pub(crate) items: Vec<Item>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct ValueItem {
    pub(crate) name: Ident,
    /// `eventtype`
    pub(crate) is_event: bool,
    pub(crate) is_abstract: bool,
    pub(crate) is_custom: bool,
    /// The span of `truncatable`.
    pub(crate) truncatable: Option<Span>,
    pub(crate) bases: Vec<ScopedName>,
    pub(crate) supports: Vec<ScopedName>,
    pub(crate) items: Vec<Item>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct InitializerItem {
    pub(crate) name: Ident,
    pub(crate) params: Vec<ParamItem>,
    pub(crate) raises: Vec<ScopedName>,
    pub(crate) docs: Docs,
}

/// `@name(...)`
#[derive(Debug)]
pub(crate) struct AnnotationItem {
    pub(crate) name: ScopedName,
    pub(crate) arguments: Arguments,
}

#[derive(Debug)]
pub(crate) enum Arguments {
    None,
    /// `@name(value)`
    One(Expr),
    Named(Vec<(Ident, Expr)>),
}

#[derive(Debug)]
pub(crate) struct AnnotationTypeItem {
    pub(crate) name: Ident,
    pub(crate) members: Vec<AnnotationMemberItem>,
    pub(crate) items: Vec<Item>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct AnnotationMemberItem {
    pub(crate) ty: TypeExpr,
    pub(crate) name: Ident,
    pub(crate) default: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct BitmaskItem {
    pub(crate) name: Ident,
    pub(crate) bits: Vec<EnumeratorItem>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct BitsetItem {
    pub(crate) name: Ident,
    pub(crate) base: Option<ScopedName>,
    pub(crate) fields: Vec<BitfieldItem>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct BitfieldItem {
    pub(crate) span: Span,
    pub(crate) bits: Expr,
    pub(crate) ty: Option<TypeExpr>,
    /// None for padding bits.
    pub(crate) names: Vec<Ident>,
    pub(crate) docs: Docs,
    pub(crate) annotations: Vec<AnnotationItem>,
}

#[derive(Debug)]
pub(crate) struct StructItem {
    pub(crate) name: Ident,
    pub(crate) base: Option<ScopedName>,
    pub(crate) members: Vec<MemberItem>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct MemberItem {
    pub(crate) ty: TypeExpr,
    pub(crate) declarators: Vec<Declarator>,
    pub(crate) annotations: Vec<AnnotationItem>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct UnionItem {
    pub(crate) name: Ident,
    pub(crate) discriminator: TypeExpr,
    pub(crate) discriminator_annotations: Vec<AnnotationItem>,
    pub(crate) cases: Vec<CaseItem>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct CaseItem {
    pub(crate) labels: Vec<LabelItem>,
    pub(crate) ty: TypeExpr,
    pub(crate) declarator: Declarator,
    pub(crate) annotations: Vec<AnnotationItem>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) enum LabelItem {
    Default(Span),
    Value(Expr),
}

#[derive(Debug)]
pub(crate) struct EnumItem {
    pub(crate) name: Ident,
    pub(crate) enumerators: Vec<EnumeratorItem>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct EnumeratorItem {
    pub(crate) name: Ident,
    pub(crate) docs: Docs,
    pub(crate) annotations: Vec<AnnotationItem>,
}

#[derive(Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Ident,
    pub(crate) dims: Vec<Expr>,
}

#[derive(Debug)]
pub(crate) struct OperationItem {
    pub(crate) name: Ident,
    pub(crate) oneway: bool,
    pub(crate) result: TypeExpr,
    pub(crate) params: Vec<ParamItem>,
    pub(crate) raises: Vec<ScopedName>,
    pub(crate) contexts: Vec<(Rc<str>, Span)>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct ParamItem {
    pub(crate) annotations: Vec<AnnotationItem>,
    pub(crate) direction: Direction,
    pub(crate) name: Ident,
    pub(crate) ty: TypeExpr,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct AttributeItem {
    pub(crate) readonly: bool,
    pub(crate) ty: TypeExpr,
    pub(crate) names: Vec<Ident>,
    pub(crate) get_raises: Vec<ScopedName>,
    pub(crate) set_raises: Vec<ScopedName>,
    pub(crate) docs: Docs,
}

/// A component or a connector (which has no `supports`).
#[derive(Debug)]
pub(crate) struct ComponentItem {
    pub(crate) connector: bool,
    pub(crate) name: Ident,
    pub(crate) base: Option<ScopedName>,
    pub(crate) supports: Vec<ScopedName>,
    pub(crate) items: Vec<Item>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct PortItem {
    pub(crate) kind: PortItemKind,
    pub(crate) ty: TypeExpr,
    pub(crate) name: Ident,
    pub(crate) docs: Docs,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum PortItemKind {
    Provides,
    Uses {
        multiple: bool,
    },
    Emits,
    Publishes,
    Consumes,
    /// `port` or `mirrorport`
    Extended {
        mirrored: bool,
    },
}

#[derive(Debug)]
pub(crate) struct PortTypeItem {
    pub(crate) name: Ident,
    pub(crate) items: Vec<Item>,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct HomeItem {
    pub(crate) name: Ident,
    pub(crate) base: Option<ScopedName>,
    pub(crate) supports: Vec<ScopedName>,
    pub(crate) manages: ScopedName,
    pub(crate) primary_key: Option<ScopedName>,
    pub(crate) items: Vec<Item>,
    pub(crate) docs: Docs,
}

/// `module M<typename T> { ... };`
#[derive(Debug)]
pub(crate) struct TemplateItem {
    pub(crate) name: Ident,
    pub(crate) parameters: Vec<FormalItem>,
    pub(crate) items: Vec<Item>,
    /// The number of tokens in its body.
    pub(crate) tokens: usize,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) struct FormalItem {
    pub(crate) kind: FormalKind,
    pub(crate) name: Ident,
}

#[derive(Debug)]
pub(crate) enum FormalKind {
    Type,
    Interface,
    Value,
    Event,
    Struct,
    Union,
    Exception,
    Enum,
    Const(TypeExpr),
    /// `sequence<T>`, where `T` is an earlier parameter.
    Sequence(Option<Ident>),
}

/// `module M<Foo> FooM;` or `alias M<Foo> FooM;`
#[derive(Debug)]
pub(crate) struct InstanceItem {
    pub(crate) template: ScopedName,
    pub(crate) arguments: Vec<ActualItem>,
    pub(crate) name: Ident,
    pub(crate) docs: Docs,
}

#[derive(Debug)]
pub(crate) enum ActualItem {
    Type(TypeExpr),
    Value(Expr),
    /// The name of a type or a constant, depending on the parameter.
    Name(ScopedName),
}

/// A type expression.
#[derive(Debug)]
pub(crate) struct TypeExpr {
    pub(crate) kind: TypeKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum TypeKind {
    /// A type without parameters: `long`, `any`, `Object`, also `void`.
    Basic(crate::model::Type),
    Fixed {
        digits: Box<Expr>,
        scale: Box<Expr>,
    },
    /// An element type with annotations before it: `sequence<@external Node>`.
    Annotated {
        annotations: Vec<AnnotationItem>,
        ty: Box<TypeExpr>,
    },
    /// `fixed` without parameters: the type of a constant.
    AnyFixed,
    String {
        wide: bool,
        bound: Option<Box<Expr>>,
    },
    Sequence {
        element: Box<TypeExpr>,
        bound: Option<Box<Expr>>,
    },
    Map {
        key: Box<TypeExpr>,
        value: Box<TypeExpr>,
        bound: Option<Box<Expr>>,
    },
    Name(ScopedName),
    /// A struct, union or enum defined inline.
    Defined(Box<Item>),
    /// An error that is already reported.
    Error,
}
