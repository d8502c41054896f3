//! The syntax tree: the source structure before name resolution.

mod component;

use std::rc::Rc;

pub(crate) use component::{
    ActualItem, ComponentItem, FormalItem, FormalKind, HomeItem, InstanceItem, PortItem,
    PortItemKind, PortTypeItem, TemplateItem,
};

use crate::model::{Direction, FixedValue, Visibility};
use crate::preprocess::Event;
use crate::source::Span;

/// The items of all files of a compilation.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) items: Vec<Item>,
}

/// An identifier in a definition.
#[derive(Clone, Debug)]
pub(crate) struct Ident {
    /// The name without the escaping underscore.
    pub(crate) text: Rc<str>,
    pub(crate) span: Span,
}

/// A reference to a name: `::A::B`.
#[derive(Clone, Debug)]
pub(crate) struct ScopedName {
    pub(crate) absolute: bool,
    pub(crate) parts: Vec<Ident>,
    pub(crate) span: Span,
}

pub(crate) type Docs = Option<Rc<str>>;

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

/// A constant expression.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Integer(u64),
    Float(f64),
    Fixed(FixedValue),
    Boolean(bool),
    Char(char),
    WChar(u16),
    String(Rc<str>),
    WString(Rc<[u16]>),
    Name(ScopedName),
    /// Unary operators in source order; the last one is applied first.
    Unary(Vec<(UnaryOp, Span)>, Box<Expr>),
    /// Operands and operators of one precedence level, from left to right. The list is flat: its
    /// length is unbounded, but the depth of the tree is bounded.
    Chain(Box<Expr>, Vec<(BinaryOp, Span, Expr)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Minus,
    Plus,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Or,
    Xor,
    And,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

impl BinaryOp {
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Or => "|",
            Self::Xor => "^",
            Self::And => "&",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
        }
    }
}
