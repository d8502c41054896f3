//! Tokens of IDL.

use std::rc::Rc;

use super::keyword::{Keyword, Punct};
use crate::model::FixedValue;
use crate::source::Span;

/// A token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// The comment directly above or before it.
    pub(crate) docs: Option<Rc<str>>,
    /// Whether it is the first token of its line.
    pub(crate) line_start: bool,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// The name without the escaping underscore, and whether there was one.
    Ident(Rc<str>),
    Keyword(Keyword),
    Punct(Punct),
    Integer(u64),
    Float(f64),
    /// A fixed-point literal such as `1.5d`.
    Fixed(FixedValue),
    Char(char),
    WChar(u16),
    Str(Rc<str>),
    WStr(Rc<[u16]>),
    End,
}
