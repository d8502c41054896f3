//! The syntax tree: the source structure before name resolution.

mod expression;
mod item;
mod name;

pub(crate) use expression::{BinaryOp, Expr, ExprKind, UnaryOp};
pub(crate) use item::{
    ActualItem, AnnotationItem, AnnotationMemberItem, AnnotationTypeItem, Arguments, AttributeItem,
    BitfieldItem, BitmaskItem, BitsetItem, CaseItem, ComponentItem, Declarator, EnumItem,
    EnumeratorItem, FormalItem, FormalKind, HomeItem, InitializerItem, InstanceItem, InterfaceItem,
    InterfaceKind, Item, LabelItem, MemberItem, OperationItem, ParamItem, PortItem, PortItemKind,
    PortTypeItem, StructItem, TemplateItem, TypeExpr, TypeKind, UnionItem, ValueItem,
};
pub(crate) use name::{Docs, Ident, ScopedName};

/// The items of all files of a compilation.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) items: Vec<Item>,
}
