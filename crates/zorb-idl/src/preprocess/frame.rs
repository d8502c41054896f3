//! The input of the preprocessor: files and macro expansions.

use std::rc::Rc;

use super::scan::Scanner;
use crate::lexer::PpToken;
use crate::source::{FileId, Span};

/// A file being read.
#[derive(Debug)]
pub(super) struct FileFrame {
    pub(super) file: FileId,
    pub(super) scanner: Scanner,
    /// A token of lookahead.
    pub(super) peeked: Option<PpToken>,
    pub(super) conditionals: Vec<Conditional>,
    /// For an imported file: how many files were read before it.
    pub(super) imported_after: Option<usize>,
}

/// An open `#if`.
#[derive(Debug)]
pub(super) struct Conditional {
    /// The directive.
    pub(super) span: Span,
    /// Whether the tokens of the current group are processed.
    pub(super) active: bool,
    /// Whether a group was already chosen, or the whole `#if` is in a skipped group.
    pub(super) decided: bool,
    pub(super) seen_else: bool,
}

impl FileFrame {
    pub(super) fn skipping(&self) -> bool {
        self.conditionals.last().is_some_and(|last| !last.active)
    }
}

/// Tokens to read before the rest of the input.
#[derive(Debug)]
pub(super) struct TokenFrame {
    pub(super) tokens: std::vec::IntoIter<PpToken>,
    /// The macro that was expanded.
    pub(super) name: Option<Rc<str>>,
}

impl TokenFrame {
    pub(super) fn next(&mut self) -> Option<PpToken> {
        self.tokens.next()
    }

    pub(super) fn peek(&self) -> Option<&PpToken> {
        self.tokens.as_slice().first()
    }
}
