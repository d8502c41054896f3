//! Preprocessing tokens.

use std::rc::Rc;

use crate::source::Span;

/// What a preprocessing token looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PpKind {
    /// A letter or underscore, then letters, digits, underscores.
    Ident,
    /// Something that starts like a number; perhaps malformed.
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
    /// A character that IDL has no use for.
    Other,
}

/// A preprocessing token.
#[derive(Clone, Debug)]
pub(crate) struct PpToken {
    pub(crate) kind: PpKind,
    /// The spelling, line splices removed.
    pub(crate) text: Rc<str>,
    /// Where it stands; for a token from a macro's body, where the macro is invoked.
    pub(crate) span: Span,
    /// White space or a comment comes before it.
    pub(crate) space_before: bool,
    /// It is the first on its line.
    pub(crate) line_start: bool,
    /// It is the name of a macro that was being expanded: never to be expanded again.
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
