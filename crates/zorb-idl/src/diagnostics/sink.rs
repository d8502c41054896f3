//! Collecting diagnostics.

use std::collections::HashSet;

use super::{Code, Diagnostic};
use crate::limits::MAX_DIAGNOSTICS;
use crate::source::{SourceMap, Span};

/// Takes diagnostics from all steps: drops repetitions, keeps the limit, sorts at the end.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    items: Vec<Diagnostic>,
    seen: HashSet<(Code, Option<Span>)>,
    dropped: usize,
}

impl Sink {
    /// Adds a diagnostic, unless one with the same code is already at this place.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let repeated = self.seen.contains(&(diagnostic.code, diagnostic.span));
        if repeated && diagnostic.span.is_some() {
            return;
        }
        if self.items.len() >= MAX_DIAGNOSTICS {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        self.seen.insert((diagnostic.code, diagnostic.span));
        self.items.push(diagnostic);
    }

    /// Adds a diagnostic that consists of a code, a place and a message.
    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::new(code, span, message));
    }

    /// All diagnostics, by place; those inside macro expansions say so.
    pub(crate) fn finish(mut self, sources: &SourceMap) -> Vec<Diagnostic> {
        for item in &mut self.items {
            if let Some(expansion) = item.span.and_then(|span| sources.expansion(span)) {
                let message = format!("`{}` is a macro, defined here", expansion.name);
                item.labels.push(super::Label { span: expansion.defined_at, message });
            }
        }
        self.items.sort_by_key(|item| item.span);
        if self.dropped > 0 {
            let message = format!("{} more findings are not shown", self.dropped);
            let last = Diagnostic::new(Code::TooManyDiagnostics, None, message)
                .hint("fix the first ones: the others often follow from them");
            self.items.push(last);
        }
        self.items
    }
}
