//! Macro definitions.

use std::rc::Rc;

use crate::lexer::PpToken;
use crate::source::Span;

/// A macro definition.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Rc<str>,
    /// Parameter names, for a function-like macro. A variadic one ends in `__VA_ARGS__`.
    pub(super) params: Option<Vec<Rc<str>>>,
    pub(super) variadic: bool,
    pub(super) body: Vec<PpToken>,
    /// Where it is defined; none when an option or the compiler defines it.
    pub(super) span: Option<Span>,
}

impl Macro {
    /// Whether two definitions have the same parameters and tokens.
    pub(super) fn same(&self, other: &Self) -> bool {
        let same_tokens = self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).enumerate().all(|(index, (a, b))| {
                a.text == b.text
                    && a.kind == b.kind
                    && (index == 0 || a.space_before == b.space_before)
            });
        self.params == other.params && self.variadic == other.variadic && same_tokens
    }
}
