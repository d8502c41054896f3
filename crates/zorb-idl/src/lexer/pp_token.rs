//! Preprocessing tokens.

use std::rc::Rc;

use crate::source::Span;

/// The kind of a preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PpKind {
    /// An identifier: a letter or underscore, then letters, digits and underscores.
    Ident,
    /// A preprocessing number; it may be malformed.
    Number,
    /// `"..."`, quotes included in the text.
    Str,
    /// `L"..."`
    WideStr,
    /// `'...'`
    Char,
    /// `L'...'`
    WideChar,
    /// An operator or bracket.
    Punct,
    /// A character that is not valid in IDL.
    Other,
}

/// A preprocessing token.
#[derive(Clone, Debug)]
pub(crate) struct PpToken {
    pub(crate) kind: PpKind,
    /// The spelling, with line splices removed.
    pub(crate) text: Rc<str>,
    /// Its span; for a token from a macro's body, the span of the invocation.
    pub(crate) span: Span,
    /// Whether white space or a comment precedes it.
    pub(crate) space_before: bool,
    /// Whether it is the first token of its line.
    pub(crate) line_start: bool,
    /// Whether it names a macro that was being expanded and so is never expanded again.
    pub(crate) painted: bool,
    /// The comment directly above or before it.
    pub(crate) docs: Option<Rc<str>>,
}

impl PpToken {
    pub(crate) fn is_punct(&self, text: &str) -> bool {
        self.kind == PpKind::Punct && &*self.text == text
    }

    pub(crate) fn is_ident(&self, text: &str) -> bool {
        self.kind == PpKind::Ident && &*self.text == text
    }
}
