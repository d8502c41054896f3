//! Constant expressions.

use std::rc::Rc;

use super::ScopedName;
use crate::model::FixedValue;
use crate::source::Span;

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
