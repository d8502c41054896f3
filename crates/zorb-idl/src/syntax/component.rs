//! Syntax of components and template modules.

use super::{Docs, Expr, Ident, Item, ScopedName, TypeExpr};

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
